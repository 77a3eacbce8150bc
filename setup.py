"""The packages: all that lie below crfclean/, with models/ as crfclean.models."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["crfclean", "crfclean.*"]), "crfclean.models"])

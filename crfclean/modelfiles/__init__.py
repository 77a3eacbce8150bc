"""Folders of models: manifests, weights, bins and fingerprints."""

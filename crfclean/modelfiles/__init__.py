"""Model folders: manifests, weights, bins and fingerprints."""

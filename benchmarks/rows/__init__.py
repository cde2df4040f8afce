"""One file per subject; each registers its rows when imported."""

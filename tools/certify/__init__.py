"""Certificates judged in high precision: random fits, whose claims are recomputed with 80 digits."""

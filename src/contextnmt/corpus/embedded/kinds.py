"""Kinds of words that the embedded corpus tags, and that are counted in translations."""

KINDS = ("ambiguous", "name", "number", "acronym")

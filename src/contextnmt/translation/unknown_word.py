"""How translations write a word that the vocabulary does not have."""

#: What an unknown word becomes in a translation (A20): it matches no word of a reference.
UNKNOWN = "UNK"

"""How many words a text has."""


def count(text):
    return len(text.split())

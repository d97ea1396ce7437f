"""A text as a part of an address."""


def slug(text):
    return text.lower().replace(" ", "-")

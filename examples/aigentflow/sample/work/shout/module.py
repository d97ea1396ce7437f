"""A text, loudly."""


def shout(text):
    return text.upper() + "!"

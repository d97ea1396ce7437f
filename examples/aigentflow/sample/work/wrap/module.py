"""Lines of at most so many letters; longer words stand alone."""

import textwrap


def wrap(text, width):
    return textwrap.wrap(text, width, break_long_words=False)

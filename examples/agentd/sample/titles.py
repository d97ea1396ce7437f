"""What a small publisher does with the titles of its articles."""


def shorten(title, width=40):
    """The title in at most `width` letters, cut between words where that is possible."""
    if len(title) <= width:
        return title
    cut = title[:width - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"

"""Does a text read the same backwards?"""


def mirror(text):
    letters = [letter for letter in text.lower() if letter.isalpha()]
    return letters == letters[::-1]

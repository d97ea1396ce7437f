import unittest

from words.wrap import wrap


class Wrap(unittest.TestCase):
    def test_wrap(self):
        self.assertEqual(wrap("a bc", 2), ["a", "bc"])
        self.assertEqual(wrap("a longest b", 3), ["a", "longest", "b"])

import unittest

from words.count import count


class Count(unittest.TestCase):
    def test_count(self):
        self.assertEqual(count("one two  three"), 3)
        self.assertEqual(count(""), 0)

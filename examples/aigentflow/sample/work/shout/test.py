import unittest

from words.shout import shout


class Shout(unittest.TestCase):
    def test_shout(self):
        self.assertEqual(shout("hey"), "HEY!")

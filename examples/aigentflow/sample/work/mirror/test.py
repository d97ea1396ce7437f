import unittest

from words.mirror import mirror


class Mirror(unittest.TestCase):
    def test_mirror(self):
        self.assertTrue(mirror("Never odd or even"))
        self.assertFalse(mirror("words"))

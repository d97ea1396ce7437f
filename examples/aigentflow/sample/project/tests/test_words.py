import unittest

import words


class Words(unittest.TestCase):
    def test_there(self):
        self.assertTrue(words.__doc__)

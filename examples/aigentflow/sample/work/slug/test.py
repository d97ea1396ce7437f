import unittest

from words.slug import slug


class Slug(unittest.TestCase):
    def test_slug(self):
        self.assertEqual(slug("Hello, World!"), "hello-world")

import unittest

import titles


class Shorten(unittest.TestCase):
    def test_a_short_title_stays(self):
        self.assertEqual(titles.shorten("On time"), "On time")

    def test_a_long_one_is_cut_between_words(self):
        self.assertEqual(titles.shorten("All about the weather", 12), "All about…")


if __name__ == "__main__":
    unittest.main()

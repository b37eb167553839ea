"""What makes the book: the pages of headers, and the check of links."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/book"))
sys.dont_write_bytecode = True
import check_links
import reference

HEADER = """// What it is for.
#pragma once
#include "tern/other.hpp"
#define TERN_LIMIT 64 // A count.
#define TERN_LONG(a, b) \\
    do_it(a, b)

namespace tern {

// --- Ships: all of them ---
// Gives it. See sink().
template <class T> const T &get(const Session *session, Given given = {})
{
    return look({session});
}
[[nodiscard]] inline int count_of(const Ship &ship) { return ship.count; }

// A comment of nothing.

// A ship.
struct Ship {
    int count; // How many.
};
TERN_TWINS(Ship, tern_ship);
TERN_API void sink(Ship *ship); // Not again.
inline constexpr size_t ships_max = 8;

}
"""


class Reference(unittest.TestCase):
    def setUp(self):
        self.header = reference.parse("ships.hpp", HEADER)

    def test_each_declaration_has_a_name(self):
        self.assertEqual(self.header.names(), ["TERN_LIMIT", "TERN_LONG", "get", "count_of", "Ship",
                                               "sink", "ships_max"])

    def test_functions_lose_their_bodies_and_structs_keep_theirs(self):
        groups = [part for kind, part in self.header.parts if kind == "group"]
        self.assertEqual(groups[1].declarations, [
            "template <class T> const T &get(const Session *session, Given given = {});",
            "[[nodiscard]] int count_of(const Ship &ship);"])
        self.assertEqual(groups[1].text, ["Gives it. See sink()."])
        self.assertIn("    int count; // How many.", groups[2].declarations[0])
        self.assertEqual(groups[2].declarations[1], "void sink(Ship *ship); // Not again.")

    def test_a_page_links_to_what_it_names(self):
        page = reference.write(self.header, reference.Index([self.header]))
        self.assertIn("## Ships: all of them", page)
        self.assertIn("See [`sink()`](ships.hpp.md#sink).", page)
        self.assertIn("A comment of nothing.", page)
        self.assertIn("#define TERN_LIMIT 64 // A count.", page)
        self.assertIn("#define TERN_LONG(a, b)\n", page)

    def test_a_declaration_without_an_end_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "void f"):
            reference.parse("f.hpp", "// F.\n#pragma once\nvoid f(\n")


class Links(unittest.TestCase):
    def check(self, page):
        with tempfile.TemporaryDirectory() as site:
            (Path(site) / "index.html").write_text(page)
            (Path(site) / "other.html").write_text('<h1 id="there">Other</h1>')
            return check_links.check(site)

    def test_links_that_lead_somewhere_pass(self):
        wrong, count = self.check('<a href="other.html#there">A</a> <a href="https://b.org">B</a>')
        self.assertEqual((wrong, count), ([], 1))

    def test_others_are_named(self):
        for page, text in (('<a href="no.html">A</a>', "links to no.html, which is not there"),
                           ('<a href="other.html#no">A</a>', "which has no such heading"),
                           ('<script src="https://b.org/b.js"></script>', "from elsewhere")):
            self.assertIn(text, self.check(page)[0][0])


unittest.main()

#!/usr/bin/env python3
"""What generate.py makes of a table, and what it refuses."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import generate  # noqa: E402

SOURCE = "int f(int x) {\n  if (x > 1) return g(x);  // why\n  return x + 1;\n}\n"


def row(number, original, mutated, name=None):
    return {"name": name or f"m{number}", "file": "core/f.cc", "original": original, "mutated": mutated,
            "number": number}


def table(original, name="m", file="core/f.cc", mutated="0"):
    return f"== {file}\n{name}: b\n  like l\n  - {original}\n  + {mutated}\n"


class Mutate(unittest.TestCase):
    def test_an_expression_becomes_a_choice(self):
        copy = generate.mutate(SOURCE, [row(7, "x + 1", "x")])
        self.assertIn("return (::tenure::mutant::is(7) ? (x) : (x + 1));", copy)

    def test_statements_become_branches_and_keep_their_comments_to_themselves(self):
        copy = generate.mutate(SOURCE, [row(7, "if (x > 1) return g(x);  // why", "")])
        self.assertIn("{ if (::tenure::mutant::is(7)) {\n\n} else {\nif (x > 1) return g(x);  // why\n} }", copy)

    def test_mutants_of_one_text_share_its_place(self):
        copy = generate.mutate(SOURCE, [row(7, "x + 1", "x"), row(8, "x + 1", "2")])
        self.assertIn("(::tenure::mutant::is(7) ? (x) : ((::tenure::mutant::is(8) ? (2) : (x + 1))))", copy)

    def test_the_rest_stays_as_it_is(self):
        copy = generate.mutate(SOURCE, [row(7, "x + 1", "x")])
        self.assertEqual(copy.replace("(::tenure::mutant::is(7) ? (x) : (x + 1))", "x + 1"),
                         '#include "tests/mutants/switch.h"\n' + SOURCE)

    def test_a_text_is_found_wherever_its_lines_break(self):
        copy = generate.mutate(SOURCE, [row(7, "return g(x);  // why return\nx + 1;", "x;")])
        self.assertIn("} else {\nreturn g(x);  // why\n  return x + 1;\n} }", copy)

    def test_a_text_that_is_not_there_is_stale(self):
        with self.assertRaisesRegex(generate.Stale, "'old' is stale: its original occurs 0 times"):
            generate.mutate(SOURCE, [row(7, "x + 2", "x", "old")])

    def test_so_is_one_that_is_there_twice(self):
        with self.assertRaisesRegex(generate.Stale, "'twin' is stale: its original occurs 2 times"):
            generate.mutate(SOURCE, [row(7, "return", "x", "twin")])

    def test_texts_may_not_overlap(self):
        with self.assertRaisesRegex(generate.Stale, "'m7' and 'm8' overlap"):
            generate.mutate(SOURCE, [row(7, "return x + 1;", "x;"), row(8, "x + 1", "2")])


class Table(unittest.TestCase):
    def test_a_row_that_lacks_its_original_is_refused_and_so_is_any_other_line(self):
        with self.assertRaisesRegex(generate.Stale, "lacks"):
            generate.read_table("== core/f.cc\nm: b\n  + x\n")
        for line in ("bug = 1", "m: b", "  - x", "  colour red"):
            with self.assertRaisesRegex(generate.Stale, f"not understood: {line}"):
                generate.read_table(line)

    def test_texts_have_lines_and_comments_are_none(self):
        text = "# c\n\n== budget\n3 a.toml\n" + table("x;\n  -   y;")
        made = generate.read_table(text)
        self.assertEqual(made["budget"], {"a.toml": 3})
        self.assertEqual(made["mutant"][0]["original"], "x;\n  y;")

    def test_where_it_has_happened_is_no_part_of_what_is_wrong(self):
        made = generate.read_table("== core/f.cc\nm: a; b; like l\n  - x\n  + y\n")
        self.assertEqual(made["mutant"][0]["bug"], "a; b")

    def test_names_are_taken_once(self):
        with self.assertRaisesRegex(generate.Stale, "two of that name"):
            generate.read_table(table("x") + table("y", file="core/g.cc"))

    def test_rows_are_in_the_order_of_the_text(self):
        rows = generate.read_table(table("x", "a") + table("y", "b", "core/g.cc") + table("z", "c"))["mutant"]
        self.assertEqual([row["name"] for row in rows], ["a", "b", "c"])

    def test_headers_are_refused(self):
        with self.assertRaisesRegex(generate.Stale, "no .cc"):
            generate.read_table(table("x", file="core/f.h"))

    def test_a_mutant_changes_something(self):
        with self.assertRaisesRegex(generate.Stale, "nothing is changed"):
            generate.read_table(table("0"))


class Program(unittest.TestCase):
    def test_stops_the_build_and_names_the_stale_row(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "core").mkdir()
            (root / "core/f.cc").write_text(SOURCE, encoding="utf-8")
            (root / "table.txt").write_text(table("x + 2", name="old"), encoding="utf-8")
            done = subprocess.run(
                [sys.executable, str(Path(__file__).parent / "generate.py"), str(root / "table.txt"), str(root),
                 "copy", "core/f.cc", str(root / "out/f.cc")], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("'old' is stale", done.stderr)
            self.assertFalse((root / "out/f.cc").exists())


class Tables(unittest.TestCase):
    def test_fit_the_sources(self):
        """They are compiled in the long tier alone: a merge must not find out there."""
        root = Path(__file__).parents[2]
        tables = sorted(root.glob("tests/**/mutants.txt"))
        self.assertGreater(len(tables), 8)
        for path in tables:
            rows = generate.read_table(path.read_text(encoding="utf-8"))["mutant"]
            for file in sorted({row["file"] for row in rows}):
                with self.subTest(table=str(path.relative_to(root)), file=file):
                    generate.mutate((root / file).read_text(encoding="utf-8"),
                                    [row for row in rows if row["file"] == file])


if __name__ == "__main__":
    unittest.main()

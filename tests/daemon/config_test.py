"""A bad configuration is refused: all that is wrong with it at once, each with its place.

Below each mistake in config/*.toml stands what is said of it, as in tests/format/errors_test.cc.
TENURE_REWRITE_GOLDEN=1 writes these comments anew.
"""

import glob
import os
import re
import subprocess
import tempfile
import unittest

from daemon import BINARY

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "config")


def check(*arguments, cwd=FOLDER):
    done = subprocess.run([BINARY, "--check-config", *arguments], cwd=cwd, capture_output=True, text=True, timeout=20)
    return done.returncode, done.stdout + done.stderr


def without_comments(text):
    return re.sub(r"^#(=| *\^).*\n", "", text, flags=re.MULTILINE)


def with_comments(text, name, said):
    """The text with each error below its line; `said` is errors as they are shown, or one line."""
    below = {}
    error = re.compile(rf"error: (.*)\n  --> {name}:(\d+):(\d+)\n   \| .*\n   \| ( *\^+)(?: (.*))?\n")
    for message, line, _, carets, hint in error.findall(said):
        below.setdefault(int(line), []).append(f"#{carets} {message}" + (f" | {hint}" if hint else ""))
    rest = [f"#= {line}" for line in error.sub("", said).splitlines()]
    lines = [one for i, line in enumerate(text.splitlines(), 1) for one in [line, *below.get(i, [])]]
    return "\n".join(lines + rest) + "\n"


class ConfigTest(unittest.TestCase):
    maxDiff = None

    def test_each_file_is_judged_as_it_was(self):
        names = [os.path.basename(path) for path in sorted(glob.glob(FOLDER + "/*.toml"))]
        self.assertGreater(len(names), 3)
        for name in names:
            with open(os.path.join(FOLDER, name)) as file:
                golden = file.read()
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, name), "w") as file:
                    file.write(without_comments(golden))
                code, said = check("--config", name, cwd=folder)
            found = with_comments(without_comments(golden), name, said)
            if os.environ.get("TENURE_REWRITE_GOLDEN"):
                with open(os.path.join(FOLDER, name), "w") as file:
                    file.write(found)
            else:
                self.assertEqual(found, golden, name)
            self.assertEqual(code, 0 if name == "good.toml" else 65, name)

    def test_a_flag_is_judged_like_the_file(self):
        code, said = check("--set", "election.renew_period=9s", "--set", "election.lease_duration=10s")
        self.assertEqual(code, 65)
        self.assertIn("exceeds the time a holder may believe", said)
        self.assertEqual(check("--set", "election.renew_period=9s", "--set", "election.lease_duration=10s", "--set",
                               'accept=["renew-beyond-belief"]')[0], 0)
        self.assertEqual(check("--listen", "nowhere")[0], 65)
        self.assertEqual(check("--listen", "[::1]:8420", "--health", "[::1]:8421")[0], 0)
        self.assertEqual(check("--store", ":memory:")[0], 65)
        code, said = check("--store", "host=db port=x5432y sslmode=never dbnam=tenure")
        self.assertEqual(code, 65, said)
        self.assertIn("dbnam", said)
        self.assertEqual(check("--nonsense")[0], 64)
        self.assertEqual(check("--set", "novalue")[0], 64)
        code, said = check("--config", "not-there.toml")
        self.assertEqual(code, 65)
        self.assertIn("cannot read the configuration: No such file or directory", said)
        code, said = check("--config", "/")
        self.assertEqual(code, 65)
        self.assertIn("cannot read the configuration: Is a directory", said)
        self.assertEqual(check()[0], 0)

    def test_the_folder_of_the_store_is_looked_at(self):
        code, said = check("--store", "nowhere/tenure.db")
        self.assertEqual((code, "warning: the store's folder nowhere is not there: create it" in said), (0, True), said)
        self.assertNotIn("the store's folder", check("--store", "tenure.db")[1])
        self.assertNotIn("the store's folder", check("--store", "postgres://u@db/tenure")[1])

    def test_a_file_that_is_no_database_ends_it(self):
        code, said = check("--store", __file__)
        self.assertEqual((code, f"error: the store {__file__} is not an SQLite database" in said), (65, True), said)

    def test_a_password_is_not_shown(self):
        for store in ("postgres://u:hunter2@db/tenure", "postgresql://u:hunter2@db/tenure", "host=db password=hunter2"):
            code, said = check("--store", store)
            self.assertEqual((code, "hunter2" in said), (0, False), said)
            self.assertIn("Postgres listens on", said)

    def test_what_others_can_read_or_change_is_warned_of(self):
        with tempfile.TemporaryDirectory() as folder:
            secret, config = folder + "/secret", folder + "/tenured.toml"
            with open(secret, "w") as file:
                file.write("whsec_" + "c2VjcmV0" * 4)
            with open(config, "w") as file:
                file.write(f'[[destination]]\nname = "crm"\nurl = "https://example.org/"\nkeys = ["file:{secret}"]\n')
            for modes, words in (((0o600, 0o600), None), ((0o644, 0o600), f"can read the secret in {secret}"),
                                 ((0o600, 0o646), f"can change {config}")):
                os.chmod(secret, modes[0])
                os.chmod(config, modes[1])
                code, said = check("--config", config)
                self.assertEqual((code, said.count("warning: every account of this machine")), (0, words is not None), said)
                self.assertIn(words or "", said)
        for store, warned in (("postgres://u:hunter2@db/tenure", True), ("host=db password=hunter2", True),
                              ("postgres://u@db/tenure", False), ("tenure.db", False)):
            self.assertEqual("the password in --store" in check("--store", store)[1], warned, store)

    def test_bytes_that_are_no_configuration_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in (b"\x00", b"\xff\xfe", b"[" * 5000, b"a=" + b"[" * 300, b"[[token]]\n" * 300, b"http=1\ntoken=2\nelection=[]"):
                with open(folder + "/x.toml", "wb") as file:
                    file.write(text)
                self.assertEqual(check("--config", folder + "/x.toml")[0], 65, text[:20])


if __name__ == "__main__":
    unittest.main()

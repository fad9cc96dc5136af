#!/usr/bin/python3
"""What is in daemon/operations/ is good: promtool tries the alerts, systemd judges the unit, the manifests hold together.

usage: operations_test.py SOURCES [TENURED] [CLASS[.test]…]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

import yaml

SOURCES = pathlib.Path(sys.argv[1]).resolve()
TENURED = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 and os.access(sys.argv[2], os.X_OK) else None
OPERATIONS = SOURCES / "daemon/operations"
RULES = OPERATIONS / "prometheus/tenure.rules.yaml"
ALERTS = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
METRIC = re.compile(r"\btenure_[a-z_]+\b")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def metrics_of(text):
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in METRIC.findall(text)}


class Rules(unittest.TestCase):
    def setUp(self):
        if not shutil.which("promtool"):
            self.skipTest("no promtool: ./dev setup installs prometheus")

    def try_alerts(self, rules):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "rules.yaml").write_text(rules)
            cases = (SOURCES / "tests/daemon/operations/alerts_test.yaml").read_text().replace("RULES", str(path / "rules.yaml"))
            (path / "alerts.yaml").write_text(cases)
            return run("promtool", "test", "rules", str(path / "alerts.yaml"))

    def test_are_rules(self):
        ended = run("promtool", "check", "rules", str(RULES))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_fire_when_they_should_and_not_before(self):
        ended = self.try_alerts(RULES.read_text())
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_that_are_wrong_are_noticed(self):
        """Planted bugs: each alone must fail."""
        text = RULES.read_text()
        for original, mutated in (("(tenure_leader) == 0", "(tenure_leader) < 0"), ("(tenure_leader) > 1", "(tenure_leader) > 2"),
                                  ("for: 1m", "for: 10s"), ("> 300", "> 500"), ('what="missed"', 'what="mised"'),
                                  ("tenure_store_up == 0", "tenure_store_up == 1"), ('outcome!="granted"', 'outcome="granted"'),
                                  ("tenure_dead_events) > 0", "tenure_dead_event) > 0"), ('status=~"5.."', 'status="5.."'),
                                  ("(health|ready|leader)z", "(health|ready)z"),
                                  ("absent(tenure_leader)", "absent(tenure_up)"), ("> 5\n", "> 500\n")):
            self.assertIn(original, text)
            self.assertNotEqual(self.try_alerts(text.replace(original, mutated, 1)).returncode, 0, mutated)

    def test_each_has_a_page_and_each_page_an_alert(self):
        names = [alert["alert"] for alert in ALERTS]
        self.assertEqual(len(names), len(set(names)))
        pages = {path.stem for path in (OPERATIONS / "runbook").glob("*.md")} - {"README"}
        self.assertEqual(pages, set(names))
        for alert in ALERTS:
            self.assertEqual(alert["annotations"]["runbook"], f"daemon/operations/runbook/{alert['alert']}.md")
            self.assertIn(alert["labels"]["severity"], ("page", "ticket"))
            page = (SOURCES / alert["annotations"]["runbook"]).read_text()
            for title in (f"# {alert['alert']}\n", "\n## Look\n", "\n## Do\n"):
                self.assertIn(title, page)

    def test_name_metrics_that_there_are(self):
        source = SOURCES / "daemon/service/metrics.cc"
        if not source.exists():
            self.skipTest("there is no daemon yet")
        known = metrics_of(source.read_text())
        asked = metrics_of(RULES.read_text())
        for page in (OPERATIONS / "runbook").glob("*.md"):
            asked |= metrics_of(page.read_text())
        self.assertEqual(asked - known, set())
        self.assertGreater(len(asked), 10)

    def test_links_of_the_runbook_lead_somewhere(self):
        for page in OPERATIONS.rglob("*.md"):
            for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page}: {target}")


class Unit(unittest.TestCase):
    UNIT = OPERATIONS / "systemd/tenured.service"

    def test_is_one_for_systemd(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze: ./dev setup installs systemd")
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "tenured.service"
            copy.write_text(self.UNIT.read_text().replace("/usr/bin/tenured", "/bin/true"))
            ended = run("systemd-analyze", "verify", "--man=no", str(copy))
            self.assertNotIn("tenured.service", ended.stdout + ended.stderr)
            copy.write_text(copy.read_text().replace("PrivateTmp=yes", "PrivateTemp=yes"))
            ended = run("systemd-analyze", "verify", "--man=no", str(copy))
            self.assertIn("PrivateTemp", ended.stdout + ended.stderr, "a planted bug is noticed")

    def test_is_hardened(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze: ./dev setup installs systemd")
        ended = run("systemd-analyze", "security", "--offline=true", "--threshold=15", str(self.UNIT))
        self.assertEqual(ended.returncode, 0, ended.stdout[-300:] + ended.stderr)

    def test_waits_for_a_stop_as_long_as_the_service_may_take(self):
        text = self.UNIT.read_text()
        self.assertIn("Type=notify\n", text)
        self.assertGreater(int(re.search(r"TimeoutStopSec=(\d+)", text)[1]), 20 + 5)


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (OPERATIONS / "kubernetes/tenured.yaml").read_text()
        cls.all = list(yaml.safe_load_all(text))
        cls.by_kind = {each["kind"]: each for each in cls.all}
        cls.pod = cls.by_kind["Deployment"]["spec"]["template"]
        cls.container = cls.pod["spec"]["containers"][0]
        cls.config = tomllib.loads(cls.by_kind["ConfigMap"]["data"]["tenured.toml"])

    def test_three_instances_of_which_one_may_go_at_a_time(self):
        self.assertEqual(self.by_kind["Deployment"]["spec"]["replicas"], 3)
        self.assertEqual(self.by_kind["PodDisruptionBudget"]["spec"]["maxUnavailable"], 1)

    def test_labels_choose_the_pods(self):
        labels = self.pod["metadata"]["labels"]
        for chosen in (self.by_kind["Deployment"]["spec"]["selector"]["matchLabels"],
                       self.by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
                       self.by_kind["Service"]["spec"]["selector"],
                       self.by_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]):
            self.assertLessEqual(chosen.items(), labels.items())
        self.assertEqual({each["metadata"].get("namespace") for each in self.all}, {"tenure"})

    def test_ports_are_those_of_the_configuration(self):
        ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}
        self.assertEqual(self.config["http"]["listen"], f"0.0.0.0:{ports['http']}")
        self.assertEqual(self.config["http"]["health"], f"0.0.0.0:{ports['health']}")
        self.assertEqual(self.by_kind["Service"]["spec"]["ports"][0]["targetPort"], "http")
        self.assertEqual(self.pod["metadata"]["annotations"]["prometheus.io/port"], str(ports["health"]))

    def test_a_store_that_is_away_starts_nothing_anew(self):
        self.assertEqual(self.container["livenessProbe"]["httpGet"]["path"], "/healthz")
        self.assertEqual(self.container["readinessProbe"]["httpGet"]["path"], "/readyz")

    def test_a_stop_has_the_time_that_it_may_take(self):
        drain = int(self.config["drain"].removesuffix("s"))
        self.assertGreater(self.pod["spec"]["terminationGracePeriodSeconds"], drain + 5)

    def test_it_may_do_little(self):
        self.assertTrue(self.pod["spec"]["securityContext"]["runAsNonRoot"])
        self.assertFalse(self.pod["spec"]["automountServiceAccountToken"])
        context = self.container["securityContext"]
        self.assertTrue(context["readOnlyRootFilesystem"])
        self.assertFalse(context["allowPrivilegeEscalation"])
        self.assertEqual(context["capabilities"], {"drop": ["ALL"]})

    def test_no_secret_is_in_them(self):
        self.assertIn("secretKeyRef", self.container["env"][0]["valueFrom"])
        self.assertNotIn("@", self.config["store"].replace("tenure@", ""), "no password")

    def test_the_configuration_is_one_for_tenured(self):
        if TENURED is None:
            self.skipTest("no tenured")
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(self.by_kind["ConfigMap"]["data"]["tenured.toml"])
            file.flush()
            ended = run(str(TENURED), "--config", file.name, "--check-config")
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)


unittest.main(argv=sys.argv[:1] + sys.argv[3:])

"""What is shipped for a cluster: rendered by kubectl, least privilege, and kept in step with the checks."""

import json
import runpy
import shutil
import subprocess
from pathlib import Path

from kb import yaml_text
from kb.checks.catalogue import Catalogue
from kb.checks.site import read_site

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"


def test_kubectl_renders_the_base_and_the_job_may_only_read() -> None:
    kubectl = shutil.which("kubectl")
    assert kubectl, "install the package kubernetes-client"
    done = subprocess.run([kubectl, "kustomize", str(DEPLOY)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    objects = [yaml_text.parse(part, name="rendered").data for part in done.stdout.split("\n---\n")]
    kinds = {one["kind"]: one for one in objects}
    assert set(kinds) == {"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "CronJob"}
    verbs = {verb for rule in kinds["ClusterRole"]["rules"] for verb in rule["verbs"]}
    resources = {name for rule in kinds["ClusterRole"]["rules"] for name in rule.get("resources", [])}
    assert verbs <= {"get", "list"}
    assert "secrets" not in resources
    assert "*" not in resources
    pod = kinds["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == kinds["ServiceAccount"]["metadata"]["name"]
    [volume] = [one for one in pod["volumes"] if one["name"] == "site"]
    assert volume["configMap"]["name"] == kinds["ConfigMap"]["metadata"]["name"]
    assert kinds["ClusterRoleBinding"]["roleRef"]["name"] == kinds["ClusterRole"]["metadata"]["name"]


def test_the_shipped_site_file_can_be_read() -> None:
    assert read_site(DEPLOY / "site.yaml", Catalogue.load()).fail_on == "critical"


def test_the_dashboard_is_that_of_the_checks() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "dashboard"))["dashboard"](Catalogue.load())
    stored = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))
    assert stored == made, "renew it: scripts/dashboard"


def test_the_container_file_says_that_it_was_not_built() -> None:
    assert "never built" in (DEPLOY / "Containerfile").read_text(encoding="utf-8")

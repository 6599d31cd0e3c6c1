"""The role that is handed out is what the checks read and nothing more."""

from pathlib import Path

from kb import yaml_text
from kb.checks.catalogue import Catalogue
from kb.checks.sources.kube_forms import WITHHELD, resource_of

ROLE = Path(__file__).parents[2] / "deploy" / "clusterrole.yaml"


def rules() -> list[dict[str, list[str]]]:
    """By group, each with the resources that the cards of all checks name; listing is all that is done."""
    groups: dict[str, set[str]] = {}
    for card in Catalogue.load().cards.values():
        for name in card.needs.objects:
            resource = resource_of(name)
            groups.setdefault(resource.group, set()).add(resource.plural)
    return [{"apiGroups": [group], "resources": sorted(groups[group]), "verbs": ["list"]} for group in sorted(groups)]


def test_the_role_grants_what_the_cards_need_and_no_more() -> None:
    document = yaml_text.read(ROLE).data
    assert (document["apiVersion"], document["kind"]) == ("rbac.authorization.k8s.io/v1", "ClusterRole")
    assert document["rules"] == rules(), yaml_text.dump({"rules": rules()})


def test_no_check_needs_what_is_never_read() -> None:
    needed = {name for card in Catalogue.load().cards.values() for name in card.needs.objects}
    assert not needed & WITHHELD

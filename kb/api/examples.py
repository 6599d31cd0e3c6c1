"""The examples of the OpenAPI document.

Answers come from `examples.json`: real ones with their lists cut short, renewed by `scripts/examples`; a test holds
them to the published schemas.
"""

import json
from importlib import resources
from typing import Any

from kb.parameters import JsonSchema

ARGUMENTS: dict[str, str] = {
    "symptoms": "NCCL watchdog timeout, GPU utilisation falls to 0",
    "query": "certificate expired",
    "id": "IL-0477",
    "kind": "symptoms",
    "slug": "job-hang",
    "family": "gpu",
    "name": "xid_fatal_counted",
}
BODIES: dict[str, JsonSchema] = {
    "search_incidents_by_post": {"symptoms": "NCCL watchdog timeout, GPU utilisation falls to 0", "limit": 3},
    "get_incidents_batch": {"ids": ["IL-0477", "IL-0097"], "sections": "summary,root_causes"},
    "match_evidence": {"text": "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."},
    "match_alertmanager": {
        "version": "4",
        "status": "firing",
        "receiver": "incident-library",
        "groupLabels": {"alertname": "KubePodCrashLooping"},
        "commonLabels": {"alertname": "KubePodCrashLooping", "namespace": "train"},
        "commonAnnotations": {"summary": "Pods are crash looping after the rollout"},
        "externalURL": "http://alertmanager.example:9093",
        "alerts": [
            {
                "status": "firing",
                "labels": {"alertname": "KubePodCrashLooping", "pod": "trainer-0", "reason": "CrashLoopBackOff"},
                "annotations": {"summary": "Pods are crash looping after the rollout"},
                "startsAt": "2026-11-29T08:00:00Z",
                "fingerprint": "b1f2c3d4e5f60718",
            }
        ],
    },
}
_PROBLEMS: dict[int, dict[str, Any]] = {
    404: {
        "title": "Not found",
        "detail": "There is no case IL-9999. Nearest: IL-0099. search_incidents finds cases by what is seen.",
        "field": "id",
        "nearest": ["IL-0099"],
        "next_step": "search_incidents finds cases by what is seen.",
    },
    413: {"title": "Too large", "detail": "The body is too large; at most 1 MB is taken."},
    415: {"title": "Unsupported media type", "detail": "The body is text/plain; send application/json."},
    416: {
        "title": "Range not satisfiable",
        "detail": "The file has 15998 bytes. Ask within them.",
        "next_step": "Ask within them.",
    },
    422: {
        "title": "Unknown argument",
        "detail": "There is no argument `colour`. Allowed: lang.",
        "field": "colour",
        "allowed": ["lang"],
    },
    429: {
        "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
        "title": "Quota exceeded",
        "detail": "Your address has used up its 6000 points of 60 seconds. Ask again in 17 seconds.",
        "next_step": "Ask again in 17 seconds.",
    },
    500: {"title": "Internal", "detail": "Internal error; it has been logged. Try again later."},
    503: {"title": "No build", "detail": "Nothing has been built yet. Run `kb build`."},
}


def problem(status: int, path: str) -> JsonSchema:
    """An error of this status as it would be answered at this path."""
    said = _PROBLEMS[status]
    kind = str(said["title"]).lower().replace(" ", "-")
    return {"type": f"/en/api#{kind}", "status": status, "instance": path, **said}


def _answers() -> dict[str, JsonSchema]:
    text = resources.files("kb.api").joinpath("examples.json").read_text(encoding="utf-8")
    answers: dict[str, JsonSchema] = json.loads(text)
    return answers


ANSWERS = _answers()

"""One page of every type, by name; `{lang}` is filled in."""

PAGES = {
    "library": "/{lang}/",
    "search": "/{lang}/?symptoms=GPU+has+fallen+off+the+bus",
    "none": "/{lang}/?symptoms=zebra+umbrella+sonata",
    "empty": "/{lang}/?symptom=gpu-error&component=etcd",
    "case": "/{lang}/incidents/IL-0335",
    "case-unlinked": "/{lang}/incidents/IL-0477",
    "symptom": "/{lang}/symptoms/job-hang",
    "organisation": "/{lang}/orgs/2i2c",
    "symptoms": "/{lang}/symptoms",
    "checks": "/{lang}/checks",
    "check": "/{lang}/checks/workload/binderhub_launches_failing",
    "check-logs": "/{lang}/checks/gpu/fell_off_bus_log",
    "holes": "/{lang}/holes?kind=components",
    "timeline": "/{lang}/timeline",
    "api": "/{lang}/api",
    "about": "/{lang}/about",
    "not-found": "/{lang}/incidents/IL-9999",
    "unknown-value": "/{lang}/?component=gpus",
}
ERRORS = {"not-found": 404, "unknown-value": 422}
LANGS = ("en", "ko")

"""What gives the metrics that checks need: one name a program, spelt as its makers spell it.

`kb doctor` and `kb blind-spots` group metrics by these names, and `--assume` takes them, so that two spellings of one
program would be two gaps.
"""

EXPORTERS = frozenset({
    "BinderHub", "CoreDNS", "Cluster Autoscaler", "Fluent Bit", "Hubble", "JupyterHub", "Linkerd proxy", "Prometheus",
    "Traefik", "blackbox_exporter", "cAdvisor", "cert-manager", "cloud-controller-manager", "dcgm-exporter", "etcd",
    "fluent-plugin-prometheus", "ingress-nginx", "kafka_exporter", "kube-apiserver", "kube-proxy",
    "kube-state-metrics", "kubelet", "node_exporter", "rabbitmq_prometheus", "snmp_exporter",
    "x509-certificate-exporter", "yet-another-cloudwatch-exporter",
    # Each of them gives these, under a job of its own.
    "Kubernetes components",
    # Its metrics have other names than today's, which lacks nothing by not giving them.
    "Traefik 1.7",
})  # fmt: skip

"""What a healthy cluster exports: names and labels as dcgm-exporter, node_exporter, kube-state-metrics, etcd, the API
server and Prometheus itself write them. A value is constant or grows by the same amount each minute.
"""

from collections.abc import Iterator
from dataclasses import dataclass

GPUS, HCAS = 8, 9
GB = 2**30


@dataclass(frozen=True)
class Series:
    metric: str
    labels: dict[str, str]
    start: float
    per_minute: float = 0.0


def node(number: int) -> str:
    return f"gpu-{number:04d}"


def uuid(number: int, gpu: int) -> str:
    return f"GPU-{number:04x}{gpu:04x}"


#: dcgm-exporter, per GPU: value and growth a minute. The power brake counts nanoseconds.
DCGM = {
    "DCGM_FI_DEV_GPU_TEMP": (62.0, 0.0), "DCGM_FI_DEV_SM_CLOCK": (1980.0, 0.0), "DCGM_FI_DEV_GPU_UTIL": (98.0, 0.0),
    "DCGM_FI_DEV_POWER_USAGE": (640.0, 0.0), "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": (700.0, 0.0),
    "DCGM_FI_DEV_XID_ERRORS": (0.0, 0.0), "DCGM_FI_DEV_ROW_REMAP_FAILURE": (0.0, 0.0),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": (0.0, 0.0), "DCGM_FI_DEV_PCIE_LINK_WIDTH": (16.0, 0.0),
    "DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH": (16.0, 0.0), "DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY": (1.0, 0.0),
    "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION": (0.0, 0.0),
    "DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS": (0.0, 0.0),
    "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": (12.0, 0.0),
    "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL": (0.0, 0.0),
    "DCGM_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS": (1.0, 0.0),
    "DCGM_EXP_CLOCK_EVENTS_COUNT": (0.0, 0.0), "DCGM_EXP_XID_ERRORS_COUNT": (0.0, 0.0),
}  # fmt: skip
#: node_exporter's InfiniBand collector, per port: a healthy port's counters are not zero.
IB = {
    "node_infiniband_state_id": (4.0, 0.0), "node_infiniband_rate_bytes_per_second": (5e10, 0.0),
    "node_infiniband_link_downed_total": (3.0, 0.0), "node_infiniband_symbol_error_total": (40.0, 0.1),
    "node_infiniband_port_data_transmitted_bytes_total": (1e14, 6e11),
    "node_infiniband_port_packets_received_total": (1e12, 4e8),
    "node_infiniband_np_cnp_packets_sent_total": (1e4, 20.0),
    "node_infiniband_np_ecn_marked_roce_packets_received_total": (1e4, 20.0),
    "node_infiniband_out_of_sequence_packets_received_total": (90.0, 0.0),
    "node_infiniband_packet_sequence_errors_total": (30.0, 0.0),
}  # fmt: skip
NODE = {
    "node_nf_conntrack_entries": (9_000.0, 0.0), "node_nf_conntrack_entries_limit": (1_048_576.0, 0.0),
    "node_nf_conntrack_stat_insert_failed": (4.0, 0.0), "node_procs_blocked": (1.0, 0.0),
    "node_vmstat_oom_kill": (2.0, 0.0), "node_netstat_Tcp_RetransSegs": (5e5, 30.0),
    "node_netstat_Tcp_OutSegs": (5e9, 900_000.0),
}  # fmt: skip
KUBE_NODE = {
    "kube_node_spec_unschedulable": 0.0, "kube_node_info": 1.0,
}  # fmt: skip


def cluster(nodes: int, *, slim: bool = False) -> Iterator[Series]:
    """Every series of a cluster. `slim` leaves only what rules with windows of days look at."""
    for number in range(nodes):
        yield from _gpus(number, slim)
        yield from _adapters(number, slim)
        yield from _host(number, slim)
        yield from _kubernetes_node(number)
    yield from _control_plane()
    yield from _workload()


def _gpus(number: int, slim: bool) -> Iterator[Series]:
    scrape = {"instance": f"{node(number)}:9400", "job": "dcgm-exporter"}
    for gpu in range(GPUS):
        labels = {
            **scrape, "gpu": str(gpu), "UUID": uuid(number, gpu), "device": f"nvidia{gpu}", "hostname": node(number),
            "modelName": "NVIDIA H100 80GB HBM3", "DCGM_FI_DRIVER_VERSION": "535.161.08",
        }  # fmt: skip
        for metric, (start, growth) in DCGM.items():
            if slim and metric not in ("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK"):
                continue
            extra = {"clock_event": "hw_thermal", "window_size_in_ms": "300000"}
            if metric == "DCGM_EXP_XID_ERRORS_COUNT":
                # Counted by code: a healthy GPU has a harmless one at most.
                extra = {"xid": "31", "window_size_in_ms": "300000"}
            if metric == "DCGM_FI_DEV_XID_ERRORS":
                extra = {"err_code": "0", "err_msg": "No Error"}
            more = extra if metric.startswith("DCGM_EXP") or metric == "DCGM_FI_DEV_XID_ERRORS" else {}
            yield Series(metric, {**labels, **more}, start, growth)
    yield from _target(scrape)


def _adapters(number: int, slim: bool) -> Iterator[Series]:
    scrape = {"instance": f"{node(number)}:9100", "job": "node-exporter"}
    for device in (f"mlx5_{n}" for n in ((1, 4) if slim else range(HCAS))):
        for metric, (start, growth) in IB.items():
            if not slim or metric in ("node_infiniband_state_id", "node_infiniband_rate_bytes_per_second"):
                yield Series(metric, {**scrape, "device": device, "port": "1"}, start, growth)
        yield Series("node_infiniband_info", {**scrape, "device": device, "hca_type": "MT4129"}, 1.0)
    yield Series("node_scrape_collector_success", {**scrape, "collector": "infiniband"}, 1.0)


def _host(number: int, slim: bool) -> Iterator[Series]:
    scrape = {"instance": f"{node(number)}:9100", "job": "node-exporter"}
    yield from _target(scrape)
    if slim:
        return
    for metric, (start, growth) in NODE.items():
        yield Series(metric, scrape, start, growth)
    for cpu in range(2):
        for mode, share in (("user", 12.0), ("system", 3.0), ("idle", 45.0)):
            yield Series("node_cpu_seconds_total", {**scrape, "cpu": str(cpu), "mode": mode}, 1e6, share)
    for device in ("eth0", "bond0"):
        yield Series("node_arp_entries", {**scrape, "device": device}, 60.0)
    for mount, size in (("/", 400 * GB), ("/local", 7000 * GB)):
        labels = {**scrape, "mountpoint": mount, "fstype": "ext4", "device": "/dev/nvme0n1"}
        yield Series("node_filesystem_size_bytes", labels, float(size))
        yield Series("node_filesystem_avail_bytes", labels, size * 0.6)
        yield Series("node_filesystem_readonly", labels, 0.0)
    yield Series("node_boot_time_seconds", scrape, 1.79e9)
    yield Series("node_uname_info", {**scrape, "nodename": node(number)}, 1.0)


def _target(scrape: dict[str, str]) -> Iterator[Series]:
    yield Series("up", scrape, 1.0)
    yield Series("scrape_duration_seconds", scrape, 0.2)


def _kubernetes_node(number: int) -> Iterator[Series]:
    scrape = {"instance": "kube-state-metrics:8080", "job": "kube-state-metrics", "node": node(number)}
    for metric, value in KUBE_NODE.items():
        extra = {"internal_ip": f"10.0.{number // 250}.{number % 250 + 1}"} if metric == "kube_node_info" else {}
        yield Series(metric, {**scrape, **extra}, value)
    for status, value in (("true", 1.0), ("false", 0.0), ("unknown", 0.0)):
        yield Series("kube_node_status_condition", {**scrape, "condition": "Ready", "status": status}, value)
    for metric in ("kube_node_status_capacity", "kube_node_status_allocatable"):
        yield Series(metric, {**scrape, "resource": "nvidia_com_gpu", "unit": "integer"}, float(GPUS))


def _control_plane() -> Iterator[Series]:
    yield from _target({"instance": "kube-state-metrics:8080", "job": "kube-state-metrics"})
    for number in range(3):
        etcd = {"instance": f"cp-{number}:2381", "job": "etcd"}
        yield from _target(etcd)
        for metric, start, growth in (
            ("etcd_server_has_leader", 1.0, 0.0), ("etcd_server_id", 1.0, 0.0),
            ("etcd_server_leader_changes_seen_total", 4.0, 0.0), ("etcd_mvcc_db_total_size_in_bytes", 3e8, 1e4),
            ("etcd_server_quota_backend_bytes", 8.0 * GB, 0.0),
        ):  # fmt: skip
            yield Series(metric, etcd, start, growth)
        for histogram in ("etcd_disk_wal_fsync_duration_seconds", "etcd_disk_backend_commit_duration_seconds"):
            yield from _histogram(histogram, etcd, {"0.004": 950.0, "0.016": 999.0, "0.5": 1000.0})
        api = {"instance": f"cp-{number}:6443", "job": "apiserver"}
        yield from _target(api)
        role = {"job": "kube-state-metrics", "node": f"cp-{number}", "role": "control-plane"}
        yield Series("kube_node_role", role, 1.0)


def _histogram(name: str, labels: dict[str, str], buckets: dict[str, float]) -> Iterator[Series]:
    """Buckets that grow by so many observations a minute."""
    for le, growth in (*buckets.items(), ("+Inf", max(buckets.values()))):
        yield Series(f"{name}_bucket", {**labels, "le": le}, growth * 1000, growth)


def _workload() -> Iterator[Series]:
    scrape = {"instance": "kube-state-metrics:8080", "job": "kube-state-metrics"}
    for number in range(40):
        pod = {**scrape, "namespace": "train", "pod": f"job-{number}"}
        main = {**pod, "container": "main"}
        yield Series("kube_pod_info", {**pod, "node": node(number)}, 1.0)
        for phase in ("Pending", "Running", "Failed"):
            yield Series("kube_pod_status_phase", {**pod, "phase": phase}, float(phase == "Running"))
        yield Series("kube_pod_container_status_restarts_total", main, 1.0)
        yield Series("kube_pod_container_status_waiting", main, 0.0)
    for name, ready in (("dcgm-exporter", 3), ("network-operator", 3)):
        daemon = {**scrape, "namespace": "gpu", "daemonset": name}
        yield Series("kube_daemonset_status_desired_number_scheduled", daemon, 3.0)
        yield Series("kube_daemonset_status_number_ready", daemon, float(ready))
        yield Series("kube_daemonset_created", daemon, 1.79e9)
    deployment = {**scrape, "namespace": "kube-system", "deployment": "coredns"}
    yield Series("kube_deployment_spec_replicas", deployment, 2.0)
    yield Series("kube_deployment_status_replicas_available", deployment, 2.0)
    yield Series("kube_deployment_created", deployment, 1.79e9)
    probe = {"instance": "https://train.example", "job": "blackbox"}
    yield Series("probe_success", probe, 1.0)
    yield from _target(probe)

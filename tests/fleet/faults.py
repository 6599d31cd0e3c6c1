"""Faults by name: which series they change, from when on, and what has to be found for them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.fleet.series import Series, node, uuid

Values = list[float | None]
Change = Callable[[Values, int], Values]
"""(values, index of the first sample after the fault) → values; none where nothing is exported."""


@dataclass(frozen=True)
class Fault:
    name: str
    metric: str
    """A metric, or a prefix of several that ends in `*`."""
    labels: dict[str, str]
    """Labels of the series that change, all of which must agree."""
    change: Change
    found: dict[str, dict[str, str]]
    """Check → labels that one of its findings must carry."""
    adds: tuple[Series, ...] = ()
    """Series that are first there after the fault."""
    may: tuple[str, ...] = ()
    """Checks that may find it as well, depending on how the samples fall into their windows."""

    def touches(self, series: Series) -> bool:
        fits = series.metric.startswith(self.metric[:-1]) if self.metric.endswith("*") else series.metric == self.metric
        return fits and all(series.labels.get(name) == value for name, value in self.labels.items())


def to(value: float) -> Change:
    """The value jumps."""
    return lambda values, at: [value if i >= at and v is not None else v for i, v in enumerate(values)]


def plus(a_minute: float) -> Change:
    """The value grows by so much more each minute."""
    return lambda values, at: [
        v + a_minute * (i - at + 1) if i >= at and v is not None else v for i, v in enumerate(values)
    ]


def flat() -> Change:
    """The counter stands still."""
    return lambda values, at: [values[at - 1] if i >= at else v for i, v in enumerate(values)]


def gone() -> Change:
    """The series ends."""
    return lambda values, at: [None if i >= at else v for i, v in enumerate(values)]


def gpu(number: int, index: int) -> dict[str, str]:
    return {"hostname": node(number), "gpu": str(index)}


def place(number: int, index: int) -> dict[str, str]:
    return {**gpu(number, index), "UUID": uuid(number, index)}


def host(number: int) -> dict[str, str]:
    return {"instance": f"{node(number)}:9100"}


def port(number: int, device: int) -> dict[str, str]:
    return {**host(number), "device": f"mlx5_{device}"}


def _one(name: str, metric: str, labels: dict[str, str], change: Change, check: str, where: dict[str, str]) -> Fault:
    return Fault(name, metric, labels, change, {check: where})


def faults() -> Iterator[Fault]:
    """Each on nodes of its own; none needs more than one hundred nodes."""
    yield from _gpu_faults()
    yield from _fabric_faults()
    yield from _host_faults()
    yield from _kubernetes_faults()


def _gpu_faults() -> Iterator[Fault]:
    dcgm = "DCGM_FI_DEV_"
    scrape = {"instance": f"{node(3)}:9400", "job": "dcgm-exporter", **place(3, 2)}
    xid = Series("DCGM_EXP_XID_ERRORS_COUNT", {**scrape, "xid": "79", "window_size_in_ms": "300000"}, 1.0)
    yield Fault("xid-79", "none", {}, gone(), {"gpu/xid_fatal_counted": {**place(3, 2), "xid": "79"}}, (xid,))
    yield Fault("gpu-lost", "DCGM_*", gpu(5, 6), gone(), {"gpu/count_drop": {"hostname": node(5)}})
    yield _one("double-bit-error", dcgm + "ECC_DBE_VOL_TOTAL", gpu(7, 0), to(2), "gpu/ecc_uncorrectable", place(7, 0))
    yield _one("remap-failed", dcgm + "ROW_REMAP_FAILURE", gpu(9, 1), to(1), "gpu/row_remap_failed", place(9, 1))
    yield _one("hot", dcgm + "GPU_TEMP", gpu(11, 3), to(89), "gpu/temperature_high", place(11, 3))
    yield _one("slowed", "DCGM_EXP_CLOCK_EVENTS_COUNT", gpu(13, 3), to(290), "gpu/hw_slowdown", place(13, 3))
    yield _one("half-width", dcgm + "PCIE_LINK_WIDTH", gpu(15, 4), to(8), "gpu/pcie_width_reduced", place(15, 4))
    brake = dcgm + "CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS"
    yield _one("power-brake", brake, gpu(17, 5), plus(3e10), "gpu/power_brake_time", place(17, 5))
    recovery = dcgm + "GET_GPU_RECOVERY_ACTION"
    yield _one("wants-reset", recovery, gpu(19, 5), to(1), "gpu/recovery_action_wanted", place(19, 5))
    crc = dcgm + "NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL"
    yield _one("nvlink-crc", crc, gpu(21, 0), plus(60_000), "nvlink/crc_error_rate", place(21, 0))
    health = dcgm + "FABRIC_HEALTH_SUMMARY"
    yield _one("fabric-degraded", health, gpu(23, 1), to(2), "nvlink/fabric_health_degraded", place(23, 1))
    recovered = dcgm + "NVLINK_COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS"
    yield _one("nvlink-recovers", recovered, gpu(25, 1), plus(4), "nvlink/link_recovery", place(25, 1))
    target = {"instance": f"{node(27)}:9400"}
    yield Fault("gpu-exporter-dies", "DCGM_*", target, gone(), {"gpu/exporter_down": {"node": node(27)}})
    yield Fault("target-down", "up", target, to(0), {"exposure/scrape_target_down": target})


def _fabric_faults() -> Iterator[Fault]:
    ib = "node_infiniband_"
    yield _one("port-down", ib + "state_id", port(31, 4), to(1), "fabric/ib_port_down", port(31, 4))
    sent = ib + "port_data_transmitted_bytes_total"
    silent = {"fabric/ib_rail_silent": port(31, 4)}
    yield Fault("rail-silent", sent, port(31, 4), flat(), silent, may=("fabric/rdma_throughput_uneven",))
    yield _one("flaps", ib + "link_downed_total", port(33, 2), plus(0.2), "fabric/ib_link_flap", port(33, 2))
    yield _one(
        "symbol-errors", ib + "symbol_error_total", port(35, 7), plus(50), "fabric/ib_symbol_errors", port(35, 7)
    )
    slow = ib + "rate_bytes_per_second"
    yield _one("half-rate", slow, port(37, 1), to(2.5e10), "fabric/ib_rate_degraded", port(37, 1))
    yield Fault("adapter-gone", ib + "*", port(39, 8), gone(), {"fabric/ib_hca_missing": host(39)})
    late = ib + "out_of_sequence_packets_received_total"
    yield _one("out-of-sequence", late, port(41, 0), plus(8e7), "fabric/roce_out_of_sequence", port(41, 0))


def _host_faults() -> Iterator[Fault]:
    yield _one("oom-kill", "node_vmstat_oom_kill", host(51), plus(1), "host/oom_kill", host(51))
    yield _one("conntrack", "node_nf_conntrack_entries", host(53), to(1_047_000), "host/conntrack_full", host(53))
    yield _one("stuck-io", "node_procs_blocked", host(55), to(60), "host/d_state_processes", host(55))
    root = {**host(57), "mountpoint": "/"}
    yield _one("disk-full", "node_filesystem_avail_bytes", root, to(1e9), "storage/filesystem_space_low", root)
    local = {**host(59), "mountpoint": "/local"}
    yield _one("read-only", "node_filesystem_readonly", local, to(1), "storage/filesystem_turned_readonly", local)
    yield _one("arp-full", "node_arp_entries", {**host(61), "device": "eth0"}, to(1020), "host/arp_table_near_limit",
               host(61))  # fmt: skip
    resent = "node_netstat_Tcp_RetransSegs"
    yield _one("retransmissions", resent, host(63), plus(90_000), "host/tcp_retransmissions", host(63))


def _kubernetes_faults() -> Iterator[Fault]:
    where = {"node": node(71)}
    ready = {**where, "condition": "Ready"}
    not_ready = {"workload/node_not_ready": where}
    yield Fault("node-lost", "kube_node_status_condition", {**ready, "status": "unknown"}, to(1), not_ready)
    yield Fault("node-lost", "kube_node_status_condition", {**ready, "status": "true"}, to(0), not_ready)
    yield _one("gpu-unhealthy", "kube_node_status_allocatable", {"node": node(73)}, to(7),
               "gpu/allocatable_below_capacity", {"node": node(73)})  # fmt: skip
    etcd = {"instance": "cp-1:2381"}
    yield _one("no-leader", "etcd_server_has_leader", etcd, to(0), "control_plane/etcd_no_leader", etcd)
    size = "etcd_mvcc_db_total_size_in_bytes"
    full = {"instance": "cp-2:2381"}
    yield _one("etcd-full", size, full, to(8.4e9), "control_plane/etcd_database_near_quota", full)
    daemon = {"namespace": "gpu", "daemonset": "network-operator"}
    yield _one("daemon-missing", "kube_daemonset_status_number_ready", daemon, to(1), "workload/daemonset_pods_missing",
               daemon)  # fmt: skip
    coredns = {"namespace": "kube-system", "deployment": "coredns"}
    yield _one("dns-short", "kube_deployment_status_replicas_available", coredns, to(1),
               "workload/deployment_replicas_short", coredns)  # fmt: skip
    scrape = {"instance": "kube-state-metrics:8080", "job": "kube-state-metrics"}
    crash = {"namespace": "train", "pod": "job-7", "container": "main"}
    reason = Series("kube_pod_container_status_waiting_reason", {**scrape, **crash, "reason": "CrashLoopBackOff"}, 1.0)
    yield Fault("crash-loop", "none", {}, gone(), {"workload/pod_crash_loop": crash}, (reason,))
    probe = {"instance": "https://train.example"}
    yield _one("endpoint-down", "probe_success", probe, to(0), "workload/endpoint_probe_failing", probe)

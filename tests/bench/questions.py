"""What is asked: varied questions in both languages, known codes, nonsense, and a pasted log."""

ENGLISH = """pods stuck in Pending after the upgrade
GPU has fallen off the bus
training job hangs at the first all-reduce
nodes NotReady one after the other
all requests return 503 since the rollout
certificate expired and kubelet cannot join
DNS lookups time out inside the cluster
etcd database space exceeded
the loss became NaN after restart
one slow rank holds back the entire run
ImagePullBackOff from the registry, rate limit
CrashLoopBackOff right after deploying a config change
conntrack table full, packets dropped
API server out of memory after a list of all pods
checkpoint upload takes an hour
NCCL watchdog timeout on 512 GPUs
infiniband link flaps and the job crashes
autoscaler removed the nodes with our jobs
load balancer sends traffic to terminated pods
no IP addresses left in the subnet
webhook fails and nothing can be created
a deleted namespace took production with it
node disk full because of container logs
helm upgrade removed the ingress
slow latency at p99 since we set CPU limits
OOMKilled although memory usage looks low
inference answers became gibberish
time drift between nodes breaks tokens
users see the data of another customer
loss spike after data loader change
how do I tune postgres vacuum
Xid 79
ncclSystemError: unhandled system error
""".splitlines()
KOREAN = """파드가 Pending에서 안 넘어가요
GPU가 버스에서 떨어졌다고 나옴
학습이 안 죽고 그냥 멈춰 있음
노드가 하나씩 NotReady로 빠집니다
배포하고 나서 503이 계속 납니다
인증서가 만료돼서 kubelet이 못 붙음
클러스터 안에서 DNS 조회가 느려요
etcd 용량이 꽉 찼다는 에러
재시작 후 loss가 NaN
이미지 pull이 너무 오래 걸림
설정 하나 바꿨는데 전체가 내려갔습니다
conntrack 테이블이 가득 찬 것 같은데
API 서버 메모리가 계속 올라가다 죽음
체크포인트 저장이 너무 느립니다
인피니밴드 링크가 자꾸 끊깁니다
오토스케일러가 우리 작업 노드를 지워 버림
서브넷에 IP가 부족하다고 함
웹훅이 죽어서 파드 생성이 안 됨
디스크가 가득 차서 파드가 쫓겨남
메모리는 남는데 OOMKilled가 뜹니다
응답이 이상한 글자로 나옴
특정 서버 GPU만 느린 것 같습니다
네임스페이스를 실수로 지웠어요
오늘 점심 메뉴 추천
""".splitlines()
LOG = """NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
NVRM: A GPU crash dump has been created. If possible, please run nvidia-bug-report.sh as root
node-17:2391:2467 [3] NCCL INFO [Service thread] Connection closed by localRank 3
node-17:2391:2511 [3] NCCL WARN NET/IB : Got completion from peer with error 12, opcode 0, len 0, vendor err 129
node-17:2391:2511 [3] NCCL INFO transport/net.cc:1134 -> 6 ncclSystemError
[E ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE)
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: train.py FAILED exitcode: -6 (pid: 2391)
pod_workers.go:1298] "Error syncing pod, skipping" err="failed to StartContainer with CrashLoopBackOff"
Warning  FailedScheduling  default-scheduler  0/128 nodes are available: 1 Insufficient nvidia.com/gpu
Warning  FailedMount  MountVolume.SetUp failed for volume "ckpt": context deadline exceeded
etcdserver: mvcc: database space exceeded; apply entries took too long [1.2s]
dial tcp 10.96.0.1:443: connect: connection refused
x509: certificate has expired or is not yet valid: current time 2025-03-11T03:13:02Z
kernel: nf_conntrack: nf_conntrack: table full, dropping packet
kernel: Memory cgroup out of memory: Killed process 48121 (python3) total-vm:91382012kB, anon-rss:67108864kB
INFO task nvidia-smi:9182 blocked for more than 120 seconds. Tainted: P OE 5.15.0-1053-aws
Readiness probe failed: HTTP probe failed with statuscode: 503
error: failed calling webhook "validate.policy.example": the server is currently unable to handle the request
Failed to pull image: toomanyrequests: You have reached your pull rate limit
kubelet: eviction manager: attempting to reclaim ephemeral-storage, DiskPressure, 97% used on /var/lib/containerd
"""
PASTE = (LOG + LOG)[:2000]
ALL = [*ENGLISH, *KOREAN, PASTE]


def anew(text: str, number: int) -> str:
    """The same question as nobody has asked it yet: a number behind it, or the text alone for the number 0."""
    return f"{text[: 2000 - 8]} {number}" if number else text

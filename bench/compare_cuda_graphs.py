#!/usr/bin/env python3
"""Compares what `litz partition --cudagraphs` takes with torch.fx.passes.backends.cudagraphs.

    python bench/compare_cuda_graphs.py build/release/bin/litz [--folder DIR] [--only NAME]

Exports small programs on fake CUDA tensors, so that no GPU is needed, as they are and decomposed, and
compares the sets by the names of their nodes. PyTorch's `getitem` and sizes are no nodes in Litz, and
sets that nobody reads are not proposed; they are left out first. What still differs is listed by node,
with what Litz says of it. Exits with 1 where a difference is none of those that
src/passes/partition/README.md explains. Needs PyTorch.
"""

import argparse
import collections
import json
import operator
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.passes.backends.cudagraphs import CudaGraphsSupport
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner

F = torch.nn.functional
nn = torch.nn
PROGRAMS = {}

def cuda(*sizes, dtype=torch.float32):
    return torch.empty(sizes, device="cuda", dtype=dtype)


def host(*sizes, dtype=torch.float32):
    return torch.empty(sizes, dtype=dtype)


def program(*inputs, modules=None):
    """Registers a function of `self` and inputs; `modules` makes what self holds."""

    def register(function):
        PROGRAMS[function.__name__] = (function, inputs, modules or dict)
        return function

    return register


def integers(*sizes):
    return lambda: cuda(*sizes, dtype=torch.int64)


def floats(*sizes):
    return lambda: cuda(*sizes)


def host_floats(*sizes):
    return lambda: host(*sizes)


def bools(*sizes):
    return lambda: cuda(*sizes, dtype=torch.bool)


# --- layers, all on the device ---


@program(floats(4, 8), modules=lambda: dict(a=nn.Linear(8, 16), b=nn.Linear(16, 4)))
def mlp(self, x):
    return self.b(F.relu(self.a(x)))


@program(floats(2, 3, 8, 8), modules=lambda: dict(c=nn.Conv2d(3, 4, 3), n=nn.BatchNorm2d(4)))
def convolution(self, x):
    return F.max_pool2d(F.relu(self.n(self.c(x))), 2)


@program(floats(2, 5, 8), modules=lambda: dict(n=nn.LayerNorm(8), p=nn.Linear(8, 24)))
def attention(self, x):
    q, k, v = self.p(self.n(x)).chunk(3, -1)
    return x + F.scaled_dot_product_attention(q, k, v)


@program(integers(3, 4), modules=lambda: dict(e=nn.Embedding(10, 6)))
def embedding(self, tokens):
    return self.e(tokens).mean(1)


@program(floats(3, 2, 4), modules=lambda: dict(r=nn.GRU(4, 5)))
def recurrent(self, x):
    y, h = self.r(x)
    return y.sum() + h.sum()


@program(floats(3, 8), modules=lambda: dict(d=nn.Dropout(0.5)))
def dropout_in_training(self, x):
    return self.d(x) * 2


@program(floats(2, 4, 6), modules=lambda: dict(g=nn.GroupNorm(2, 4)))
def group_norm(self, x):
    return F.gelu(self.g(x)).transpose(1, 2)


@program(floats(4, 5), integers(4))
def cross_entropy(self, x, target):
    return F.cross_entropy(x, target)


@program(floats(4, 5), floats(5, 3))
def einsum(self, a, b):
    return torch.einsum("ij,jk->ki", a, b).softmax(0)


@program(floats(4, 6))
def views_only(self, x):
    return x.t().reshape(2, 12)[1:].unsqueeze(0)


@program(floats(4, 6))
def several_results(self, x):
    values, places = x.topk(2)
    largest, where = x.max(1)
    return values * 2, places + where.unsqueeze(1), largest


@program(floats(4, 6))
def split_and_join(self, x):
    a, b, c = x.split(2, 1)
    return torch.cat([a + b, c, x[:, :1]], 1)


@program(floats(4, 6))
def constant_on_the_device(self, x):
    return x + torch.arange(6, device="cuda") + torch.full((4, 1), 2.0, device="cuda")


# --- the host between ---


@program(floats(4, 6))
def to_the_host_at_the_end(self, x):
    return (x * 2).relu().cpu()


@program(floats(4, 6))
def there_and_back(self, x):
    return (x * 2).cpu().exp().cuda() + x.relu()


@program(host_floats(4, 6))
def host_input(self, x):
    return (x + 1).cuda().relu() * 3


@program(floats(4, 6), host_floats(4, 6))
def two_devices(self, x, y):
    return x.exp() + y.sin().to("cuda"), y * 2


@program(floats(4, 6))
def host_factory(self, x):
    table = torch.arange(6)
    return x * 2 + (table * 3).to("cuda")


@program(floats(4, 6))
def host_number(self, x):
    return (x * torch.tensor(2.0)).relu() + 1


@program(floats(4, 6), host_floats())
def host_scalar_input(self, x, s):
    return (x * s).relu() * 2 + s


@program(floats(4, 6))
def host_twice(self, x):
    a = x.relu()
    b = a.cpu().sum().cuda()
    c = (a + b).exp()
    return c.cpu().sum().cuda() * c


@program(floats(4, 6))
def host_beside(self, x):
    a = x.relu() * 2
    return a, torch.ones(3).exp(), a.exp()


@program(floats(4, 6), host_floats(4, 6))
def side_branch_on_host(self, x, y):
    a = x.relu()
    return a.exp(), (y + a.cpu()).sum(), a.sin() + 1


@program(host_floats(4, 6))
def all_on_the_host(self, x):
    return (x + 1).relu()


@program(floats(4, 6), modules=lambda: dict(l=nn.Linear(6, 6)))
def assertion_of_metadata(self, x):
    return self.l(x.to(torch.float16).to(torch.float32)).to("cpu")


@program(floats(4, 6), floats(4, 6))
def copy_into(self, x, y):
    x.copy_(y * 2)
    return x.relu()


@program(floats(4, 6), host_floats(4, 6))
def copy_from_host(self, x, y):
    return (x.clone().copy_(y) + 1).relu()


@program(floats(4, 6), modules=lambda: dict(n=nn.BatchNorm1d(6).train()))
def mutated_buffer(self, x):
    return self.n(x * 2).relu()


@program(floats(4, 6), host_floats(4))
def host_index(self, x, i):
    return x[(i > 0).nonzero().flatten().numel() * 0] * 2 + x.relu().sum(0)


# --- what a recording cannot hold ---


@program(floats(4, 6), bools(4, 6))
def masked_put(self, x, m):
    y = x * 2
    y[m] = 0.0
    return y.relu()


@program(floats(4, 6), integers(3))
def index_put(self, x, i):
    y = x * 2
    y[i] = 1.0
    return y.relu()


@program(floats(4, 6), integers(3))
def index_add(self, x, i):
    return (x * 2).index_add(0, i, x[:3]).relu()


@program(floats(4, 6))
def nonzero(self, x):
    return (x.relu().nonzero() * 2).sum(), x.exp()


@program(floats(4, 6))
def item(self, x):
    n = x.sum().item()
    return x.relu() * n + 1


@program(floats(4, 6), bools(4, 6))
def masked_select(self, x, m):
    return x.exp()[m].sum() + x.sum()


@program(floats(4, 4))
def eigenvalues(self, x):
    values, vectors = torch.linalg.eigh(x @ x.t())
    return values * 2, vectors.relu()


@program(floats(4, 4))
def inverse(self, x):
    return torch.linalg.inv(x * 2).relu()


@program(floats(4, 4))
def singular_values(self, x):
    u, s, v = torch.linalg.svd(x + 1)
    return u @ torch.diag(s) @ v


@program(floats(4, 4))
def factor(self, x):
    return torch.linalg.cholesky(x @ x.t()).exp()


@program(floats(8))
def unique(self, x):
    return x.relu().unique().sum() + x.sum()


@program(floats(4, 6))
def condition(self, x):
    return torch.cond(x.sum() > 0, lambda y: y * 2, lambda y: y.exp(), (x.relu(),)) + 1


@program(floats(4, 6), integers())
def dynamic_slice(self, x, n):
    return x.relu()[: n.item()].sum() + 1


# --- random numbers, statistics, transforms, sorting ---


@program(floats(4, 6))
def random_numbers(self, x):
    return torch.rand_like(x) * x + torch.randn(4, 6, device="cuda")


@program(floats(4, 6))
def host_random_numbers(self, x):
    return (torch.rand(4, 6)).cuda() * x.relu()


@program(floats(4, 8))
def fourier(self, x):
    return torch.fft.irfft(torch.fft.rfft(x) * 2)


@program(floats(4, 8))
def sorting(self, x):
    return x.sort()[0].cumsum(1), x.argsort(descending=True) + 1


@program(floats(4, 8))
def statistics(self, x):
    return torch.var_mean(x, 1), x.std(), x.norm()


@program(floats(1, 2, 4, 4))
def resampled(self, x):
    return F.interpolate(x, scale_factor=2.0, mode="bilinear").relu()


@program(floats(4, 6), floats(4, 6), bools(4, 6))
def choice(self, x, y, m):
    return torch.where(m, x.exp(), y.clamp(0, 1)).masked_fill(m, 0.0)


@program(floats(4, 6))
def half_precision(self, x):
    with torch.autocast("cuda", dtype=torch.float16):
        return (x @ x.t()).relu()


@program(floats(4, 6))
def no_gradients(self, x):
    with torch.no_grad():
        y = x * 2
    return y.relu()


@program(floats(6))
def checked(self, x):
    torch._assert_async((x.sum() > 0), "sums are positive")
    return x.relu()


@program(floats(4, 6))
def not_read(self, x):
    unused = (x * 3).exp()
    del unused
    return x.relu() + 1


class Model(nn.Module):
    def __init__(self, function, modules):
        super().__init__()
        self.function = function
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def exported(name):
    """The program as it is and decomposed."""
    function, inputs, modules = PROGRAMS[name]
    with FakeTensorMode(allow_non_fake_inputs=True):
        with torch.device("cuda"):
            held = modules()
        model = Model(function, held)
        raw = torch.export.export(model, tuple(make() for make in inputs), strict=False)
        yield "raw", raw
        yield "core", raw.run_decompositions()


def is_size(node):
    return isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool))


def is_node_of_sets(node):
    if node.op != "call_function" or node.target is operator.getitem or is_size(node):
        return False
    return "sym_size" not in str(node.target)


def is_dead(node):
    schema = getattr(node.target, "_schema", None)
    writes = schema is not None and (schema.is_mutable or not schema.returns)
    return not writes and all(is_dead(user) for user in node.users) and node.op == "call_function"


def upstream_sets(graph_module):
    for node in graph_module.graph.nodes:  # What has no result says so only after a propagation.
        if "val" not in node.meta:
            node.meta["fake_result"] = None
    partitions = CapabilityBasedPartitioner(
        graph_module, CudaGraphsSupport(), allows_single_node_partition=True).propose_partitions()
    sets = [{node.name for node in each.nodes if is_node_of_sets(node)}
            for each in partitions if not all(map(is_dead, each.nodes))]
    return [each for each in sets if each]


def litz_sets(litz, path):
    result = subprocess.run([litz, "partition", str(path), "--cudagraphs", "--single-nodes", "--json"],
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip().splitlines()[0])
    graph = json.loads(result.stdout)["graphs"][0]
    sets = [{name for node in each["nodes"] for name in names_of(node)}
            for each in graph["partitions"]]
    return sets, {name: line for line in graph["left_out"] for name in names_of(line["node"])}


def names_of(node):
    return [name.strip().lstrip("%") for name in node.split(",")]


def explanation(node, reason):
    """Which row of the README tells why PyTorch alone takes a node; nothing where none does."""
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return "a node with a body"
    if "depends on data" in reason or "_assert_scalar" in str(node.target):
        return "depends on data"
    if "waits for the device" in reason:
        return "waits for the device"
    return None


def compare(ours, theirs, left_out, graph):
    """What differs: pairs of a line and its explanation; empty where sets are equal."""
    if sorted(map(sorted, ours)) == sorted(map(sorted, theirs)):
        return []
    taken, upstream = set().union(*ours), set().union(*theirs)
    nodes = {node.name: node for node in graph.nodes}
    differences = []
    for name in sorted(upstream - taken):
        reason = left_out[name]["reason"] if name in left_out else ""
        differences.append((f"{name} is only PyTorch's: {reason}", explanation(nodes[name], reason)))
    differences += [(f"{name} is only Litz's", None) for name in sorted(taken - upstream)]
    if differences:
        return differences
    fewer = "fewer sets of the same nodes" if len(ours) < len(theirs) else None
    return [(f"the same nodes, in {len(ours)} sets here and {len(theirs)} there", fewer)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("litz")
    parser.add_argument("--folder", type=pathlib.Path, help="where programs are written")
    parser.add_argument("--only", default="", help="only programs whose name contains this")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    folder = arguments.folder or pathlib.Path(tempfile.mkdtemp(prefix="cuda_graphs_"))
    folder.mkdir(parents=True, exist_ok=True)
    counts = collections.Counter()
    for name in PROGRAMS:
        if arguments.only not in name:
            continue
        for form, exported_program in exported(name):
            path = folder / f"{name}.{form}.pt2"
            torch.export.save(exported_program, path)
            ours, left_out = litz_sets(arguments.litz, path)
            theirs = upstream_sets(exported_program.graph_module)
            differences = compare(ours, theirs, left_out, exported_program.graph_module.graph)
            counts["programs"] += 1
            counts["equal"] += not differences
            for line, why in differences:
                print(f"{name}.{form}: {line} [{why or 'not explained'}]")
            for why in {why for _, why in differences}:
                counts[why or "not explained"] += 1
    print(json.dumps(counts))
    return 1 if counts["not explained"] else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares buckets and schedules of a GPT-2-like FSDP step with those of PyTorch's own pass.

    python bench/compare_overlap.py LITZ [--layers 4] [--width 768] [--ranks 8]

needs PyTorch 2.15; the process group is a fake one. Both passes get the same graph and the same
formulas for times, those of `litz buckets` for a hopper cluster: one stream of computation, and one
queue of collectives. The table has collectives left, and microseconds in which computation waits.
"""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives  # Registers the operators.
from torch._inductor.fx_passes import overlap_scheduling
from torch.testing._internal.distributed.fake_pg import FakeStore

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "fsdp"))
import gpt2_step  # noqa: E402

VIEWS = ("view", "t", "transpose", "permute", "expand", "split", "split_with_sizes", "slice", "select",
         "alias", "_unsafe_view", "unsqueeze", "squeeze", "as_strided", "detach", "reshape", "empty")


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in tensors(each)]
    return []


def size_of(value):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors(value))


def values(node):
    return tensors(node.meta.get("val"))


def op_name(node):
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return ""
    return node.target._schema.name


class Times:
    """The formulas of src/machine/cluster.cpp and src/passes/overlap/prices.cpp."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.nodes = -(-ranks // 8)

    def collective(self, name, total):
        goes_twice = "all_reduce" in name
        steps = (2 if goes_twice else 1) * (self.ranks - 1)
        between = 0 if self.nodes == 1 else 2 * self.nodes if goes_twice else self.nodes - 1
        between = min(between, steps)
        protocol = (141, 39, 20.4)[min(self.nodes, 3) - 1]
        link = 300 if self.nodes == 1 else 25
        bus = min(protocol, 2 * link * (1 / 4 if self.nodes > 1 or goes_twice else 1 / 3))
        latency = 6.6 + (steps - between) * (0.6 if self.nodes == 1 else 1.0) + between * 2.7
        return total / (bus * self.ranks / steps * 1e3) + latency

    def of(self, node, override=None):
        """Microseconds; None for what is no operator."""
        name = op_name(node)
        if not name or "wait_tensor" in name:
            return None
        if name.startswith("_c10d_functional::"):
            given = size_of([each.meta.get("val") for each in node.args[0:1]
                             if isinstance(each, torch.fx.Node)])
            made = size_of(node.meta.get("val"))
            total = override if override is not None else given + made
            return self.collective(name, total)
        if name.split("::")[-1] in VIEWS:
            return 0.0
        given = [each.meta.get("val") for each in node.all_input_nodes]
        made = node.meta.get("val")
        operations = 0
        if name in ("aten::mm", "aten::bmm"):
            operations = 2 * made.numel() * given[0].shape[-1]
        if name == "aten::addmm":
            operations = 2 * made.numel() * given[1].shape[-1]
        total = size_of(given) + size_of(made)
        return max(operations / 50e6, total / 4000e3)


def timeline(graph, times):
    """Total and exposed microseconds, in the order of the graph."""
    now = free = computed = 0.0
    ends = {}
    for node in graph.nodes:
        name = op_name(node)
        if "wait_tensor" in name:
            start = node.args[0]
            now = max(now, ends.get(start, 0.0))
            ends[node] = now
        elif name.startswith("_c10d_functional::"):
            free = max(now, free) + times.of(node)
            ends[node] = free
        else:
            taken = times.of(node) or 0.0
            now += taken
            computed += taken
    total = max(now, free)
    return total, total - computed


def counts(graph):
    found = {}
    for node in graph.nodes:
        name = op_name(node)
        if name.startswith("_c10d_functional::") and "wait" not in name:
            name = name.split("::")[1].removesuffix("_out")
            found[name] = found.get(name, 0) + 1
    return found


def upstream(program, times, **options):
    # A copy: the program is exported afterwards.
    module = torch.fx.GraphModule(program.graph_module, copy.deepcopy(program.graph))

    def estimate(node, override):
        taken = times.of(node, override)
        return None if taken is None else taken / 1e3

    overlap_scheduling.schedule_overlap_bucketing(
        module, custom_runtime_estimation=estimate, compute_estimator="analytical",
        collective_estimator="analytical", **options)
    return module.graph


def litz(binary, path, *flags):
    run = subprocess.run([binary, "buckets", path, "--json", "--machine", "hopper", *flags],
                         check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def show(name, found, total, exposed):
    kinds = ("all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce")
    numbers = " + ".join(str(found.get(kind, 0)) for kind in kinds)
    print(f"{name:34} {numbers:14} {total:12.1f} {exposed:12.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("litz")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--words", type=int, default=8192)
    parser.add_argument("--ranks", type=int, default=8)
    options = vars(parser.parse_args())
    binary = options.pop("litz")
    size = gpt2_step.Size(**options)
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=size.ranks)
    program = gpt2_step.exported(size)
    times = Times(size.ranks)
    print(f"{size}\n{'':34} {'AG + RS + AR':14} {'total us':>12} {'exposed us':>12}")
    show("PyTorch, as exported", counts(program.graph), *timeline(program.graph, times))
    for name, flags in (("PyTorch, scheduled", {"pre_bucketing_fsdp_collectives": False}),
                        ("PyTorch, scheduled and joined", {"collective_bucketing": True}),
                        ("PyTorch, joined after", {"collective_bucketing": True,
                                                   "pre_bucketing_fsdp_collectives": False})):
        graph = upstream(program, times, **flags)
        show(name, counts(graph), *timeline(graph, times))
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "step.pt2")
        torch.export.save(program, path)
        before = litz(binary, path, "--cap", "0")
        show("Litz, as exported", before["before"], before["total_us"], before["exposed_us"])
        for name, flags in (("Litz, scheduled", ("--cap", "0", "--schedule")),
                            ("Litz, joined and scheduled",
                             ("--world", str(size.ranks), "--nodes", str(times.nodes))),
                            ("Litz, joined after", ("--join-after",))):
            found = litz(binary, path, *flags)
            show(name, found["after"], found["total_us"], found["exposed_us"])


if __name__ == "__main__":
    main()

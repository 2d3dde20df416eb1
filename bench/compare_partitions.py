#!/usr/bin/env python3
"""Compares the sets of `litz partition` with those of PyTorch's own partitioner.

    python bench/compare_partitions.py build/release/bin/litz FOLDER... [--cases 400] [--seed 0]

Takes exported programs (.pt2) from the folders, chooses operators of each at random, and counts the
sets that torch.fx's CapabilityBasedPartitioner and Litz propose for them, with and without joins of
nodes that no edge connects. Sizes of tensors are nodes there but not in Litz, so they are never
chosen. Lists every case in which Litz has more, and why: PyTorch's sets do not see writes to memory,
and Litz gives a symbol that the file records for a place of a view nodes of its own. Tells how often
PyTorch's sets need each other, so that they cannot be fused. Exits with 1 where more sets have no
reason. Needs PyTorch.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import warnings

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase


def packet(node):
    """The operator without its overload, as Litz spells it: "aten.add"."""
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return None
    return node.target._schema.name.replace("::", ".")


def is_element(node):
    return node.op == "call_function" and node.target.__name__ == "getitem"


class Support(OperatorSupportBase):
    def __init__(self, operators):
        self.operators = operators

    def is_node_supported(self, submodules, node):
        while is_element(node):  # Litz has no such nodes: results belong to their producer.
            node = node.args[0]
        return packet(node) in self.operators


def upstream_sets(program, operators, connected, single_nodes=True):
    partitioner = CapabilityBasedPartitioner(
        program.graph_module,
        Support(operators),
        allows_single_node_partition=single_nodes,
        skip_horizontal_fusion=connected,
    )
    return [set(partition.nodes) for partition in partitioner.propose_partitions()]


def need_each_other(graph, sets):
    """True if the sets cannot all be fused together."""
    unit = {node: number for number, members in enumerate(sets) for node in members}
    units = {node: unit.get(node, node) for node in graph.nodes}
    waits = {}
    for node in graph.nodes:
        waits.setdefault(units[node], set())
        for operand in node.all_input_nodes:
            if units[operand] != units[node]:
                waits[units[node]].add(units[operand])
    while waits:
        ready = [each for each, before in waits.items() if not before & waits.keys()]
        if not ready:
            return True
        for each in ready:
            del waits[each]
    return False


def litz_sets(litz, path, operators, connected, single_nodes=True):
    command = [litz, "partition", str(path), "--json", "--ops", ",".join(operators)]
    command += ["--single-nodes"] * single_nodes + ["--connected"] * connected
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip().splitlines()[0])
    return json.loads(result.stdout)["graphs"][0]


READS_NUMBER = ("aten.item", "aten._local_scalar_dense")


def has_own_symbols(program, graph):
    """True if Litz has more nodes that read numbers than the program has."""
    operators = [name for each in graph["partitions"] for name in each["operators"]]
    operators += [line["operator"] for line in graph["left_out"]]
    read = sum(name in READS_NUMBER for name in operators)
    return read > sum(packet(node) in READS_NUMBER for node in program.graph.nodes)


def choose(rng, program):
    names = {name for name in map(packet, program.graph.nodes) if name}
    known = sorted(name for name in names if not name.startswith("aten.sym_"))
    return [name for name in known if rng.random() < rng.choice((0.3, 0.5, 0.8))] or known[:1]


def writes(program):
    return any(
        node.target._schema.is_mutable for node in program.graph.nodes if packet(node) is not None
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("litz")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--choices", type=int, default=2, help="random choices for each program")
    parser.add_argument("--least-nodes", type=int, default=3, help="smaller programs are left out")
    parser.add_argument("--most-nodes", type=int, default=600, help="PyTorch takes minutes beyond")
    parser.add_argument("--no-single-nodes", action="store_true", help="drop sets of one node")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    rng = random.Random(arguments.seed)
    paths = sorted(path for folder in arguments.folders for path in folder.rglob("*.pt2"))
    rng.shuffle(paths)
    counts = {False: dict(cases=0, ours=0, theirs=0, fewer=0, more=0, cyclic=0)}
    counts[False]["more without a reason"] = 0
    counts[True] = dict(counts[False])
    refused = 0
    single = not arguments.no_single_nodes
    for path in paths:
        if counts[False]["cases"] >= arguments.cases:
            break
        try:
            program = torch.export.load(path)
        except Exception as error:  # Another version, or missing operators.
            print(f"{path}: PyTorch refuses it: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        calls = sum(node.op == "call_function" for node in program.graph.nodes)
        if not arguments.least_nodes <= calls <= arguments.most_nodes:
            continue
        for _ in range(arguments.choices):
            operators = choose(rng, program)
            if not operators:
                break
            for connected in (False, True):
                try:
                    graph = litz_sets(arguments.litz, path, operators, connected, single)
                except RuntimeError as error:
                    print(f"{path}: {error}", file=sys.stderr)
                    refused += 1
                    break
                ours = graph["partitions"]
                theirs = upstream_sets(program, operators, connected, single)
                count = counts[connected]
                count["cases"] += 1
                count["ours"] += len(ours)
                count["theirs"] += len(theirs)
                count["fewer"] += len(ours) < len(theirs)
                cyclic = need_each_other(program.graph, theirs)
                count["cyclic"] += cyclic
                if len(ours) > len(theirs):
                    count["more"] += 1
                    notes = ["writes"] * writes(program) + ["PyTorch's cannot be fused"] * cyclic
                    notes += ["symbols of its own"] * has_own_symbols(program, graph)
                    count["more without a reason"] += not notes
                    print(
                        f"more: {path} {len(ours)} > {len(theirs)} {'connected' if connected else ''} "
                        f"{','.join(operators)} {'; '.join(notes)}"
                    )
    for connected, count in counts.items():
        print("connected" if connected else "joined", json.dumps(count))
    print("refused", refused)
    return 1 if any(count["more without a reason"] for count in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

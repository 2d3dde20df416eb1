#!/usr/bin/env python3
"""Exports programs of one rank of a group of four, and what PyTorch's bucketing leaves of them.

    python tests/data/fsdp/export.py tests/data/fsdp
    python tests/data/fsdp/export.py /tmp/large --ranks 2 --width 1024    for measurements

needs PyTorch 2.15; no second process, since the group is a fake one. manifest.jsonl has, for every
program, how many collectives there are before and after PyTorch's own passes, by cap in MB.
"""

import argparse
import json
import pathlib
import zipfile

import numpy
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives  # Registers the operators.
from torch._inductor.fx_passes import bucketing
from torch.testing._internal.distributed.fake_pg import FakeStore

import gpt2_step  # Beside this file.

RANKS = 4
WIDTH = 16
CAPS = (0.001, 0.002, 0.004, 0.01, 2000.0)
C10D = torch.ops._c10d_functional


class EqualRanks:
    """Collectives of ranks that all have the same tensors, as rank 0 sees them."""

    def all_gather_into_tensor(self, tensor, ranks, group):
        return torch.cat([tensor] * ranks)

    def reduce_scatter_tensor(self, tensor, reduction, ranks, group):
        assert reduction == "avg"
        return tensor.chunk(ranks)[0]

    def all_reduce(self, tensor, reduction, group):
        assert reduction == "sum"
        return tensor * RANKS

    def wait_tensor(self, tensor):
        return tensor


def gathered(shard):
    return C10D.wait_tensor(C10D.all_gather_into_tensor(shard, RANKS, "0"))


def scattered(gradient):
    return C10D.wait_tensor(C10D.reduce_scatter_tensor(gradient, "avg", RANKS, "0"))


class Block(torch.nn.Module):
    """A GPT-2-like block; every parameter is a shard along its first dimension."""

    def __init__(self):
        super().__init__()
        for name, rows in (("qkv", 3 * WIDTH), ("proj", WIDTH), ("up", 4 * WIDTH), ("down", WIDTH)):
            columns = 4 * WIDTH if name == "down" else WIDTH
            self.register_parameter(name, torch.nn.Parameter(torch.randn(rows // RANKS, columns) / 8))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, x):
        q, k, v = torch.nn.functional.linear(self.norm(x), gathered(self.qkv)).chunk(3, -1)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + torch.nn.functional.linear(y, gathered(self.proj))
        up = torch.nn.functional.gelu(torch.nn.functional.linear(x, gathered(self.up)))
        return x + torch.nn.functional.linear(up, gathered(self.down))


class Forward(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block() for _ in range(3)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class HalfForward(torch.nn.Module):
    """Parameters are gathered in half precision."""

    def __init__(self):
        super().__init__()
        self.shards = torch.nn.ParameterList(
            [torch.nn.Parameter(torch.randn(WIDTH // RANKS, WIDTH) / 4) for _ in range(6)])

    def forward(self, x):
        for shard in self.shards:
            x = torch.relu(torch.nn.functional.linear(x, gathered(shard.to(torch.bfloat16))))
        return x


class Step(torch.nn.Module):
    """A training step of linear layers by hand: gathers, gradients, scatters, a summed loss."""

    def __init__(self):
        super().__init__()
        self.shards = torch.nn.ParameterList(
            [torch.nn.Parameter(torch.randn(WIDTH // RANKS, WIDTH) / 4) for _ in range(4)])

    def forward(self, x):
        weights = []
        inputs = []
        for shard in self.shards:
            weights.append(gathered(shard))
            inputs.append(x)
            x = torch.tanh(x @ weights[-1])
        loss = C10D.wait_tensor(C10D.all_reduce((x * x).sum(), "sum", "0"))
        count = C10D.wait_tensor(C10D.all_reduce(torch.ones([]) * x.shape[0], "sum", "0"))
        gradient = 2 * x
        results = []
        for weight, given in zip(reversed(weights), reversed(inputs)):
            gradient = gradient * (1 - x * x)
            results.append(scattered(given.t() @ gradient))
            gradient = gradient @ weight.t()
            x = given
        return loss / count, *results


class Chain(torch.nn.Module):
    """What is reduced depends on what was reduced before, in two chains."""

    def forward(self, x, y):
        def twice(value):
            total = C10D.wait_tensor(C10D.all_reduce(value.exp(), "sum", "0"))
            return C10D.wait_tensor(C10D.all_reduce(value.exp() / total, "sum", "0"))

        return twice(x), twice(y)


def programs(rows):
    return {
        "gpt2_forward": (Forward, (torch.randn(2, rows or 4, WIDTH),)),
        "half_forward": (HalfForward, (torch.randn(rows or 3, WIDTH, dtype=torch.bfloat16),)),
        "step": (Step, (torch.randn(rows or 5, WIDTH),)),
        "chain": (Chain, (torch.randn(5), torch.randn(7))),
    }


def make_small_again(module):
    """Weights of large programs have a period, so that archives of their files are small."""
    for parameter in module.parameters():
        values = torch.arange(parameter.numel()) % 13 - 6
        parameter.data = (values / (20 * WIDTH ** 0.5)).reshape(parameter.shape)


def without_paths(archive):
    """Writes an archive again without the folders of this machine in its source lines."""
    folders = [str(pathlib.Path(__file__).resolve().parent) + "/",
               str(pathlib.Path(torch.__file__).resolve().parent.parent) + "/"]
    with zipfile.ZipFile(archive) as old:
        entries = [(info, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as new:
        for info, data in entries:
            if info.filename.endswith(".json"):
                for folder in folders:
                    data = data.replace(folder.encode(), b"")
            entry = zipfile.ZipInfo(info.filename, info.date_time)
            # Tensors begin at multiples of 64 bytes, as PyTorch writes them.
            start = new.fp.tell() + 30 + len(info.filename) + 4
            padding = -start % 64
            entry.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
            new.writestr(entry, data)


def counts(graph):
    found = {}
    for node in graph.nodes:
        name = str(node.target)
        if name.startswith("_c10d_functional.") and "wait" not in name:
            name = name.removeprefix("_c10d_functional.").removesuffix(".default").removesuffix("_out")
            found[name] = found.get(name, 0) + 1
    return found


def after_upstream(program, cap):
    module = program.module()
    module = torch.fx.GraphModule(module, module.graph)
    bucketing.bucket_reduce_scatter(module, lambda index: cap)
    bucketing.bucket_all_reduce(module, lambda index: cap)
    bucketing.bucket_all_gather(module, lambda index: cap)
    return counts(module.graph)


def record(folder, name, module, inputs):
    """What every rank gives if all have the same shards and inputs."""
    global C10D
    real, C10D = C10D, EqualRanks()
    outputs = module(*inputs)
    C10D = real
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    numpy.savez(folder / f"{name}.inputs.npz",
                **{f"in{i}": tensor.numpy() for i, tensor in enumerate(inputs)})
    numpy.savez(folder / f"{name}.expected.npz",
                **{f"out{i}": tensor.numpy() for i, tensor in enumerate(outputs)})


def save(folder, name, program):
    """Writes a program; returns its line of the manifest."""
    torch.export.save(program, folder / f"{name}.pt2")
    without_paths(folder / f"{name}.pt2")
    line = {"name": name, "world": RANKS, "before": counts(program.graph), "after": {}}
    for cap in CAPS:
        line["after"][f"{cap:g}"] = after_upstream(program, cap)
    return json.dumps(line)


def main():
    global RANKS, WIDTH
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=RANKS)
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--rows", type=int, help="of inputs")
    arguments = parser.parse_args()
    folder = arguments.folder
    is_large = arguments.width > WIDTH
    RANKS, WIDTH = arguments.ranks, arguments.width
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=RANKS)
    lines = []
    for name, (kind, inputs) in programs(arguments.rows).items():
        torch.manual_seed(0)
        module = kind().eval()
        if is_large:
            make_small_again(module)
        with torch.no_grad():
            program = torch.export.export(module, inputs)
            if name != "half_forward":  # Its inputs have no NumPy type.
                record(folder, name, module, inputs)
        lines.append(save(folder, name, program))
    lines.append(save(folder, "gpt2_step", gpt2_step.exported(gpt2_step.Size(ranks=RANKS))))
    print(*lines, sep="\n")
    (folder / "manifest.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

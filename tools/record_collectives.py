#!/usr/bin/env python3
"""Records what PyTorch's collectives give on several processes (Gloo).

    python tools/record_collectives.py tests/data/collectives.jsonl

needs PyTorch, which the project itself does not. One line a call: the operator, its arguments besides
the tensor and the group, the dtype, and of every rank the sizes and elements of operand and result.
Elements are small whole numbers, so that no order of a sum rounds.
"""

import json
import pathlib
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives  # Registers the operators.
import torch.multiprocessing

RANKS = 3
REDUCTIONS = ("sum", "avg", "product", "min", "max", "band", "bor", "bxor")
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64,
          torch.uint8, torch.int8, torch.bool)


def operand(rank, sizes, dtype):
    count = 1
    for size in sizes:
        count *= size
    values = [(7 * i + 5 * rank + i * rank) % (2 if dtype == torch.bool else 5) for i in range(count)]
    return torch.tensor(values).reshape(sizes).to(dtype)


def calls():
    """(operator, arguments before and after the group's size, operand sizes by rank)."""
    for reduction in REDUCTIONS:
        yield "all_reduce", [reduction], [[2, 3]] * RANKS
        yield "reduce_scatter_tensor", [reduction, RANKS], [[2 * RANKS, 2]] * RANKS
    yield "all_gather_into_tensor", [RANKS], [[2, 2]] * RANKS
    yield "all_gather_into_tensor", [RANKS], [[]] * RANKS
    for root in range(RANKS):
        yield "broadcast", [root], [[2, 2]] * RANKS


def split_calls():
    """all_to_all_single: rows that each rank sends to each rank."""
    yield [[1, 1, 1]] * RANKS
    yield [[0, 2, 1], [3, 0, 0], [1, 1, 2]]


def flat(tensor):
    return {"sizes": list(tensor.shape), "elements": tensor.to(torch.float64).flatten().tolist()}


def call(name, arguments, tensor):
    try:
        function = getattr(torch.ops._c10d_functional, name)
        return flat(torch.ops._c10d_functional.wait_tensor(function(tensor, *arguments, "0")))
    except Exception as error:  # Any exception of PyTorch: a back end lacks the combination.
        return str(error).split("\n")[0]


def run(rank, store, results):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=RANKS)
    lines = []
    for dtype in DTYPES:
        for name, arguments, sizes in calls():
            given = operand(rank, sizes[rank], dtype)
            lines.append((name, arguments, dtype, flat(given), call(name, arguments, given)))
        for sent in split_calls():
            received = [sent[other][rank] for other in range(RANKS)]
            given = operand(rank, [sum(sent[rank]), 2], dtype)
            arguments = [received, sent[rank]]
            lines.append(("all_to_all_single", arguments, dtype, flat(given),
                          call("all_to_all_single", arguments, given)))
    results[rank] = lines
    dist.destroy_process_group()


def main():
    with tempfile.TemporaryDirectory() as folder, torch.multiprocessing.Manager() as manager:
        results = manager.dict()
        torch.multiprocessing.spawn(run, args=(folder + "/store", results), nprocs=RANKS)
        by_rank = [results[rank] for rank in range(RANKS)]
    out = []
    for ranks in zip(*by_rank):
        if any(isinstance(line[4], str) for line in ranks):
            continue
        out.append(json.dumps({
            "operator": ranks[0][0], "dtype": str(ranks[0][2]).removeprefix("torch."),
            "arguments": [line[1] for line in ranks], "operands": [line[3] for line in ranks],
            "results": [line[4] for line in ranks]}))
    pathlib.Path(sys.argv[1]).write_text("\n".join(out) + "\n")
    print(f"{len(out)} calls recorded, {len(by_rank[0]) - len(out)} refused by PyTorch")


if __name__ == "__main__":
    main()

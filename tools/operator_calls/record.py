"""Records what PyTorch gives for the sample calls of every operator.

    python tools/operator_calls/record.py build/release/bin/litz-corpus tests/data/calls

needs PyTorch, which the project itself does not. Writes DIR/manifest.jsonl and DIR/values.bin, which
`litz-corpus calls DIR` compares with, and DIR/unrecorded.txt with the samples that PyTorch refuses or
does not have, which `--known` takes.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import warnings

import numpy
import torch

from calls import (Pack, call_text, call_torch, elements, flat_tensors, parse_call, torch_operator,
                   without_free_symbols)


def sample_tensor(spec, random):
    """Values in the half-open range of a sample, at its strides."""
    dtype = getattr(torch, spec["dtype"])
    sizes, low, high = spec["sizes"], spec["lo"], spec["hi"]
    if dtype.is_complex:
        parts = random.uniform(low, high, [*sizes, 2])
        dense = torch.view_as_complex(torch.tensor(parts)).to(dtype)
    elif dtype.is_floating_point:
        dense = torch.tensor(random.uniform(low, high, sizes)).to(dtype)
    else:
        dense = torch.tensor(random.integers(int(low), max(int(high), int(low) + 1), sizes)).to(dtype)
    return with_strides(dense, spec["strides"])


def with_strides(dense, strides):
    if list(dense.stride()) == strides or dense.numel() == 0:
        return dense
    extent = 1 + sum((size - 1) * stride for size, stride in zip(dense.shape, strides))
    strided = torch.zeros(extent, dtype=dense.dtype).as_strided(dense.shape, strides)
    if 0 in strides:  # All logical elements of an expanded tensor are equal.
        index = [0 if stride == 0 else slice(None) for stride in strides]
        dense = dense[tuple(index)]
        strided[tuple(index)].copy_(dense)
        return strided
    return strided.copy_(dense)


def record(line, pack):
    """Adds the recorded call to the pack; returns why it cannot be recorded, or None."""
    operator = torch_operator(line["op"])
    if operator is None:
        return "PyTorch has no such overload"
    seed = int.from_bytes(hashlib.sha256(line["case"].encode()).digest()[:8], "little")
    random = numpy.random.default_rng(seed)
    inputs = [sample_tensor(spec, random) for spec in line["inputs"]]
    packed = [pack.add(tensor) for tensor in inputs]
    before = [elements(tensor) for tensor in inputs]
    arguments = without_free_symbols(parse_call(line["call"]))
    entry = {"case": line["case"], "op": line["op"], "call": call_text(arguments), "inputs": packed}
    try:
        outputs = flat_tensors(call_torch(operator, arguments, inputs))
        if line["op"].startswith("_c10d_functional"):
            outputs = [torch.ops._c10d_functional.wait_tensor(output) for output in outputs]
    except Exception as error:  # Any exception of PyTorch.
        # In-place forms share the samples of functional ones, but cannot hold the results of all.
        if not operator._schema.is_mutable:
            return f"{type(error).__name__}: {error}".split("\n")[0][:120]
    else:
        entry["outputs"] = [pack.add(tensor) for tensor in outputs]
        # Forms that resize a tensor (t_, resize_) appear only in the result.
        kept = all(list(tensor.shape) == spec["sizes"] for tensor, spec in zip(inputs, line["inputs"]))
        if kept and any(elements(tensor) != old for tensor, old in zip(inputs, before)):
            entry["after"] = [pack.add(tensor) for tensor in inputs]
    pack.lines.append(json.dumps(entry))
    return None


def start_group():
    """Collectives are recorded in a group of one process, which they call "0"."""
    import torch.distributed as dist
    import torch.distributed._functional_collectives  # Registers the operators.
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("litz_corpus")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="only operators whose name contains this")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    start_group()
    for module in ("torchvision", "torchao", "torch.ao.quantization.fx._decomposed"):
        try:
            __import__(module)
        except ImportError:
            print(f"without {module}", file=sys.stderr)
    listing = subprocess.run([options.litz_corpus, "list-calls"], check=True, capture_output=True, text=True)
    pack = Pack()
    unrecorded = []
    for text in listing.stdout.splitlines():
        line = json.loads(text)
        if options.only not in line["op"]:
            continue
        reason = record(line, pack)
        if reason is not None:
            unrecorded.append(f"unrecorded {line['case']}: {reason}")
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "manifest.jsonl").write_text("\n".join(pack.lines) + "\n")
    (options.folder / "values.bin").write_bytes(pack.values)
    (options.folder / "unrecorded.txt").write_text("\n".join(unrecorded) + "\n")
    print("\n".join(unrecorded))
    print(f"{len(pack.lines)} calls recorded, {len(unrecorded)} not; {len(pack.values)} bytes of values")


if __name__ == "__main__":
    main()

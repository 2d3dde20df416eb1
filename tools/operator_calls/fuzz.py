"""Compares random calls of operators with PyTorch: other dtypes, sizes, strides, values, attributes.

    python tools/operator_calls/fuzz.py build/release/bin/litz-corpus --seconds 3600 --seed 1

needs PyTorch, which the project itself does not. Every call begins as a sample of an operator. What
PyTorch gives for it is compared with the interpreter and with compiled code. A result of few bits, or
of operands of few bits, is also right if it is as near to PyTorch's in double precision as PyTorch's
own. Strides of results are compared where PyTorch's kernels and its exported programs agree on them.
Findings are printed once per operator and kind, with the call; the folder of a failed batch stays for
litz-corpus to run again. Exits with 1 when a result or its strides were wrong, a run crashed, or a call
ran that PyTorch refuses.
"""

import argparse
import collections
import concurrent.futures
import copy
import json
import math
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from calls import (DTYPES, Pack, Tensor, Word, at_strides, call_text, call_torch, elements,
                   flat_tensors, parse_call, tensors_of, torch_operator, without_free_symbols, SYMBOL_HINT)
import limits

FLOATS = ["f32", "f64", "f16", "bf16"]
INTEGERS = ["i64", "i32", "i16", "i8", "u8", "bool"]
COMPLEX = ["c64", "c128"]
FINITE = [0.0, -0.0, 1e-30, 65504.0, 1.0]
# Huge numbers of one sign: the sum of two signs would depend on the order of additions.
SPECIALS = [*FINITE, numpy.inf, -numpy.inf, numpy.nan, 1e30]
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33]
MOST_ELEMENTS = 1 << 16


class Mutator:
    """Turns a sample into another call. Deterministic for a generator of random numbers."""

    def __init__(self, random, op, is_mutable=False):
        self.random = random
        self.places_specials = not limits.FINITE_ONLY.search(op)
        self.may_stride = not limits.DENSE_ONLY.search(op)
        self.may_overlap = not is_mutable and not limits.NO_OVERLAP.search(op)

    def one_in(self, n):
        return self.random.integers(n) == 0

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def call(self, arguments):
        arguments = copy.deepcopy(arguments)
        tensors = tensors_of(arguments)
        for tensor in tensors:
            tensor.sizes = [SYMBOL_HINT if isinstance(n, Word) else n for n in tensor.sizes]
            tensor.strides = None
        if self.one_in(2):
            self.change_dtypes(tensors)
        if self.one_in(2):
            self.change_sizes(tensors)
        for tensor in tensors:
            if self.may_stride and self.one_in(3):
                tensor.strides = self.strides(tensor.sizes)
        return [(name, self.attribute(value)) for name, value in arguments]

    def change_dtypes(self, tensors):
        changed = {}
        for tensor in tensors:
            if tensor.span is not None and tensor.dtype in INTEGERS and not self.one_in(8):
                continue  # Positions and targets: most operators require i64.
            group = FLOATS if tensor.dtype in FLOATS else COMPLEX if tensor.dtype in COMPLEX else INTEGERS
            if self.one_in(4):
                group = FLOATS + INTEGERS + COMPLEX
            tensor.dtype = changed.setdefault(tensor.dtype, self.pick(group))

    def change_sizes(self, tensors):
        changed = {}
        for tensor in tensors:
            tensor.sizes = [n if self.one_in(2) and n not in changed
                            else changed.setdefault(n, int(self.pick(SIZES))) for n in tensor.sizes]

    def strides(self, sizes):
        """Strides of a permuted, a gapped or an expanded tensor."""
        order = list(self.random.permutation(len(sizes)))
        gap = int(self.pick([1, 1, 2, 3]))
        strides = [0] * len(sizes)
        step = gap
        for d in order:
            strides[d] = step
            step *= max(sizes[d], 1)
        if self.may_overlap and sizes and self.one_in(4):
            strides[self.random.integers(len(sizes))] = 0
        return strides

    def attribute(self, value):
        if isinstance(value, Tensor) or value is None or not self.one_in(3):
            return value
        if isinstance(value, list):
            return [self.attribute(entry) for entry in value]
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return int(self.pick([value + 1, value - 1, -value, 0, 1, value]))
        if isinstance(value, float):
            return float(self.pick([0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 3.75, float("inf"), value]))
        return value

    def values(self, tensor, low, high):
        """Elements for a tensor argument, at its strides."""
        dtype = DTYPES[tensor.dtype]
        sizes = tensor.sizes
        if tensor.span is not None:
            low, high = tensor.span
        if dtype.is_floating_point or dtype.is_complex:
            shape = [*sizes, 2] if dtype.is_complex else sizes
            dense = self.random.uniform(low, high, shape)
            # Products of complex infinities depend on the library.
            if self.places_specials and tensor.span is None and self.one_in(4):
                self.place_specials(dense, FINITE if dtype.is_complex else SPECIALS)
            if dtype.is_complex:
                dense = dense[..., 0] + 1j * dense[..., 1]
            dense = torch.tensor(dense).to(dtype)
        else:
            if dtype == torch.uint8:
                low = max(low, 0)
            whole = self.random.integers(int(low), max(int(high), int(low) + 1), sizes)
            dense = torch.tensor(whole).to(dtype)
        return at_strides(dense, tensor.strides)

    def place_specials(self, dense, specials):
        flat = dense.reshape(-1)
        for _ in range(max(1, flat.size // 4) if flat.size else 0):
            flat[self.random.integers(flat.size)] = self.pick(specials)


WIDE = {torch.float32: torch.float64, torch.float16: torch.float64, torch.bfloat16: torch.float64,
        torch.complex64: torch.complex128}


def wide(tensor):
    """Copies in double precision; strides stay if no elements overlap."""
    return tensor.to(WIDE.get(tensor.dtype, tensor.dtype), copy=True)


def depends_on_strides(operator, arguments, dense, results):
    """Some of PyTorch's kernels read tensors with gaps as if dense; they are not a reference."""
    try:
        outputs = flat_tensors(call_torch(operator, arguments, dense))
    except Exception:  # Views of a dense tensor may exist where others do not, and vice versa.
        return False
    if len(outputs) != len(results):
        return False
    return any(a.shape == b.shape and a.dtype == b.dtype and not agree(a, b)
               for a, b in zip(outputs, results))


def agree(a, b):
    if not a.dtype.is_floating_point and not a.dtype.is_complex:
        return torch.equal(a, b)
    a, b = (tensor.to(torch.complex128 if tensor.is_complex() else torch.float64) for tensor in (a, b))
    return torch.allclose(a, b, rtol=0.02, atol=0.02 * float(a.abs().nan_to_num(0, 0, 0).amax())
                          if a.numel() else 0, equal_nan=True)


def whole(inputs):
    return not any(tensor.dtype.is_floating_point or tensor.is_complex() for tensor in inputs)


def is_near(a, b):
    """True if what is finite in both is nearly equal."""
    a, b = (tensor.to(torch.complex128 if tensor.is_complex() else torch.float64) for tensor in (a, b))
    finite = a.isfinite() & b.isfinite()
    return torch.allclose(a[finite], b[finite], rtol=0.02, atol=0.02)


def exact_results(operator, arguments, inputs, results):
    """Returns PyTorch's result in double precision on widened inputs; none if it is not usable."""
    try:
        outputs = flat_tensors(call_torch(operator, arguments, inputs))
    except Exception:  # Any exception of PyTorch for these types only.
        return []
    exact = [*outputs, *inputs][:len(results)]
    same = len(exact) == len(results) and all(
        a.shape == b.shape for a, b in zip(exact, results))
    return exact if same else []


def has_own_strides(tensor):
    """True if strides are not the usual ones, also where a dimension has one element."""
    return tensor.stride() != torch.empty(tensor.shape, device="meta").stride()


def runs_only_empty(operator, arguments, kinds):
    """True if PyTorch refuses the call with elements, but does not look without."""
    if all(math.prod(shape) for shape, _ in kinds):
        return False
    # Whole numbers may be places, and 0 is one in any tensor.
    filled = [(torch.ones if dtype.is_floating_point or dtype.is_complex else torch.zeros)(
        [max(size, 1) for size in shape], dtype=dtype) for shape, dtype in kinds]
    try:
        call_torch(operator, arguments, filled)
    except Exception:
        return True
    return False


def agreed_strides(operator, arguments, fakes, outputs):
    """Strides of the results; None where an exported program would state others."""
    try:
        stated = flat_tensors(call_torch(operator, arguments, fakes))
    except Exception:  # Not every kernel has a form without data.
        return [None] * len(outputs)
    if len(stated) != len(outputs):
        return [None] * len(outputs)
    return [list(real.stride()) if has_equal_layout(real, fake) else None
            for real, fake in zip(outputs, stated)]


def has_equal_layout(a, b):
    return a.shape == b.shape and all(
        size == 1 or x == y for size, x, y in zip(a.shape, a.stride(), b.stride()))


def fake_tensors(inputs):
    mode = FakeTensorMode()
    return [mode.from_tensor(tensor) for tensor in inputs]


class Batch:
    """Calls with PyTorch's results, as a folder for litz-corpus."""

    def __init__(self):
        self.pack = Pack()
        self.refusals = {}

    def add(self, name, op, operator, arguments, inputs):
        text = call_text(arguments)
        packed = [self.pack.add(tensor) for tensor in inputs]
        entry = {"case": name, "op": op, "call": text, "inputs": packed}
        before = [elements(tensor) for tensor in inputs]
        originals = [wide(tensor) for tensor in inputs]
        dense = [tensor.clone(memory_format=torch.contiguous_format) for tensor in inputs]
        kinds = [(tensor.shape, tensor.dtype) for tensor in inputs]
        shapes = [(tensor.shape, tensor.stride()) for tensor in inputs]
        fakes = fake_tensors(inputs)
        try:
            outputs = flat_tensors(call_torch(operator, arguments, inputs))
            if not limits.is_comparable(op, outputs):
                return
            if any(has_own_strides(tensor) for tensor in inputs) and depends_on_strides(
                    operator, arguments, dense, outputs):
                return
            entry["outputs"] = [self.pack.add(tensor) for tensor in outputs]
            if not limits.STRIDES_NOT_COMPARED.match(op):
                entry["strides"] = agreed_strides(operator, arguments, fakes, outputs)
            kept = [(tensor.shape, tensor.stride()) for tensor in inputs] == shapes
            after = []
            if kept and any(elements(tensor) != old for tensor, old in zip(inputs, before)):
                after = inputs
                entry["after"] = [self.pack.add(tensor) for tensor in after]
            entry["only_empty"] = runs_only_empty(operator, arguments, kinds)
            results = [*outputs, *after]
            if any(tensor.dtype in WIDE for tensor in [*results, *inputs]):
                if whole(inputs):  # f32, where both kinds of numbers mean the same.
                    originals = [tensor.to(torch.float64) for tensor in originals]
                exact = exact_results(operator, arguments, originals, results)
                if exact and (not whole(inputs) or all(map(is_near, exact, results))):
                    entry["exact"] = [self.pack.add(tensor) for tensor in exact]
        except Exception as error:  # Any exception of PyTorch.
            message = f"{type(error).__name__}: {error}".split("\n")[0]
            if limits.is_refused_by_kernel(op, error, inputs):
                return
            self.refusals[name] = message
        self.pack.lines.append(json.dumps(entry))

    def join(self, values, lines, refusals):
        """Adds the calls of another batch."""
        self.pack.values += bytes(-len(self.pack.values) % 16)
        base = len(self.pack.values)
        self.pack.values += values
        self.refusals |= refusals
        for line in lines:
            entry = json.loads(line)
            for kind in ("inputs", "outputs", "after", "exact"):
                for array in entry.get(kind, []):
                    array[2] += base
            self.pack.lines.append(json.dumps(entry))

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "manifest.jsonl").write_text("\n".join(self.pack.lines) + "\n")
        (folder / "values.bin").write_bytes(self.pack.values)


KINDS = ("wrong", "strides", "crashed", "accepted", "refused")


class Findings:
    def __init__(self):
        self.seen = collections.Counter()

    def report(self, line, entry, executor, refusal):
        for difference in line["type_differences"]:
            self.note("strides", entry, executor, difference)
        kind = line["verdict"]
        if kind == "right":
            return
        if kind == "wrong" and "PyTorch raises" in line["reason"]:
            kind = "accepted"
        reason = line["reason"].split("\n")[0]
        if kind == "wrong" and limits.says_nothing(entry["op"], reason):
            return
        if kind == "refused" and (entry.get("only_empty")
                                  or limits.is_refused_here(entry["op"], reason)):
            return
        self.note(kind, entry, executor, refusal if kind == "accepted" else reason)

    def note(self, kind, entry, executor, detail):
        self.seen[kind, entry["op"]] += 1
        if self.seen[kind, entry["op"]] == 1:
            print(f"{kind:9} {entry['op']} {entry['call']} ({executor}, {entry['case']}): {detail}",
                  flush=True)

    def count(self, kind):
        return sum(times for (of, _), times in self.seen.items() if of == kind)


def run_batch(litz_corpus, folder, executor):
    out = folder / f"{executor}.jsonl"
    subprocess.run([litz_corpus, "calls", str(folder), "--executor", executor, "--json", str(out),
                    "--limit", "60", "--jobs", "2"], stdout=subprocess.DEVNULL, check=False)
    return [json.loads(line) for line in out.read_text().splitlines()]


def samples(litz_corpus, only):
    listing = subprocess.run([litz_corpus, "list-calls"], check=True, capture_output=True, text=True)
    for text in listing.stdout.splitlines():
        line = json.loads(text)
        operator = torch_operator(line["op"])
        is_known = (operator is not None and not line["random"] and
                    not limits.has_no_value(line["op"]))
        if only in line["op"] and is_known:
            yield line


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("litz_corpus")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only operators whose name contains this")
    parser.add_argument("--batch", type=int, default=500, help="calls per batch")
    parser.add_argument("--executors", default="interpreter,cpu")
    parser.add_argument("--folder", type=pathlib.Path, help="where batches are written")
    return parser.parse_args()


def fill(batch, pool, seed, number, calls):
    for k in calls:
        random = numpy.random.default_rng([seed, number, k])
        line = pool[random.integers(len(pool))]
        operator = torch_operator(line["op"])
        mutator = Mutator(random, line["op"], operator._schema.is_mutable)
        arguments = without_free_symbols(mutator.call(parse_call(line["call"])))
        tensors = tensors_of(arguments)
        if any(math.prod(tensor.sizes) > MOST_ELEMENTS for tensor in tensors):
            continue
        if limits.is_spoiled(line["op"], arguments):
            continue
        inputs = [mutator.values(tensor, spec["lo"], spec["hi"])
                  for tensor, spec in zip(tensors_of(arguments), line["inputs"])]
        batch.add(f"{seed}.{number}.{k}", line["op"], operator, arguments, inputs)


def abandon(process):
    """Ends a pool whose worker may still run a call."""
    for worker in multiprocessing.active_children():
        worker.kill()
    process.shutdown(wait=False, cancel_futures=True)


class Recorder:
    """Makes calls in another process, some at a time: some of them crash PyTorch."""

    SHARE = 25

    def __init__(self, pool):
        self.pool = pool
        self.process = None

    def batch(self, seed, number, size):
        batch = Batch()
        for first in range(0, size, self.SHARE):
            if self.process is None:
                context = multiprocessing.get_context("fork")
                self.process = concurrent.futures.ProcessPoolExecutor(1, context)
            calls = range(first, min(first + self.SHARE, size))
            task = self.process.submit(share, self.pool, seed, number, calls)
            try:
                batch.join(*task.result(timeout=60))
            except (concurrent.futures.process.BrokenProcessPool, TimeoutError) as error:
                print(f"note      PyTorch did not survive the calls {seed}.{number}.{calls.start} to "
                      f"{calls.stop - 1}, left out: {type(error).__name__}", flush=True)
                abandon(self.process)
                self.process = None
        return batch

    def close(self):
        if self.process is not None:
            self.process.shutdown()


def share(pool, seed, number, calls):
    batch = Batch()
    fill(batch, pool, seed, number, calls)
    return batch.pack.values, batch.pack.lines, batch.refusals


def main():
    options = parsed_arguments()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="operator_calls_"))
    pool = list(samples(options.litz_corpus, options.only))
    if not pool:
        sys.exit("no operator matches")
    findings = Findings()
    recorder = Recorder(pool)
    ran, number, end = 0, 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        batch = recorder.batch(options.seed, number, options.batch)
        place = folder / str(number)
        number += 1
        if not batch.pack.lines:  # All calls crashed PyTorch.
            continue
        batch.write(place)
        entries = {entry["case"]: entry for entry in map(json.loads, batch.pack.lines)}
        for executor in options.executors.split(","):
            for line in run_batch(options.litz_corpus, place, executor):
                ran += 1
                findings.report(line, entries[line["case"]], executor,
                                batch.refusals.get(line["case"], ""))
    recorder.close()
    counts = {kind: findings.count(kind) for kind in KINDS}
    print(f"{ran} runs in {number} batches under {folder}: "
          + ", ".join(f"{times} {kind}" for kind, times in counts.items()))
    sys.exit(1 if sum(counts.values()) > counts["refused"] else 0)


if __name__ == "__main__":
    main()

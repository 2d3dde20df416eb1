"""Compares calls with PyTorch that differ from a sample of an operator in one aspect only.

    python tools/operator_calls/sweep.py build/release/bin/litz-corpus --aspect "size|fill"

needs PyTorch, like fuzz.py, whose random calls change several aspects at once. A sweep reaches every
operator with every change: sizes, ranks, numbers and their kinds, arguments that a sample leaves out,
lengths of lists, dtypes, strides, and values that fill an operand. A few changes belong together:
dtypes of no elements, of operands without dimensions, and of special values, and the layouts, dtypes
and sizes of several operands. Findings are printed once per operator, kind and aspect.
"""

import argparse
import collections
import concurrent.futures
import copy
import itertools
import json
import math
import multiprocessing
import pathlib
import re
import tempfile
import warnings
import zlib

import numpy
import torch

from calls import SYMBOL_HINT, Tensor, Word, parse_call, tensors_of, torch_operator, without_free_symbols
import fuzz
import limits

BATCH, SHARE = 500, 25
LAYOUTS = 40  # Per sample.
REALS = [0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 3.75, math.inf, -math.inf, math.nan, 1e-8, 1e30]
FILLS = [0.0, -0.0, 1.0, -1.0, 1e-30, [0.0, -0.0, 1.0], [0.5, -0.5, 1.5, 2.5]]
SPECIAL_FILLS = [math.inf, -math.inf, math.nan, 1e30, -1e30, 65504.0, 3e9, [math.inf, 1.0, 0.0],
                 [math.nan, 1.0, 0.0, 2.0], [math.inf, math.nan, -math.inf, 1.0, -0.0]]


# Of integers; the ends of a dtype's range by name.
INTEGER_FILLS = [["least"], ["most"], [-1], [0], ["least", "most", -1, 0, 1, 2, 63, 64, 127]]
SCALARS = [True, False, 2, -1, 0, 2.5, 300, -(2**40), 1e30, math.nan, 1j]
UNSTATED = {
    "bool": [True, False], "int": [0, 1, 2, -1, 5], "float": [0.0, 0.5, 2.0, -1.0, math.inf, math.nan],
    "number": [0, 2, -1, 0.5, True, math.inf], "ScalarType": [
        Word(dtype) for dtype in (*fuzz.FLOATS, *fuzz.INTEGERS, *fuzz.COMPLEX)],
    "MemoryFormat": [Word("channels_last"), Word("contiguous_format"), Word("preserve_format")],
}


class Plain(fuzz.Mutator):
    """Values as a sample states them, or one operand (all if None) filled with given ones."""

    def __init__(self, random, op, fill, operand):
        super().__init__(random, op)
        self.fill, self.operand, self.next = fill, operand, 0

    def one_in(self, n):
        return False

    def values(self, tensor, low, high):
        position = self.next
        self.next += 1
        usual = super().values(tensor, low, high)
        is_other = self.operand is not None and self.operand != position
        is_integer = not usual.dtype.is_floating_point and not usual.dtype.is_complex
        if self.fill is None or is_other or tensor.span is not None or (
                is_integer != (self.fill in INTEGER_FILLS)):
            return usual
        choices = self.fill if isinstance(self.fill, list) else [self.fill]
        drawn = self.random.integers(len(choices), size=usual.numel())
        if is_integer:
            return integers([choices[i] for i in drawn], usual.dtype).reshape(usual.shape)
        return torch.tensor([choices[i] for i in drawn]).reshape(usual.shape).to(usual.dtype)


def integers(values, dtype):
    if dtype == torch.bool:
        return torch.tensor([value not in (0, "least") for value in values], dtype=dtype)
    ends = torch.iinfo(dtype)
    ends = {"least": ends.min, "most": ends.max}
    return torch.tensor([ends.get(value, value) for value in values]).to(dtype)


def changed(call, change):
    result = copy.deepcopy(call)
    change(result)
    return result


def sized(call):
    """One size everywhere, one size of one tensor, and ranks."""
    def everywhere(old, new):
        def change(result):
            for tensor in tensors_of(result):
                tensor.sizes = [new if size == old else size for size in tensor.sizes]
        return change

    def single(k, d, new):
        return lambda result: tensors_of(result)[k].sizes.__setitem__(d, new)

    tensors = tensors_of(call)
    for old in sorted({size for tensor in tensors for size in tensor.sizes}):
        for new in (0, 1, 2, 5, 17, 33):
            yield f"size {new}", changed(call, everywhere(old, new))
    for k, tensor in enumerate(tensors):
        for d, size in enumerate(tensor.sizes):
            for new in (0, 1, size + 1):
                yield "single size", changed(call, single(k, d, new))
        for new in (0, 1, 2):
            yield "rank", changed(call, lambda result: tensors_of(result)[k].sizes.insert(0, new))
        if tensor.sizes:
            yield "rank", changed(call, lambda result: tensors_of(result)[k].sizes.pop(0))


def numbers_like(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value, 0, 1, -1, 2, 7, -7, 100]
    return REALS if isinstance(value, float) else []


def numbered(op, call):
    """Numbers, entries of lists, and lengths of lists. One entry stands for a fixed number of them."""
    schema = torch_operator(op)._schema.arguments

    def is_short(i, entries):
        name = call[i][0]
        slot = next((slot for slot in schema if slot.name == name), None) if name else schema[i]
        return len(entries) == 1 and slot is not None and slot.N is not None

    def replace(i, value):
        return changed(call, lambda result: result.__setitem__(i, (result[i][0], value)))

    for i, (_, value) in enumerate(call):
        if not isinstance(value, list):
            for number in numbers_like(value):
                yield "number", replace(i, number)
        elif not any(isinstance(entry, Tensor) for entry in value):
            for j, entry in enumerate(value):
                for number in numbers_like(entry):
                    yield "number", replace(i, [*value[:j], number, *value[j + 1:]])
            for entries in ([], value[:-1], value + value[-1:]):
                if not is_short(i, entries):
                    yield "length", replace(i, entries)


def kind_of(slot):
    kind = str(slot.real_type).removeprefix("Optional[").removesuffix("]")
    return {"Scalar": "number", "SymInt": "int"}.get(kind, kind)


def scalars(op, call):
    """Numbers of another kind, where an operator takes any kind."""
    schema = torch_operator(op)._schema.arguments
    for i, (name, value) in enumerate(call):
        slot = next((slot for slot in schema if slot.name == name), None) if name else schema[i]
        if slot is None or kind_of(slot) != "number" or isinstance(value, (list, Tensor)):
            continue
        for number in SCALARS:
            yield "scalar", changed(call, lambda result: result.__setitem__(i, (name, number)))


def unstated(op, call):
    """Arguments that the sample leaves to their defaults."""
    schema = torch_operator(op)._schema.arguments
    stated = {name or schema[i].name for i, (name, _) in enumerate(call)}
    for slot in schema:
        is_free = slot.name not in stated and slot.name != "pin_memory"
        for value in UNSTATED.get(kind_of(slot), []) if is_free else []:
            yield "unstated", changed(call, lambda result: result.append((slot.name, value)))


def paired(call):
    """Dtypes of operands without elements, and of one without dimensions."""
    tensors = tensors_of(call)

    def change_all(dtype, old):
        def change(result):
            for tensor in tensors_of(result):
                tensor.sizes = [0 if size == old else size for size in tensor.sizes]
                if tensor.span is None:
                    tensor.dtype = dtype
        return change

    def change_one(k, dtype):
        def change(result):
            tensors_of(result)[k].sizes = []
            tensors_of(result)[k].dtype = dtype
        return change

    for dtype in fuzz.FLOATS + fuzz.INTEGERS + fuzz.COMPLEX:
        for old in sorted({size for tensor in tensors for size in tensor.sizes}):
            yield f"empty {dtype}", changed(call, change_all(dtype, old))
        for k, tensor in enumerate(tensors):
            if tensor.span is None:
                yield f"single {dtype}", changed(call, change_one(k, dtype))


def typed(call):
    """One dtype everywhere, and that of one tensor. Positions keep theirs where all change."""
    tensors = tensors_of(call)
    free = {tensor.dtype for tensor in tensors if tensor.span is None}
    for old in sorted(free):
        for new in fuzz.FLOATS + fuzz.INTEGERS + fuzz.COMPLEX:
            def change(result):
                for tensor in tensors_of(result):
                    if tensor.dtype == old and tensor.span is None:
                        tensor.dtype = new
            yield f"dtype {new}", changed(call, change)
    for k in range(len(tensors) if len(tensors) > 1 else 0):
        for new in ("f64", "f16", "i64", "i32", "u8", "bool", "c64"):
            yield "single dtype", changed(
                call, lambda result: setattr(tensors_of(result)[k], "dtype", new))


def strided(op, call):
    may_overlap = not torch_operator(op)._schema.is_mutable and not limits.NO_OVERLAP.search(op)
    for k, tensor in enumerate(tensors_of(call)):
        steps = [math.prod(max(n, 1) for n in tensor.sizes[d + 1:]) for d in range(len(tensor.sizes))]
        turned = [math.prod(max(n, 1) for n in tensor.sizes[:d]) for d in range(len(tensor.sizes))]
        options = [turned, [2 * step for step in steps]]
        if len(steps) in (3, 4, 5):
            options.append(channels_last(tensor.sizes))
        if may_overlap:
            options += [[0 if d == e else step for e, step in enumerate(steps)]
                        for d in range(len(steps))]
        for strides in options if steps else []:
            yield "strides", changed(
                call, lambda result: setattr(tensors_of(result)[k], "strides", strides))


def laid_out(op, call):
    """Layouts, dtypes and broadcasts of several operands together; a choice of them."""
    may_overlap = not torch_operator(op)._schema.is_mutable and not limits.NO_OVERLAP.search(op)
    count = len(tensors_of(call))
    if count < 2:
        return
    random = numpy.random.default_rng(zlib.crc32(f"{op} {call}".encode()))
    call = unreduced(op, call)

    def pick(options):
        return options[random.integers(len(options))]

    def change(result):
        tensors = tensors_of(result)
        free = [tensor for tensor in tensors if tensor.span is None] or tensors
        if random.integers(2):
            dtype = pick(["f16", "i64", "i32", "f64", "bool", "c64"])
            for tensor in free if random.integers(2) else [pick(free)]:
                tensor.dtype = dtype
        most = max(len(tensor.sizes) for tensor in tensors)
        if random.integers(3) == 0:
            for tensor in tensors:
                tensor.sizes = [4] * (len(tensor.sizes) == most) + tensor.sizes
        if random.integers(4) == 0:
            tensor = pick(tensors)
            tensor.sizes = pick([[], [1 if random.integers(2) else size for size in tensor.sizes],
                                 tensor.sizes[1:]])
        for tensor in tensors:
            tensor.strides = layout(tensor.sizes, may_overlap, random)

    for _ in range(LAYOUTS):
        yield "layouts", changed(call, change)


def unreduced(op, call):
    """A loss per element, as layouts are those of elements."""
    names = [slot.name for slot in torch_operator(op)._schema.arguments]
    if "reduction" not in names:
        return call
    named = {name or names[i]: value for i, (name, value) in enumerate(call)}
    return list((named | {"reduction": 0}).items())


def layout(sizes, may_overlap, random):
    """Strides of dimensions in any order, with or without gaps, or of repeated elements."""
    order = range(len(sizes)) if random.integers(3) else random.permutation(len(sizes))
    if random.integers(2):
        order = reversed(order)
    strides, step = [0] * len(sizes), int(random.choice([1, 1, 1, 2]))
    for d in order:
        strides[d] = step
        step *= max(sizes[d], 1) + (random.integers(6) == 0)
    if may_overlap and sizes and random.integers(3) == 0:
        strides[random.integers(len(sizes))] = 0
    return [int(stride) for stride in strides]


def channels_last(sizes):
    if len(sizes) == 3:
        return [max(sizes[1], 1) * max(sizes[2], 1), 1, max(sizes[1], 1)]
    dense = torch.empty(sizes, device="meta", memory_format=(
        torch.channels_last if len(sizes) == 4 else torch.channels_last_3d))
    return list(dense.stride())


def with_dtype(call, dtype):
    def change(result):
        for tensor in tensors_of(result):
            if tensor.span is None and tensor.dtype in fuzz.FLOATS + fuzz.INTEGERS:
                tensor.dtype = dtype
    return changed(call, change)


def variants(op, text):
    """Yields an aspect, a call, what fills an operand, and which."""
    call = parse_call(text)
    for tensor in tensors_of(call):
        tensor.sizes = [SYMBOL_HINT if isinstance(n, Word) else n for n in tensor.sizes]
        tensor.strides = None
    for family in (sized(call), numbered(op, call), typed(call), scalars(op, call), unstated(op, call),
                   paired(call),
                   *(() if limits.DENSE_ONLY.search(op) else (strided(op, call), laid_out(op, call)))):
        for aspect, variant in family:
            yield aspect, variant, None, None
    if limits.NO_EQUALS.search(op):
        return
    count = len(tensors_of(call))
    for fill in FILLS + ([] if limits.FINITE_ONLY.search(op) else SPECIAL_FILLS):
        for operand in [None, *range(count if count > 1 else 0)]:
            yield f"fill {fill}", call, fill, operand
        for dtype in ("f64", "f16", "bf16", "c64"):
            yield f"{dtype} filled {fill}", with_dtype(call, dtype), fill, None
    for fill, dtype in itertools.product(INTEGER_FILLS, fuzz.INTEGERS):
        is_extreme = dtype in ("i32", "i64") and "most" in fill
        if is_extreme and limits.NO_EXTREMES.search(op):
            continue
        for operand in [None, *range(count if count > 1 else 0)]:
            yield f"{dtype} filled {fill}", with_dtype(call, dtype), fill, operand


def recorded(jobs, first):
    batch = fuzz.Batch()
    for position, (line, _, call, fill, operand) in enumerate(jobs, first):
        call = without_free_symbols(call)
        tensors = tensors_of(call)
        is_large = any(math.prod(tensor.sizes) > fuzz.MOST_ELEMENTS for tensor in tensors)
        if is_large or limits.is_spoiled(line["op"], call):
            continue
        plain = Plain(numpy.random.default_rng(position), line["op"], fill, operand)
        inputs = [plain.values(tensor, spec["lo"], spec["hi"])
                  for tensor, spec in zip(tensors, line["inputs"])]
        batch.add(str(position), line["op"], torch_operator(line["op"]), call, inputs)
    return batch.pack.values, batch.pack.lines, batch.refusals


class Recorder:
    """Makes calls in another process. Operators that crash PyTorch three times are left alone."""

    def __init__(self):
        self.process = None
        self.crashes = collections.Counter()

    def add(self, batch, jobs, first):
        if len(jobs) == 1 and self.crashes[jobs[0][0]["op"]] >= 3:
            return
        if self.process is None:
            self.process = concurrent.futures.ProcessPoolExecutor(
                1, multiprocessing.get_context("fork"))
        try:
            batch.join(*self.process.submit(recorded, jobs, first).result(timeout=60))
            return
        except (concurrent.futures.process.BrokenProcessPool, TimeoutError):
            fuzz.abandon(self.process)
            self.process = None
        if len(jobs) == 1:
            self.crashes[jobs[0][0]["op"]] += 1
            return
        for i, job in enumerate(jobs):
            self.add(batch, [job], first + i)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("litz_corpus")
    parser.add_argument("--aspect", default="", help="only aspects that contain this pattern")
    parser.add_argument("--only", default="", help="only operators whose name contains this")
    parser.add_argument("--executors", default="interpreter")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="operator_sweep_"))
    jobs = ((line, *variant) for line in fuzz.samples(options.litz_corpus, options.only)
            for variant in variants(line["op"], line["call"])
            if re.search(options.aspect, variant[0]))
    recorder = Recorder()
    findings = collections.defaultdict(fuzz.Findings)
    first = 0
    while some := list(itertools.islice(jobs, BATCH)):
        batch = fuzz.Batch()
        for i in range(0, len(some), SHARE):
            recorder.add(batch, some[i:i + SHARE], first + i)
        if batch.pack.lines:
            batch.write(folder / str(first))
            entries = {entry["case"]: entry for entry in map(json.loads, batch.pack.lines)}
            for executor in options.executors.split(","):
                for line in fuzz.run_batch(options.litz_corpus, folder / str(first), executor):
                    aspect = some[int(line["case"]) - first][1]
                    findings[aspect].report(line, entries[line["case"]], executor,
                                            batch.refusals.get(line["case"], ""))
        first += len(some)
    counts = {kind: sum(found.count(kind) for found in findings.values())
              for kind in fuzz.KINDS}
    print(f"{first} calls under {folder}: "
          + ", ".join(f"{times} {kind}" for kind, times in counts.items())
          + f"; PyTorch crashed in {dict(recorder.crashes)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Computes what recorded operator cases should give where PyTorch's kernel for few bits is wrong.

    python tools/correct_records.py CORPUS tests/models/corrected/ops matrix_exp/0_bfloat16 ...

needs PyTorch, which the project itself does not. The recorded program runs in double precision on the
recorded inputs, and its results are rounded to the dtypes of the recorded ones. CASE.npz below the second
folder holds them, which `litz-corpus ops --corrected` takes. A case is refused where the record is
within a tenth of the result, or where single precision says something else than double.
"""

import pathlib
import sys

import numpy
import torch

HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def tensor(array, dtype):
    return torch.from_numpy(array.view(numpy.int16)).view(dtype)


def run(program, inputs, dtype):
    results = torch.fx.Interpreter(program.graph_module).run(*[x.to(dtype) for x in inputs])
    return [result.double() for result in results]


def distance(a, b):
    return float((a - b).abs().nan_to_num(nan=numpy.inf).max() / b.abs().max())


def corrected(corpus, case):
    dtype = HALVES[case.rpartition("_")[2]]
    arrays = numpy.load(corpus / f"{case}.npz")
    program = torch.export.load(corpus / f"{case}.pt2")
    inputs = [tensor(arrays[name], dtype) for name in sorted(arrays) if name.startswith("in")]
    exact, near = run(program, inputs, torch.float64), run(program, inputs, torch.float32)
    results = {}
    for i, (a, b) in enumerate(zip(exact, near)):
        recorded = tensor(arrays[f"out{i}"], dtype).double()
        if distance(b, a) > 1e-4:
            sys.exit(f"{case}: single and double precision differ by {distance(b, a)}")
        if distance(recorded, a) < 0.1:
            sys.exit(f"{case}: the record is right within {distance(recorded, a)}")
        print(f"{case}: out{i} differs from the record by {distance(recorded, a)}, "
              f"single from double precision by {distance(b, a):.1e}")
        results[f"out{i}"] = a.to(dtype).view(torch.int16).numpy().view(numpy.uint16)
    return results


def main():
    corpus, folder, *cases = sys.argv[1:]
    for case in cases:
        path = pathlib.Path(folder, f"{case}.npz")
        path.parent.mkdir(parents=True, exist_ok=True)
        numpy.savez(path, **corrected(pathlib.Path(corpus), case))


if __name__ == "__main__":
    main()

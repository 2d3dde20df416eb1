#!/usr/bin/env python3
"""Computes what recorded gradients should be where PyTorch's are wrong or only rounding errors.

    python tools/correct_gradients.py CORPUS tests/models/corrected/grads matrix_exp/0_bfloat16 ...

needs PyTorch, which the project itself does not. CORPUS has the folders ops and grads. The recorded
program is differentiated in double precision, and by differences. Where the two agree, the result in
double precision is stored beside the record (`exactN`), or replaces it if its dtype has few bits and the
record is far from it (`gradN`). Where they do not, PyTorch's formula is wrong, and differences replace the
record. With --formula it counts as right: some formulas mean results to be constants.
"""

import json
import pathlib
import sys

import numpy
import torch

STEP = 1e-4
FAR = 0.1


def words(seed, count):
    with numpy.errstate(over="ignore"):
        z = (numpy.uint64(seed) << numpy.uint64(32)) + numpy.arange(count, dtype=numpy.uint64)
        z = z + numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return z ^ (z >> numpy.uint64(31))


def weight(k, sizes, dtype):
    count = int(numpy.prod(sizes))
    values = (words(1000 + k, count) >> numpy.uint64(40)).astype(numpy.float32)
    values = values * numpy.float32(2.0**-23) - numpy.float32(1)
    return torch.from_numpy(values.reshape(sizes)).to(dtype).double()


def tensor(array, dtype):
    if dtype == torch.bfloat16:
        return torch.from_numpy(array.view(numpy.int16)).view(dtype)
    return torch.from_numpy(array)


def stored(values, dtype):
    values = values.detach().to(dtype)
    if dtype == torch.bfloat16:
        return values.view(torch.int16).numpy().view(numpy.uint16)
    return values.numpy()


class Case:
    def __init__(self, corpus, name):
        lines = (corpus / "ops/manifest.jsonl").read_text().splitlines()
        entry = next(e for e in map(json.loads, lines) if e["case"] == name)
        arrays = numpy.load(corpus / f"ops/{name}.npz")
        self.dtypes = [getattr(torch, spec[2]) for spec in entry["inputs"]]
        self.inputs = [tensor(arrays[f"in{i}"], d) for i, d in enumerate(self.dtypes)]
        self.program = torch.export.load(corpus / f"ops/{name}.pt2")
        self.outputs = [(spec[0], getattr(torch, spec[1])) for spec in entry["outputs"]]
        self.recorded = numpy.load(corpus / f"grads/{name}.npz")

    def loss(self, inputs):
        results = torch.fx.Interpreter(self.program.graph_module).run(*inputs)
        return sum((result * weight(k, *self.outputs[k])).sum()
                   for k, result in enumerate(results) if self.outputs[k][1].is_floating_point)

    def doubles(self):
        return [x.double() if x.is_floating_point() else x for x in self.inputs]

    def by_formula(self, i):
        inputs = self.doubles()
        inputs[i].requires_grad_(True)
        return torch.autograd.grad(self.loss(inputs), inputs[i])[0]

    def by_differences(self, i):
        inputs = self.doubles()
        flat = inputs[i].reshape(-1)
        slopes = torch.zeros_like(flat)
        for k in range(flat.numel()):
            moved = flat.clone()
            losses = []
            for step in (STEP, -STEP):
                moved[k] = flat[k] + step
                inputs[i] = moved.reshape(self.inputs[i].shape)
                losses.append(self.loss(inputs))
            slopes[k] = (losses[0] - losses[1]) / (2 * STEP)
        return slopes.reshape(self.inputs[i].shape)

    def corrections(self, trusts_formula):
        results = {}
        for name in self.recorded:
            i = int(name.removeprefix("grad"))
            formula, differences = self.by_formula(i), self.by_differences(i)
            dtype = self.dtypes[i]
            scale = differences.abs().max().clamp(min=1e-2)
            gap = (formula - differences).abs().max() / scale
            recorded = tensor(self.recorded[name], dtype).double()
            is_far = not (recorded - formula).abs().max() <= FAR * scale
            print(f"{name}: formula and differences differ by {float(gap):.1e}")
            if gap > 1e-3 and not trusts_formula:
                results[name] = stored(differences, dtype)
            elif is_far:
                results[name] = stored(formula, dtype)
            else:
                results[name.replace("grad", "exact")] = stored(formula, torch.float64)
        return results


def main():
    trusts_formula = "--formula" in sys.argv
    corpus, folder, *cases = [word for word in sys.argv[1:] if word != "--formula"]
    for case in cases:
        print(case)
        path = pathlib.Path(folder, f"{case}.npz")
        path.parent.mkdir(parents=True, exist_ok=True)
        numpy.savez(path, **Case(pathlib.Path(corpus), case).corrections(trusts_formula))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Records what PyTorch gives for sample calls of operators, into the files that the operator tests read.

A file holds calls as samples are written (src/ops/samples.h), each with its operator before it and its
results after it:

  aten.slice_backward (f32[1, 3], [2, 3], 0, 1, 2, 1)
  = f32[2, 3] 0 0 0 1.5 -2 0.25

Results in a file are made anew. Inputs are filled by the rule of the tests (src/types/fill.h): the n-th
input has seed n. Symbolic sizes are 3. Needs PyTorch; torchvision and torchao for their operators.

Usage: record_operator_values.py FILE...
"""

import re
import sys

import numpy as np
import torch

DTYPES = {
    "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16,
    "u16": torch.uint16, "i32": torch.int32, "u32": torch.uint32, "i64": torch.int64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "c64": torch.complex64, "c128": torch.complex128, "f8e4m3fn": torch.float8_e4m3fn,
    "f8e5m2": torch.float8_e5m2,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
SYMBOL_SIZE = 3
TOKEN = re.compile(r"\s*([\w.+-]+(?:e[+-]\d+)?|'[^']*'|[\[\](){},=])")


def words(seed, count):
    z = (np.uint64(seed) << np.uint64(32)) + np.arange(count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def filled(dtype, sizes, seed, low, high):
    count = int(np.prod(sizes, dtype=np.int64))
    if dtype.is_floating_point or dtype.is_complex:
        middle = (low + high) / 2
        steps = words(seed, count) >> np.uint64(40)
        unit = steps.astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
        values = unit * np.float32(high - middle) + np.float32(middle)
    else:
        span = np.uint64(int(high - low))
        values = (words(seed, count) % span).astype(np.int64) + int(low)
    return torch.from_numpy(values).to(dtype).reshape(sizes)


class Call:
    """One sample call: reads the text by the types of the schema."""

    def __init__(self, operator, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.inputs = 0
        self.schema = operator._schema.arguments

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def word(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def arguments(self):
        values, position = {}, 0
        assert self.take("("), self.tokens
        while not self.take(")"):
            if values:
                assert self.take(","), self.tokens[self.at:]
            name = self.schema[position].name if position < len(self.schema) else ""
            if self.tokens[self.at + 1] == "=":
                name = self.word()
                self.at += 1
            argument = next(a for a in self.schema if a.name == name)
            values[name] = self.value(str(argument.type))
            position += 1
        return values

    def value(self, kind):
        if self.take("None"):
            return None
        if self.peek() in DTYPES and self.tokens[self.at + 1:self.at + 2] == ["["]:
            return self.tensor()
        if self.peek() in DTYPES:
            return DTYPES[self.word()]
        if self.take("["):
            entries = []
            while not self.take("]"):
                self.take(",")
                entries.append(self.value(kind))
            return entries
        return self.number(self.word())

    def number(self, token):
        if token.startswith("'"):
            return token[1:-1]
        if token in ("True", "False"):
            return token == "True"
        if token in ("inf", "-inf", "nan"):
            return float(token)
        if re.fullmatch(r"[A-Za-z_]\w*", token):
            return SYMBOL_SIZE
        return float(token) if re.search(r"[.eE]", token) else int(token)

    def sizes(self, close):
        sizes = []
        while not self.take(close):
            self.take(",")
            sizes.append(self.number(self.word()))
        return sizes

    def tensor(self):
        dtype = DTYPES[self.word()]
        self.word()
        sizes = self.sizes("]")
        strides = self.sizes("}") if self.take("{") else None
        if dtype.is_floating_point or dtype.is_complex:
            low, high = -4.0, 4.0
        elif dtype == torch.bool:
            low, high = 0, 2
        else:
            low, high = (0 if dtype in (torch.uint8, torch.uint16, torch.uint32) else -5), 6
        if self.take("in"):
            self.word()
            low = self.number(self.word())
            self.take(",")
            high = self.number(self.word())
            assert self.take(")")
        self.inputs += 1
        values = filled(dtype, sizes, self.inputs, low, high)
        if strides is None:
            return values
        return torch.empty_strided(sizes, strides, dtype=dtype).copy_(values)


def operator_named(name):
    namespace, word, *overload = name.split(".")
    packet = getattr(getattr(torch.ops, namespace), word)
    return getattr(packet, overload[0] if overload else "default")


def number_text(value):
    if isinstance(value, complex):
        return f"{value.real:.9g} {value.imag:.9g}"
    if isinstance(value, float):
        return f"{value:.9g}"
    return str(int(value))


def result_text(tensor):
    sizes = ", ".join(map(str, tensor.shape))
    wide = tensor.float() if tensor.dtype.itemsize == 1 and tensor.is_floating_point() else tensor
    values = " ".join(number_text(value) for value in wide.reshape(-1).tolist())
    return f"= {NAMES[tensor.dtype]}[{sizes}] {values}".rstrip()


def recorded(line):
    name, text = line.split(" ", 1)
    operator = operator_named(name)
    results = operator(**Call(operator, text).arguments())
    if isinstance(results, torch.Tensor) or not isinstance(results, (tuple, list)):
        results = [results]
    return [result_text(r) for r in results if isinstance(r, torch.Tensor)]


def main():
    for module in ("torchvision", "torchao", "torch.ao.quantization.fx._decomposed"):
        try:
            __import__(module)
        except ImportError:
            pass
    for path in sys.argv[1:]:
        lines = []
        for line in open(path, encoding="utf-8").read().splitlines():
            if line.startswith("="):
                continue
            lines.append(line)
            if line and not line.startswith("#"):
                try:
                    lines += recorded(line)
                except Exception as error:
                    print(f"{path}: {line}: {error}", file=sys.stderr)
                    return 1
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

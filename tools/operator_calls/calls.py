"""Calls of operators as text, as litz-corpus lists and runs them, and as PyTorch makes them.

The text is that of src/ops/samples.h: `(f32[2, 3]{1, 2}, [f32[2], f32[3]], dim=0, alpha=1.5)`.
"""

import dataclasses
import re

import torch

DTYPES = {
    "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16,
    "i32": torch.int32, "i64": torch.int64, "u16": torch.uint16, "u32": torch.uint32,
    "u64": torch.uint64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32,
    "f64": torch.float64, "c32": torch.complex32, "c64": torch.complex64,
    "c128": torch.complex128, "f8e4m3fn": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2,
    "f8e4m3fnuz": torch.float8_e4m3fnuz, "f8e5m2fnuz": torch.float8_e5m2fnuz,
    "f8e8m0fnu": torch.float8_e8m0fnu,
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
FORMATS = {
    "contiguous": torch.contiguous_format, "contiguous_format": torch.contiguous_format,
    "preserve": torch.preserve_format, "preserve_format": torch.preserve_format,
    "channels_last": torch.channels_last, "channels_last_3d": torch.channels_last_3d,
}
SYMBOL_HINT = 3  # The value of a symbolic size when a sample is recorded.


@dataclasses.dataclass
class Tensor:
    """A tensor argument: its dtype, sizes, strides if stated, and the range of its values."""

    dtype: str
    sizes: list
    strides: list | None = None
    span: tuple | None = None  # Half-open.

    def __str__(self):
        text = f"{self.dtype}[{', '.join(map(str, self.sizes))}]"
        if self.strides is not None:
            text += "{" + ", ".join(map(str, self.strides)) + "}"
        if self.span is not None:
            text += f" in [{number_text(self.span[0])}, {number_text(self.span[1])})"
        return text


@dataclasses.dataclass(frozen=True)
class Word:
    """A bare word: a dtype, a memory format, a device or a symbolic size."""

    text: str

    def __str__(self):
        return self.text


def number_text(value):
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, complex):
        if value.real != 0:
            raise ValueError("a call holds imaginary numbers only")
        return f"{value.imag!r}j"
    return repr(value)


def value_text(value):
    if value is None:
        return "None"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, (Tensor, Word)):
        return str(value)
    return number_text(value)


def call_text(arguments):
    """Arguments are pairs of a name, or None for positional ones, and a value."""
    parts = [value_text(v) if name is None else f"{name}={value_text(v)}" for name, v in arguments]
    return "(" + ", ".join(parts) + ")"


_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?(?:inf\b|\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+)j?)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<string>'[^']*'|\"[^\"]*\")|(?P<mark>[][(){},=]))")


class _Parser:
    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"cannot read {text!r} at column {at + 1}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at = 0

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ("end", "")

    def take(self, text):
        if self.peek()[1] != text:
            return False
        self.at += 1
        return True

    def expect(self, text):
        if not self.take(text):
            raise ValueError(f"expected {text!r}, found {self.peek()[1]!r}")

    def arguments(self):
        result = []
        self.expect("(")
        while not self.take(")"):
            if result:
                self.expect(",")
            name = None
            if self.peek()[0] == "word" and self.peek(1)[1] == "=":
                name = self.peek()[1]
                self.at += 2
            result.append((name, self.value()))
        return result

    def values(self, close):
        result = []
        while not self.take(close):
            if result:
                self.expect(",")
            result.append(self.value())
        return result

    def value(self):
        kind, text = self.peek()
        self.at += 1
        if kind == "mark" and text == "[":
            return self.values("]")
        if kind == "string":
            return text[1:-1]
        if kind == "number":
            return _number(text)
        if kind != "word":
            raise ValueError(f"a value must stand at {text!r}")
        if text in DTYPES and self.peek()[1] == "[":
            return self.tensor(text)
        known = {"None": None, "True": True, "true": True, "False": False, "false": False,
                 "inf": float("inf"), "nan": float("nan")}
        return known[text] if text in known else Word(text)

    def tensor(self, dtype):
        self.expect("[")
        tensor = Tensor(dtype, self.values("]"))
        if self.take("{"):
            tensor.strides = self.values("}")
        if self.peek() == ("word", "in"):
            self.at += 1
            self.expect("[")
            low = self.value()
            self.expect(",")
            tensor.span = (low, self.value())
            self.expect(")")
        return tensor


def _number(text):
    if text.endswith("j"):
        return complex(0, float(text[:-1]))
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text)


def parse_call(text):
    return _Parser(text).arguments()


def without_free_symbols(arguments):
    """Replaces sizes that no tensor has by numbers, since a program could not bind them."""
    bound = {size for tensor in tensors_of(arguments) for size in tensor.sizes}

    def fixed(value):
        if isinstance(value, list):
            return [fixed(entry) for entry in value]
        is_free = isinstance(value, Word) and re.fullmatch(r"s\d+", value.text) and value not in bound
        return SYMBOL_HINT if is_free else value

    return [(name, fixed(value)) for name, value in arguments]


def tensors_of(arguments):
    """The tensor arguments in order, those in lists included."""
    found = []
    for _, value in arguments:
        entries = value if isinstance(value, list) else [value]
        found += [entry for entry in entries if isinstance(entry, Tensor)]
    return found


def torch_operator(name):
    """Returns the PyTorch overload of a Litz operator's name, or None."""
    parts = name.split(".")
    namespace, overload = parts[:2], parts[2] if len(parts) > 2 else "default"
    packet = getattr(getattr(torch.ops, namespace[0]), namespace[1], None)
    return getattr(packet, overload, None) if packet is not None else None


def _element(value, given):
    if isinstance(value, Tensor):
        return next(given)
    return SYMBOL_HINT if isinstance(value, Word) else value


def _to_torch(value, given, argument, accepts_numbers):
    """Converts a value like PyTorch's own bindings: numbers become lists if requested."""
    if isinstance(value, Tensor):
        return next(given)
    if isinstance(value, list):
        return [_element(entry, given) for entry in value]
    if isinstance(value, Word):
        if value.text in FORMATS and argument.name == "memory_format":
            return FORMATS[value.text]
        if value.text in DTYPES:
            return DTYPES[value.text]
        if value.text.startswith(("cpu", "cuda")):
            return torch.device(value.text)
        value = SYMBOL_HINT
    kind = str(argument.type).removeprefix("Optional[").removesuffix("]")
    if isinstance(value, (bool, int, float, complex)):
        # Arithmetic accepts numbers as tensors; comparisons do not.
        if kind == "Tensor" and not accepts_numbers:
            return torch.scalar_tensor(value)
        if kind.startswith("List["):
            return [value]
    return value


# Operators for which PyTorch's bindings turn a Python number into a tensor.
NUMBERS_FOR_TENSORS = ("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide")


def call_torch(operator, arguments, inputs):
    """Makes the call. Exceptions of PyTorch propagate."""
    name = operator._schema.name.split("::")[-1].rstrip("_")
    accepts_numbers = name in NUMBERS_FOR_TENSORS
    given = iter(inputs)
    schema = operator._schema.arguments
    positional, named = [], {}
    for position, (name, value) in enumerate(arguments):
        argument = next((a for a in schema if a.name == name), None) if name else schema[position]
        if argument is None:
            raise TypeError(f"{operator} has no argument {name}")
        converted = _to_torch(value, given, argument, accepts_numbers)
        if argument.kwarg_only or len(positional) != schema.index(argument):
            named[argument.name] = converted
        else:
            positional.append(converted)
    names = [argument.name for argument in schema]
    mask = named.get("output_mask")
    if "output_mask" in names[:len(positional)]:
        mask = positional[names.index("output_mask")]
    return asked_for(operator(*positional, **named), mask, operator._schema.name)


def asked_for(results, mask, operator):
    """Without what an output mask leaves out: some kernels return it nevertheless."""
    # Grids have a gradient whatever the mask says, in exported programs too.
    if mask is None or len(mask) != len(results) or "grid_sampler" in operator:
        return results
    return tuple(entry for entry, is_asked in zip(results, mask) if is_asked)


def flat_tensors(result):
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [tensor for entry in result for tensor in flat_tensors(entry)]
    return []


def at_strides(dense, strides):
    """Copies a tensor to one of these strides, where 0 repeats the first of its elements."""
    if strides is None:  # Tensors without elements have unusual strides.
        return dense if dense.numel() else torch.empty(dense.shape, dtype=dense.dtype)
    if dense.numel() == 0:
        return torch.empty_strided(dense.shape, strides, dtype=dense.dtype)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(dense.shape, strides))
    strided = torch.zeros(extent, dtype=dense.dtype).as_strided(dense.shape, strides)
    index = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    strided[index].copy_(dense[index])
    return strided


def elements(tensor):
    """Returns row-major bytes."""
    plain = tensor.detach().resolve_conj().resolve_neg().reshape(-1)
    if plain.numel() == 0:
        return b""
    dense = torch.empty(plain.numel(), dtype=plain.dtype).copy_(plain)
    return dense.view(torch.uint8).numpy().tobytes()


class Pack:
    """A folder that litz-corpus runs as `calls`: manifest.jsonl and values.bin."""

    def __init__(self):
        self.values = bytearray()
        self.lines = []

    def add(self, tensor):
        size = max(tensor.element_size(), 1)
        self.values += bytes(-len(self.values) % size)
        offset = len(self.values)
        self.values += elements(tensor)
        return [DTYPE_NAMES[tensor.dtype], list(tensor.shape), offset]


"""Load times of large programs, over the number of nodes, for several shapes of graphs.

    python bench/large_programs.py LITZ [--nodes 1000 10000 100000] [--shapes chain wide ...]
        [--executor cpu] [--limit 600] [--keep FOLDER] [--passes]

Each program is a text of graph IR that this script writes; `litz run --no-cache` loads it and calls
it once. Printed are the seconds of the load, of the call, and the peak memory of the process.
`--passes` prints which passes took longest.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile


class Text:
    """Collects the statements of one graph."""

    def __init__(self, inputs):
        self.inputs = inputs
        self.lines = []

    def node(self, call):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {call}")
        return name

    def __len__(self):
        return len(self.lines)

    def text(self, outputs, symbols=""):
        inputs = ", ".join(f"%{name}: {type_}" for name, type_ in self.inputs)
        body = "\n".join(self.lines)
        return f"{symbols}graph @main({inputs}) {{\n{body}\n  return {', '.join(outputs)}\n}}\n"


UNARY = ["relu", "sin", "tanh", "sigmoid", "neg", "abs"]


def chain(count, random_):
    """One pointwise operator after another, without a period."""
    graph = Text([("x", "f32[16, 8]")])
    last = "%x"
    while len(graph) < count:
        last = graph.node(f"aten.{random_.choice(UNARY)}({last})")
    return graph.text([last])


def repeated(count, random_):
    """A chain of four equal operators again and again."""
    graph = Text([("x", "f32[16, 8]")])
    last = "%x"
    while len(graph) < count:
        last = graph.node(f"aten.{('mul', 'add')[len(graph) % 2]}.Tensor({last}, %x)")
        last = graph.node(f"aten.{('sin', 'tanh')[len(graph) // 2 % 2]}({last})")
    return graph.text([last])


def symbolic(count, random_):
    """A chain whose sizes a call decides."""
    graph = Text([("x", "f32[s0, 8]")])
    last = "%x"
    while len(graph) < count:
        last = graph.node(f"aten.{random_.choice(UNARY)}({last})")
    return graph.text([last], "sym s0 in [2, 4096] hint 16\n")


def wide(count, random_):
    """Many operators of one input, which are summed one after another."""
    graph = Text([("x", "f32[16, 8]")])
    parts = [graph.node(f"aten.mul.Tensor(%x, {i}.5)") for i in range(count // 2)]
    last = parts[0]
    for part in parts[1:]:
        last = graph.node(f"aten.add.Tensor({last}, {part})")
    return graph.text([last])


def tree(count, random_):
    """Many operators of one input, which are summed in pairs."""
    graph = Text([("x", "f32[16, 8]")])
    level = [graph.node(f"aten.mul.Tensor(%x, {i}.5)") for i in range(count // 2)]
    while len(level) > 1:
        pairs = [
            graph.node(f"aten.add.Tensor({a}, {b})") for a, b in zip(level[::2], level[1::2])
        ]
        level = pairs + level[len(pairs) * 2 :]
    return graph.text(level)


def views(count, random_):
    """Pointwise operators between views."""
    graph = Text([("x", "f32[16, 16]")])
    last = "%x"
    while len(graph) < count:
        last = graph.node(f"aten.{random_.choice(UNARY)}({last})")
        last = graph.node(f"aten.t({last})")
        last = graph.node(f"aten.add.Tensor({last}, %x)")
        last = graph.node(f"aten.reshape({last}, [4, 64])")
        last = graph.node(f"aten.{random_.choice(UNARY)}({last})")
        last = graph.node(f"aten.reshape({last}, [16, 16])")
    return graph.text([last])


def reductions(count, random_):
    """Pointwise operators between reductions."""
    graph = Text([("x", "f32[16, 8]")])
    last = "%x"
    while len(graph) < count:
        total = graph.node(f"aten.mean.dim({last}, [{random_.randrange(2)}], true)")
        less = graph.node(f"aten.sub.Tensor({last}, {total})")
        last = graph.node(f"aten.{random_.choice(UNARY)}({less})")
    return graph.text([last])


def products(count, random_):
    """Pointwise operators between matrix products."""
    graph = Text([("x", "f32[16, 16]"), ("w", "f32[16, 16]")])
    last = "%x"
    while len(graph) < count:
        last = graph.node(f"aten.mm({last}, %w)")
        last = graph.node(f"aten.{random_.choice(UNARY)}({last})")
        last = graph.node(f"aten.add.Tensor({last}, %x)")
    return graph.text([last])


def outputs(count, random_):
    """Many small results of one input."""
    graph = Text([("x", "f32[8]")])
    return graph.text([graph.node(f"aten.mul.Tensor(%x, {i}.5)") for i in range(count)])


def inputs(count, random_):
    """Many small inputs, each with its own result."""
    graph = Text([(f"x{i}", "f32[8]") for i in range(count)])
    return graph.text(
        [graph.node(f"aten.{random_.choice(UNARY)}(%x{i})") for i in range(count)]
    )


def ladder(count, random_):
    """Two chains, each of whose steps reads both."""
    graph = Text([("x", "f32[16, 8]"), ("y", "f32[16, 8]")])
    left, right = "%x", "%y"
    while len(graph) < count:
        sum_ = graph.node(f"aten.add.Tensor({left}, {right})")
        right = graph.node(f"aten.sub.Tensor({left}, {right})")
        left = graph.node(f"aten.{random_.choice(UNARY)}({sum_})")
    return graph.text([left, right])


def rails(count, random_):
    """A hundred chains side by side, one of which has a reduction now and then."""
    graph = Text([("x", "f32[16, 8]")])
    rails_ = [graph.node(f"aten.add.Tensor(%x, {i}.5)") for i in range(100)]
    while len(graph) < count:
        i = random_.randrange(100)
        if random_.random() < 0.1:
            rails_[i] = graph.node(f"aten.sum.dim_IntList({rails_[i]}, [1], true)")
            rails_[i] = graph.node(f"aten.add.Tensor({rails_[i]}, %x)")
        else:
            rails_[i] = graph.node(f"aten.{random_.choice(UNARY)}({rails_[i]})")
    return graph.text(rails_)


def near(count, random_):
    """A random graph whose nodes read two of the last fifty."""
    graph = Text([("x", "f32[16, 8]")])
    made = ["%x"]
    while len(graph) < count:
        a, b = random_.choice(made[-50:]), random_.choice(made[-50:])
        if random_.random() < 0.05:
            made.append(graph.node(f"aten._softmax({a}, {random_.randrange(2)}, false)"))
        else:
            name = random_.choice(["add", "sub", "mul", "maximum"])
            name = name if name == "maximum" else name + ".Tensor"
            made.append(graph.node(f"aten.{name}({a}, {b})"))
    return graph.text(made[-50:])


def far(count, random_):
    """A random graph whose nodes read any two before them: long lives, many readers."""
    graph = Text([("x", "f32[16, 8]")])
    made = ["%x"]
    while len(graph) < count:
        a, b = random_.choice(made), random_.choice(made)
        if random_.random() < 0.05:
            made.append(graph.node(f"aten._softmax({a}, {random_.randrange(2)}, false)"))
        else:
            made.append(graph.node(f"aten.add.Tensor({a}, {b})"))
    return graph.text(made[-50:])


def cells(count, random_):
    """Steps of an LSTM as a Python loop over cells exports them."""
    graph = Text([("x", "f32[4, 32]"), ("w", "f32[128, 32]"), ("u", "f32[128, 32]"), ("b", "f32[128]")])
    hidden, cell = "%x", "%x"
    while len(graph) < count:
        gates = graph.node(
            f"aten.add.Tensor({graph.node('aten.linear(%x, %w, %b)')}, "
            f"{graph.node(f'aten.linear({hidden}, %u)')})"
        )
        parts = graph.node(f"aten.chunk({gates}, 4, 1)").removeprefix("%")
        graph.lines[-1] = graph.lines[-1].replace(" = ", ":4 = ")
        in_, forget, out = (
            graph.node(f"aten.sigmoid(%{parts}#{i})") for i in (0, 1, 3)
        )
        new = graph.node(f"aten.tanh(%{parts}#2)")
        kept = graph.node(f"aten.mul.Tensor({forget}, {cell})")
        added = graph.node(f"aten.mul.Tensor({in_}, {new})")
        cell = graph.node(f"aten.add.Tensor({kept}, {added})")
        hidden = graph.node(f"aten.mul.Tensor({out}, {graph.node(f'aten.tanh({cell})')})")
    return graph.text([hidden, cell])


SHAPES = {
    f.__name__: f
    for f in (chain, repeated, symbolic, wide, tree, views, reductions, products)
    + (outputs, inputs, ladder, rails, near, far, cells)
}


def measure(litz, path, executor, limit, passes):
    """One row: the times that litz prints, or why there are none, and the memory of its process."""
    command = ["timeout", str(limit), litz, "run", str(path), "--no-cache", "--json"]
    command += ["--executor", executor] + (["--time-passes"] if passes else [])
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text, errors = out.read(), err.read()
    gigabytes = usage.ru_maxrss / 2**20
    if process.returncode == 124:
        return f"over {limit} s", gigabytes, ""
    if process.returncode != 0:
        return f"failed: {errors.strip().splitlines()[0][:100]}", gigabytes, ""
    times = json.loads(text)
    seconds = usage.ru_utime + usage.ru_stime
    row = f"load {times['load_ms'] / 1e3:8.2f} s  processor {seconds:8.2f} s  call {times['first_ms']:9.2f} ms"
    return row, gigabytes, errors


def slow_passes(errors):
    """The lines of the passes that took a second or more."""
    return [line for line in errors.splitlines() if re.match(r"\S+  [\d.]+ s  ", line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("litz")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--executor", default="cpu")
    parser.add_argument("--limit", type=int, default=600, help="seconds after which a load is given up")
    parser.add_argument("--passes", action="store_true", help="name passes that take a second")
    parser.add_argument("--keep", help="write the programs to this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes:
            for count in options.nodes:
                path = pathlib.Path(options.keep or folder, f"{shape}_{count}.ir")
                path.write_text(SHAPES[shape](count, random.Random(1)))
                row, gigabytes, errors = measure(
                    options.litz, path, options.executor, options.limit, options.passes
                )
                print(f"{shape:12s} {count:8d}   {row}   {gigabytes:6.2f} GB", flush=True)
                for line in slow_passes(errors):
                    print(f"    {line}", flush=True)
                if row.startswith("over"):
                    break


if __name__ == "__main__":
    main()

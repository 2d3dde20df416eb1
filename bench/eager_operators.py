"""The cost of operators at once in C++, Litz beside libtorch, in turns on one machine.

    python bench/eager_operators.py BUILD [--turns 3]

BUILD is a build folder of Litz. The environment has PyTorch, whose wheel holds libtorch and its
headers, and a C++ compiler is on the path. Times are nanoseconds of processor time: medians, and
the least in brackets.
"""

import argparse
import collections
import pathlib
import subprocess
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent


def command(engine, build):
    if engine == "litz":
        library = build / "src" / "compiler"
        return [f"-I{HERE.parent / 'include'}", f"-L{library}", "-llitz", f"-Wl,-rpath,{library}"]
    root = pathlib.Path(torch.__file__).parent
    include = root / "include"
    abi = int(torch.compiled_with_cxx11_abi())
    return ["-DWITH_TORCH", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", f"-I{include}",
            f"-I{include / 'torch/csrc/api/include'}", f"-L{root / 'lib'}", "-ltorch", "-ltorch_cpu",
            "-lc10", f"-Wl,-rpath,{root / 'lib'}", "-Wl,--no-as-needed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    found = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("litz", "libtorch"):
            program = pathlib.Path(folder) / engine
            subprocess.run(["g++", "-std=c++20", "-O2", str(HERE / "eager_operators.cpp"),
                            *command(engine, options.build.resolve()), "-o", str(program)],
                           check=True)
        for _ in range(options.turns):
            for engine in ("litz", "libtorch"):
                run = subprocess.run([pathlib.Path(folder) / engine], check=True, text=True,
                                     capture_output=True)
                for line in run.stdout.splitlines():
                    what, median, least = line.split("\t")
                    found[what, engine].append((float(median), float(least)))
    print(f"| operator | Litz | libtorch {torch.__version__} | ratio |\n|---|---|---|---|")
    for what in dict.fromkeys(what for what, _ in found):
        cells, medians = [], []
        for engine in ("litz", "libtorch"):
            times = found[what, engine]
            medians.append(sorted(median for median, _ in times)[len(times) // 2])
            cells.append(f"{medians[-1]:,.0f} ({min(least for _, least in times):,.0f})")
        print(f"| {what} | {cells[0]} | {cells[1]} | {medians[0] / medians[1]:.2f} |")


if __name__ == "__main__":
    main()

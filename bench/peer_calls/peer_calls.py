#!/usr/bin/env python3
"""The cost of a call of a tiny model from C++: Litz beside other libraries.

Exports one small network with the same weights for each engine, with fixed sizes and with a dynamic
number of rows, compiles a program for each engine against the libraries in its Python package, and
runs the programs in turn, in an order that rotates. Allocations are those of malloc and its
relatives in the whole process. Results are compared with PyTorch eager.

Needs Python packages that nothing else in the project needs, and the headers of ONNX Runtime, which
its package lacks (an older version's serve too, such as those of Debian's libonnxruntime-dev):
    python3 -m venv peers
    peers/bin/pip install torch onnx onnxscript onnxruntime openvino executorch
    peers/bin/python bench/peer_calls/peer_calls.py --onnxruntime-headers DIR
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENGINES = ("litz", "onnxruntime", "openvino", "executorch", "aotinductor")
SIZES = ("fixed", "dynamic")
TOLERANCE = 1e-5

# What peer_calls.h has.
ROWS, INPUT_COLUMNS = 4, 8


def package(name):
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise RuntimeError(f"no Python package {name}")
    return pathlib.Path(spec.submodule_search_locations[0])


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    if not found:
        raise RuntimeError(f"no {pattern} in {folder}")
    return found[-1]


# The model, for each engine.


def exported(model, sizes):
    """The network of the file, exported again: its weights, one Python program."""
    import torch

    weights = torch.export.load(str(model)).state_dict

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, weight in weights.items():
                self.register_buffer(name.replace(".", "_"), weight.detach().clone())

        def forward(self, x):
            hidden = torch.nn.functional.linear(x, self.a_weight, self.a_bias)
            return torch.nn.functional.linear(torch.relu(hidden), self.b_weight)

    rows = torch.export.Dim("rows", min=2, max=64)
    shapes = ({0: rows},) if sizes == "dynamic" else None
    network = Network().eval()
    example = torch.arange(ROWS * INPUT_COLUMNS, dtype=torch.float32) * 0.125 - 1.5
    example = example.reshape(ROWS, INPUT_COLUMNS)
    with torch.no_grad():
        expected = network(example).flatten().tolist()
        return torch.export.export(network, (example,), dynamic_shapes=shapes), expected


def export_litz(program, file):
    import torch

    torch.export.save(program, str(file) + ".pt2")
    return [(str(file) + ".pt2", None)]


def export_onnxruntime(program, file):
    import torch

    torch.onnx.export(program, dynamo=True, optimize=True, input_names=["x"], output_names=["y"],
                      verbose=False).save(str(file) + ".onnx")
    return [(str(file) + ".onnx", None)]


def export_openvino(program, file):
    import openvino

    onnx = export_onnxruntime(program, file)[0][0]
    openvino.save_model(openvino.convert_model(onnx), str(file) + ".xml", compress_to_fp16=False)
    return [(str(file) + ".xml", None)]


def export_executorch(program, file):
    """Kernels of the library, and the XNNPACK backend."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
    from executorch.exir.passes import MemoryPlanningPass

    made = []
    for backend, partitioners in (("kernels", None), ("XNNPACK", [XnnpackPartitioner()])):
        plan = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
        lowered = to_edge_transform_and_lower(program, partitioner=partitioners)
        result = lowered.to_executorch(ExecutorchBackendConfig(memory_planning_pass=plan))
        made.append((f"{file}.{backend}.pte", backend))
        pathlib.Path(made[-1][0]).write_bytes(result.buffer)
    return made


def export_aotinductor(program, file):
    import torch

    torch._inductor.aoti_compile_and_package(program, package_path=str(file) + ".pt2")
    return [(str(file) + ".pt2", None)]


EXPORTS = {"litz": export_litz, "onnxruntime": export_onnxruntime, "openvino": export_openvino,
           "executorch": export_executorch, "aotinductor": export_aotinductor}


# The programs.


def flags(engine, arguments):
    """Folders of headers, libraries, and other flags."""
    if engine == "litz":
        return [ROOT / "include"], [arguments.litz_library.resolve()], []
    if engine == "onnxruntime":
        if arguments.onnxruntime_headers is None:
            raise RuntimeError("needs --onnxruntime-headers")
        # The package has the library by its full version, programs ask for libonnxruntime.so.1.
        link = arguments.folder / "libonnxruntime.so.1"
        link.unlink(missing_ok=True)
        link.symlink_to(only(package("onnxruntime") / "capi", "libonnxruntime.so.*"))
        return [arguments.onnxruntime_headers], [link], []
    if engine == "openvino":
        root = package("openvino")
        return [root / "include"], [only(root / "libs", "libopenvino.so.*")], []
    if engine == "executorch":
        root = package("executorch")
        names = ("libexecutorch", "libexecutorch_threadpool", "libexecutorch_kernels_optimized",
                 "libexecutorch_backend_xnnpack")
        definitions = ["-DC10_USING_CUSTOM_GENERATED_MACROS", "-DET_EVENT_TRACER_ENABLED",
                       "-DET_USE_THREADPOOL", "-Wno-deprecated-declarations"]
        # Those of PyTorch's headers that it needs lie in a folder of its own.
        headers = root / "include"
        core = headers / "executorch/runtime/core/portable_type/c10"
        return [headers, core], [root / "lib" / f"{name}.so" for name in names], definitions
    # AOTInductor is a part of PyTorch.
    root = package("torch")
    libraries = [root / "lib" / f"lib{name}.so" for name in ("torch", "torch_cpu", "c10")]
    return [root / "include"], libraries, []


def build(engine, arguments):
    headers, libraries, others = flags(engine, arguments)
    program = arguments.folder / f"{engine}_calls"
    # Kernels register themselves, and packages of AOTInductor name libraries: all must be loaded.
    command = ["g++", "-std=c++20", "-O2", "-DNDEBUG", "-Wl,--no-as-needed", *others,
               "-o", program, HERE / f"{engine}.cpp"]
    for folder in headers:
        command += ["-isystem", folder]
    for library in libraries:
        command += [library, f"-Wl,-rpath,{library.parent}"]
    # Libraries that these need lie beside them or beside their Python packages.
    command += ["-Wl,--unresolved-symbols=ignore-in-shared-libs"]
    subprocess.run([str(part) for part in command], check=True)
    return program


# The rounds.


def run(program, model):
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run([program, model], env=environment, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program} {model}: {done.returncode}: {done.stderr[-400:]}")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    # Libraries may print too.
    return [(row[0], *map(float, row[1:4]), row[4]) for row in rows if len(row) == 5]


def check(what, text, expected):
    values = [float(value) for value in text.split()]
    worst = max(abs(a - b) for a, b in zip(values, expected, strict=True))
    if not worst <= TOLERANCE:
        raise RuntimeError(f"{what}: differs from PyTorch by {worst}")


def measure(made, rounds):
    """Lists of ns of processor time, ns and allocations by engine, way to call and sizes."""
    measured = {}
    for number in range(rounds):
        turn = number % len(made)
        for case in made[turn:] + made[:turn]:
            for way, processor, clock, allocations, values in run(case["program"], case["model"]):
                check(f"{case['model']}, {way}", values, case["expected"])
                key = (case["engine"], way + case["backend"], case["sizes"])
                row = measured.setdefault(key, ([], [], []))
                for column, value in zip(row, (processor, clock, allocations), strict=True):
                    column.append(value)
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    return measured


def version(engine):
    if engine == "litz":
        return "Litz"
    name = "torch" if engine == "aotinductor" else engine
    return f"{engine} {importlib.metadata.version(name)}"


def print_table(measured):
    print("| engine | call | sizes | processor ns, median | least | ns, median | least "
          "| allocations |")
    print("|---|---|---|---|---|---|---|---|")
    for engine, way, sizes in sorted(measured, key=lambda key: ENGINES.index(key[0])):
        processor, clock, allocations = measured[engine, way, sizes]
        print(f"| {version(engine)} | {way} | {sizes} "
              f"| {statistics.median(processor):,.0f} | {min(processor):,.0f} "
              f"| {statistics.median(clock):,.0f} | {min(clock):,.0f} "
              f"| {statistics.median(allocations):.2f} |")


def make(engine, arguments):
    """The program and the models of an engine."""
    program = str(build(engine, arguments))
    made = []
    for sizes in SIZES:
        network, expected = exported(arguments.model, sizes)
        file = arguments.folder / f"{engine}_{sizes}"
        for model, backend in EXPORTS[engine](network, file):
            made.append({"engine": engine, "program": program, "model": model, "sizes": sizes,
                         "backend": f", {backend}" if backend else "", "expected": expected})
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=pathlib.Path,
                        default=ROOT / "tests/data/pt2/v2_15_mlp_dynamic.raw.pt2",
                        help="the weights are taken from here")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/peer_calls",
                        help="for exported models and programs")
    parser.add_argument("--engines", default=",".join(ENGINES), help="separated by commas")
    parser.add_argument("--rounds", type=int, default=10, help="of 20,000 calls")
    parser.add_argument("--reuse", action="store_true",
                        help="models and programs that an earlier run left in the folder")
    parser.add_argument("--litz-library", type=pathlib.Path,
                        default=ROOT / "build/release/src/compiler/liblitz.so")
    parser.add_argument("--onnxruntime-headers", type=pathlib.Path,
                        help="the folder of onnxruntime_c_api.h")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    arguments.folder = arguments.folder.resolve()
    made = []
    for engine in arguments.engines.split(","):
        if engine not in ENGINES:
            parser.error(f"unknown engine {engine}; there are {', '.join(ENGINES)}")
        record = arguments.folder / f"{engine}.json"
        try:
            if not (arguments.reuse and record.exists()):
                record.write_text(json.dumps(make(engine, arguments)), encoding="utf-8")
            made += json.loads(record.read_text(encoding="utf-8"))
        except (RuntimeError, ImportError, subprocess.CalledProcessError) as failure:
            print(f"{engine} is left out: {failure}", file=sys.stderr)
    if not made:
        sys.exit("nothing to measure")
    print_table(measure(made, arguments.rounds))


if __name__ == "__main__":
    main()

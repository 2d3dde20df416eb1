#!/usr/bin/env python3
"""Litz beside PyTorch, ONNX Runtime and OpenVINO on exported models, in one run on one machine.

Every round starts one process for each engine, in an order that rotates, so that whatever else the
machine does meets all alike. Round 0 finds empty caches (cold); later rounds find what it left
(warm). Latency is the median of the rounds' medians. Outputs of round 0 are compared with those of
PyTorch eager.

Needs Python packages that nothing else in the project needs, about 5 GB:
    python3 -m venv peers && peers/bin/pip install torch torchvision transformers onnx onnxscript \\
        onnxruntime openvino numpy
    peers/bin/python bench/peers.py DIR --case bert_1_128_float32 --case resnet50_1_224_float32

DIR holds CASE.raw.pt2 (with weights) and CASE.inputs.npz with arrays in0, in1, ...
CASE.onnx is made there once, by torch.onnx.export; that time belongs to nobody.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ENGINES = ("litz", "eager", "inductor", "inductor-freezing", "onnxruntime", "openvino")
WARM_UP_CALLS = 3
FEWEST_CALLS = 10
CHILD_LIMIT_S = 900


class Case:
    def __init__(self, folder, name):
        self.name = name
        self.model = folder / f"{name}.raw.pt2"
        self.onnx = folder / f"{name}.onnx"
        self.inputs = folder / f"{name}.inputs.npz"

    def arrays(self):
        import numpy as np

        data = np.load(self.inputs)
        return [data[f"in{k}"] for k in range(len(data.files))]


# What one process measures.


def peak_megabytes():
    # getrusage would include the peak of the parent process.
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def latencies(call, seconds):
    for _ in range(WARM_UP_CALLS):
        call()
    samples = []
    start = time.perf_counter()
    while len(samples) < FEWEST_CALLS or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        call()
        samples.append(time.perf_counter() - begin)
    samples.sort()
    return {"p50_ms": 1e3 * statistics.median(samples), "min_ms": 1e3 * samples[0]}


def prepare_torch(engine, case, threads):
    import torch

    torch.set_num_threads(threads)
    arguments = [torch.from_numpy(array) for array in case.arrays()]
    start = time.perf_counter()
    with torch.no_grad():
        module = torch.export.load(str(case.model)).module()
        if engine != "eager":
            import torch._inductor.config as config

            config.freezing = engine == "inductor-freezing"
            module = torch.compile(module)

    def call():
        with torch.no_grad():
            return module(*arguments)

    def flat(result):
        return [leaf.numpy() for leaf in torch.utils._pytree.tree_leaves(result)]

    return start, call, flat


def prepare_onnxruntime(case, threads):
    import onnxruntime

    arrays = case.arrays()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(
        str(case.onnx), options, providers=["CPUExecutionProvider"])
    feed = dict(zip([i.name for i in session.get_inputs()], arrays))
    return start, lambda: session.run(None, feed), list


def prepare_openvino(case, threads):
    import openvino

    arrays = case.arrays()
    core = openvino.Core()
    start = time.perf_counter()
    compiled = core.compile_model(
        str(case.onnx), "CPU",
        {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads,
         "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()

    def flat(result):
        return [result[output] for output in compiled.outputs]

    return start, lambda: request.infer(arrays, share_inputs=True), flat


def run_child(engine, case, threads, seconds, outputs):
    """Prints one JSON object: first_ms, p50_ms, min_ms, peak_mb."""
    if engine == "onnxruntime":
        start, call, flat = prepare_onnxruntime(case, threads)
    elif engine == "openvino":
        start, call, flat = prepare_openvino(case, threads)
    else:
        start, call, flat = prepare_torch(engine, case, threads)
    first = call()
    row = {"first_ms": 1e3 * (time.perf_counter() - start)}
    if outputs:
        import numpy as np

        np.savez(outputs, **{f"out{k}": array for k, array in enumerate(flat(first))})
    row.update(latencies(call, seconds))
    row["peak_mb"] = peak_megabytes()
    print(json.dumps(row))


# The run over all engines.


def start_litz(litz, case, threads, seconds, caches, outputs):
    environment = dict(os.environ, LITZ_CACHE_DIR=str(caches / "litz"))
    common = ["--input", str(case.inputs), "--threads", str(threads)]
    done = subprocess.run(
        [litz, "bench", str(case.model), *common, "--seconds", str(seconds), "--json"],
        env=environment, capture_output=True, text=True, timeout=CHILD_LIMIT_S, check=True)
    measured = json.loads(done.stdout)
    if outputs:
        subprocess.run([litz, "run", str(case.model), *common, "--output", str(outputs)],
                       env=environment, check=True, stdout=subprocess.DEVNULL)
    return {
        "first_ms": measured["first_ms"],
        "p50_ms": measured["p50_us"] / 1e3,
        "min_ms": measured["min_us"] / 1e3,
        "peak_mb": measured["peak_mb"],
    }


def start_peer(engine, case, arguments, caches, outputs):
    environment = dict(
        os.environ, OMP_NUM_THREADS=str(arguments.threads),
        TORCHINDUCTOR_CACHE_DIR=str(caches / engine))
    command = [sys.executable, __file__, str(arguments.folder), "--child", engine, "--case",
               case.name, "--threads", str(arguments.threads), "--seconds", str(arguments.seconds)]
    if outputs:
        command += ["--outputs", str(outputs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True,
                          timeout=CHILD_LIMIT_S, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def export_onnx(case):
    """Runs in a separate process: the peak of a child includes that of its parent."""
    program = """
import sys, torch
exported = torch.export.load(sys.argv[1])
torch.onnx.export(exported, dynamo=True, optimize=True).save(sys.argv[2], external_data=True)
"""
    subprocess.run([sys.executable, "-c", program, str(case.model), str(case.onnx)], check=True,
                   stdout=subprocess.DEVNULL)


def error_of(outputs, reference):
    """Largest difference over the largest magnitude of the reference, over all outputs."""
    import numpy as np

    got, expected = np.load(outputs), np.load(reference)
    worst = 0.0
    for name in expected.files:
        want = expected[name].astype(np.float64)
        scale = max(float(np.abs(want).max()), 1e-30)
        have = got[name].astype(np.float64).reshape(want.shape)
        worst = max(worst, float(np.abs(have - want).max()) / scale)
    return worst


def warm_page_cache(folder, case):
    for file in folder.glob(case.name + ".*"):
        with open(file, "rb") as stream:
            while stream.read(1 << 24):
                pass


def measure_case(case, arguments, engines):
    rounds = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as temporary:
        caches = pathlib.Path(temporary)
        for number in range(arguments.rounds + 1):
            turn = number % len(engines)
            for engine in engines[turn:] + engines[:turn]:
                outputs = caches / f"{engine}.npz" if number == 0 else None
                try:
                    if engine == "litz":
                        row = start_litz(arguments.litz, case, arguments.threads,
                                         arguments.seconds, caches, outputs)
                    else:
                        row = start_peer(engine, case, arguments, caches, outputs)
                except subprocess.CalledProcessError as failure:
                    print(f"{case.name}: {engine} failed: {failure.stderr[-400:]}",
                          file=sys.stderr)
                    continue
                rounds[engine].append(row)
        return [summary(case, engine, rows, caches)
                for engine, rows in rounds.items() if len(rows) > 1]


def summary(case, engine, rows, caches):
    reference = caches / "eager.npz"
    outputs = caches / f"{engine}.npz"
    known = engine != "eager" and reference.exists() and outputs.exists()
    return {
        "case": case.name,
        "engine": engine,
        "cold_ms": rows[0]["first_ms"],
        "warm_ms": statistics.median(row["first_ms"] for row in rows[1:]),
        "p50_ms": statistics.median(row["p50_ms"] for row in rows[1:]),
        "min_ms": min(row["min_ms"] for row in rows[1:]),
        "peak_mb": max(row["peak_mb"] for row in rows),
        "error": error_of(outputs, reference) if known else None,
    }


def print_table(rows):
    print("| model | engine | p50 ms | min ms | first, cold s | first, warm s | peak MB | error |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        error = "" if row["error"] is None else f"{row['error']:.0e}"
        print(f"| {row['case']} | {row['engine']} | {row['p50_ms']:.1f} | {row['min_ms']:.1f} "
              f"| {row['cold_ms'] / 1e3:.2f} | {row['warm_ms'] / 1e3:.2f} "
              f"| {row['peak_mb']:.0f} | {error} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="holds CASE.raw.pt2, CASE.inputs.npz")
    parser.add_argument("--case", action="append", required=True, help="repeat for several")
    parser.add_argument("--engines", default=",".join(ENGINES), help="separated by commas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3, help="how long to call, each round")
    parser.add_argument("--rounds", type=int, default=3, help="warm rounds, after the cold one")
    parser.add_argument("--litz", default="build/release/bin/litz", help="the litz program")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures here")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--outputs", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_child(arguments.child, Case(arguments.folder, arguments.case[0]), arguments.threads,
                  arguments.seconds, arguments.outputs)
        return
    engines = arguments.engines.split(",")
    unknown = sorted(set(engines) - set(ENGINES))
    if unknown:
        parser.error(f"unknown engine {unknown[0]}; there are {', '.join(ENGINES)}")
    rows = []
    for name in arguments.case:
        case = Case(arguments.folder, name)
        if {"onnxruntime", "openvino"} & set(engines) and not case.onnx.exists():
            export_onnx(case)
        warm_page_cache(arguments.folder, case)
        rows += measure_case(case, arguments, engines)
        print_table(rows[-len(engines):])
        if arguments.json:
            arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

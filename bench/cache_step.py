"""One step of a decoder whose key-value caches are buffers, beside PyTorch's own.

Exports four attention layers with caches of 4096 positions (8 heads of 64, f32: 2 x 8 MiB a layer)
that are written at one position by index_copy_, by indexing, and by a slice, and times calls of the
exported program with `litz bench` and of the module in PyTorch eager, in turn.

    peers/bin/python bench/cache_step.py --litz build/release/bin/litz [--threads 2] [--rounds 3]
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import torch

LAYERS, HEADS, POSITIONS, WIDTH = 4, 8, 4096, 64
WRITES = ("index_copy", "indexing", "slice")


class Decoder(torch.nn.Module):
    def __init__(self, write):
        super().__init__()
        self.write = write
        size = HEADS * WIDTH
        self.inputs = torch.nn.ModuleList(torch.nn.Linear(size, 3 * size) for _ in range(LAYERS))
        self.outputs = torch.nn.ModuleList(torch.nn.Linear(size, size) for _ in range(LAYERS))
        for layer in range(LAYERS):
            for name in ("keys", "values"):
                cache = torch.zeros(1, HEADS, POSITIONS, WIDTH)
                self.register_buffer(f"{name}{layer}", cache)

    def put(self, cache, position, entry):
        if self.write == "index_copy":
            cache.index_copy_(2, position, entry)
        elif self.write == "indexing":
            cache[:, :, position] = entry
        else:
            cache[:, :, 17:18] = entry

    def forward(self, x, position):
        mask = (torch.arange(POSITIONS) <= position).view(1, 1, 1, POSITIONS)
        for layer in range(LAYERS):
            joined = self.inputs[layer](x).view(1, 1, 3, HEADS, WIDTH)
            query, key, value = joined.permute(2, 0, 3, 1, 4).unbind(0)
            keys, values = getattr(self, f"keys{layer}"), getattr(self, f"values{layer}")
            self.put(keys, position, key)
            self.put(values, position, value)
            mixed = torch.nn.functional.scaled_dot_product_attention(
                query, keys, values, attn_mask=mask)
            x = x + self.outputs[layer](mixed.transpose(1, 2).reshape(1, 1, -1))
        return x


def eager_ms(model, inputs, seconds):
    samples = []
    end = time.perf_counter() + seconds
    with torch.no_grad():
        while len(samples) < 10 or time.perf_counter() < end:
            start = time.perf_counter()
            model(*inputs)
            samples.append(1e3 * (time.perf_counter() - start))
    return statistics.median(samples)


def litz_ms(litz, archive, threads, seconds):
    command = [litz, "bench", str(archive), "--threads", str(threads), "--seconds", str(seconds),
               "--json"]
    row = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return row["p50_us"] / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--litz", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print("| cache is written by | litz ms | eager ms |")
    print("|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for write in WRITES:
            model = Decoder(write).eval()
            inputs = (torch.randn(1, 1, HEADS * WIDTH), torch.tensor([17]))
            archive = Path(folder) / f"{write}.pt2"
            torch.export.save(torch.export.export(model, inputs), archive)
            litz, eager = [], []
            for _ in range(arguments.rounds):
                litz.append(litz_ms(arguments.litz, archive, arguments.threads, arguments.seconds))
                eager.append(eager_ms(model, inputs, arguments.seconds))
            print(f"| {write} | {statistics.median(litz):.2f} | {statistics.median(eager):.2f} |")


if __name__ == "__main__":
    main()

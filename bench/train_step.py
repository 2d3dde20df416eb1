"""The training step of bench/train_step.cpp in PyTorch: eager, and compiled by Inductor.

    python bench/train_step.py [eager|compiled|recorded] [STEPS] [kept|checkpointed|BUDGET]
        [START.safetensors|-] [DEVICE]

"recorded" is Inductor's mode reduce-overhead, which replays CUDA graphs.

The third argument tells what the backward part computes again: nothing, the blocks
(torch.utils.checkpoint), or what a memory budget from 0 to 1 leaves (compiled only). To the last one the
weights and the text are written before training, and the loss of every step is printed.
"""

import resource
import statistics
import sys
import time

import safetensors.torch
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

WIDTH, HEADS, LAYERS, BATCH, LENGTH, WORDS = 384, 6, 6, 8, 128, 512


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.input = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.before_mlp = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.reshape(batch, length, HEADS, width // HEADS).transpose(1, 2)
                   for part in self.input(self.before_attention(x)).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.before_mlp(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.last = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, text, is_checkpointed):
        x = self.words(text) + self.places.weight
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if is_checkpointed else block(x)
        return self.head(self.last(x))


def write_start(path, model, text):
    """The names are those of bench/train_step.cpp."""
    tensors = {name.replace(".input.", ".attention.in_proj_").replace(".output.", ".attention.out_proj."):
               tensor.detach().clone() for name, tensor in model.state_dict().items()}
    safetensors.torch.save_file(tensors | {"text": text}, path)


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else "eager"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    repeats = sys.argv[3] if len(sys.argv) > 3 else "kept"
    if repeats not in ("kept", "checkpointed"):
        torch._functorch.config.activation_memory_budget = float(repeats)
    torch.manual_seed(1)
    device = sys.argv[5] if len(sys.argv) > 5 else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
    model = Gpt().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=device != "cpu")

    def loss_of(x, y):
        return F.cross_entropy(model(x, repeats == "checkpointed").reshape(-1, WORDS),
                               y.reshape(-1))

    if way != "eager":
        loss_of = torch.compile(loss_of, mode="reduce-overhead" if way == "recorded" else None)
    text = torch.randint(WORDS, (BATCH, LENGTH + 1))
    start = sys.argv[4] if len(sys.argv) > 4 and sys.argv[4] != "-" else None
    if start:
        write_start(start, model, text)
    x, y = text[:, :-1].contiguous().to(device), text[:, 1:].contiguous().to(device)
    times = []

    def step():
        torch.compiler.cudagraph_mark_step_begin()
        optimizer.zero_grad()
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        return loss

    for i in range(steps + 1):
        begin = time.perf_counter()
        loss = step()
        value = loss.item()
        took = 1000 * (time.perf_counter() - begin)
        if start:
            print(f"loss {i} {value:.6f}")
        if i == 0:
            print(f"first step {took:.0f} ms, loss {value:.4f}")
        else:
            times.append(took)
    begin = time.perf_counter()
    for _ in range(steps + 1):
        loss = step()
    loss.item()
    together = 1000 * (time.perf_counter() - begin) / (steps + 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"PyTorch {torch.__version__} {way} {repeats}: median {statistics.median(times):.1f} ms, least "
          f"{min(times):.1f} ms, {together:.2f} ms one after another; peak memory {peak} MiB; loss {value:.4f}")


if __name__ == "__main__":
    main()

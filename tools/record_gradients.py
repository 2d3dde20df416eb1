#!/usr/bin/env python3
"""Records PyTorch's gradients of small programs as a corpus for `litz-corpus grads`.

    python tools/record_gradients.py tests/data/corpus/gradients

needs PyTorch, which the project itself does not. FOLDER gets ops (exported programs, inputs, results) and
grads (the gradient of each input), in the form of the corpora of operators and of their gradients.
"""

import json
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F

from correct_gradients import weight


def attention(x, w, o):
    q, k, v = (t.view(2, 5, 2, 4).transpose(1, 2) for t in (x @ w).chunk(3, -1))
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return y.transpose(1, 2).reshape(2, 5, 8) @ o


def masked_softmax(x, w, o):
    q, k, v = (x @ w).chunk(3, -1)
    later = torch.ones(5, 5).triu(1).bool()
    return ((q @ k.mT / 2.8).masked_fill(later, float("-inf")).softmax(-1) @ v) @ o


def batch_norm(x, w, g, b):
    return F.relu(F.batch_norm(F.conv2d(x, w, padding=1), None, None, g, b, True))


def classifier(x, w, b, v, c):
    hidden = F.gelu(F.linear(x, w, b))
    return F.cross_entropy(F.linear(hidden, v, c), torch.tensor([0, 2, 1, 1]))


def embedding(e, w):
    rows = F.embedding(torch.tensor([[1, 2, 1], [0, 3, 3]]), e)
    targets = torch.tensor([0, 4, 1, 1, 2, 3])
    return F.cross_entropy((rows @ w).view(-1, 5), targets, label_smoothing=0.1)


def layer_norm(x, g, b, w):
    return F.layer_norm(x, (6,), g, b) @ w


def group_norm(x, g, b):
    return F.silu(F.group_norm(x, 2, g, b))


def writes(x, w):
    y = x * 2
    y[:, 0] = w
    y[1].mul_(x[0])
    y.view(-1)[2:4].add_(w[:2])
    return y.sin()


def pools(x, w):
    y = F.conv2d(x, w, stride=2, padding=1, groups=2)
    return F.avg_pool2d(F.max_pool2d(y, 2), 2).tanh()


def recurrent(x, w, v, b):
    h, c = torch.zeros(2, 4), torch.zeros(2, 4)
    for t in range(3):
        i, f, g, o = (x[t] @ w.T + b + h @ v.T).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
    return h


def rms_norm(x, w):
    return F.rms_norm(x, (6,), w) * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def without_gradients(x, w):
    with torch.no_grad():
        share = (x @ w).softmax(-1)
    return (share * (x @ w)).sum(-1)


def detached(x, w):
    return (x * w).detach() * x + w


def transposed_convolution(x, w):
    return F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1)


def experts(x, w):
    v, i = (x @ w).topk(2, -1)
    return torch.zeros(4, 6).scatter(1, i, v.softmax(-1)) @ w.T


def scans(x):
    return x.sort(-1)[0] * torch.arange(6.0) + x.cummax(-1)[0] + x.logcumsumexp(-1)


def complex_numbers(x, y):
    z = torch.complex(x, y)
    w = torch.fft.fft(z.exp() / (z * z + 2)) * z.conj() ** (1 + 2j)
    return torch.view_as_real(w.cumsum(1) + z.abs() * z.angle())


CASES = {
    attention: [(2, 5, 8), (8, 24), (8, 8)],
    masked_softmax: [(2, 5, 8), (8, 24), (8, 8)],
    batch_norm: [(2, 3, 5, 5), (4, 3, 3, 3), (4,), (4,)],
    classifier: [(4, 6), (8, 6), (8,), (3, 8), (3,)],
    embedding: [(4, 6), (6, 5)],
    layer_norm: [(2, 3, 6), (6,), (6,), (6, 4)],
    group_norm: [(2, 4, 3, 3), (4,), (4,)],
    writes: [(2, 4), (2,)],
    pools: [(1, 4, 8, 8), (4, 2, 3, 3)],
    recurrent: [(3, 2, 5), (16, 5), (16, 4), (16,)],
    rms_norm: [(3, 6), (6,)],
    without_gradients: [(3, 4), (4, 5)],
    detached: [(3, 4), (3, 4)],
    transposed_convolution: [(1, 2, 4, 4), (2, 3, 3, 3)],
    experts: [(4, 6), (6, 6)],
    scans: [(3, 6)],
    complex_numbers: [(2, 3), (2, 3)],
}


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def array(tensor):
    return tensor.detach().resolve_conj().resolve_neg().numpy()


def record(folder, function, shapes):
    name = function.__name__
    module = Function(function)
    inputs = [torch.randn(shape) for shape in shapes]
    program = torch.export.export(module, tuple(inputs))
    for part in program.graph_module.modules():
        for node in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else ():
            node.meta.pop("stack_trace", None)
    leaves = [x.clone().requires_grad_(True) for x in inputs]
    result = module(*leaves)
    loss = (result * weight(0, list(result.shape), torch.float32).float()).sum()
    gradients = torch.autograd.grad(loss, leaves, allow_unused=True)
    torch.export.save(program, folder / f"ops/{name}.pt2")
    numpy.savez(folder / f"ops/{name}.npz", out0=array(result),
                **{f"in{i}": array(x) for i, x in enumerate(inputs)})
    numpy.savez(folder / f"grads/{name}.npz",
                **{f"grad{i}": array(x) for i, x in enumerate(gradients) if x is not None})
    specs = [[list(x.shape), list(x.stride()), "float32"] for x in inputs]
    return {"case": name, "inputs": specs, "outputs": [[list(result.shape), "float32"]]}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("ops", "grads"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    lines = [json.dumps(record(folder, *case)) for case in CASES.items()]
    (folder / "ops/manifest.jsonl").write_text("\n".join(lines) + "\n")
    names = [json.dumps({"case": function.__name__}) for function in CASES]
    (folder / "grads/manifest.jsonl").write_text("\n".join(names) + "\n")


if __name__ == "__main__":
    main()

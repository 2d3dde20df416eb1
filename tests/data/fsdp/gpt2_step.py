"""A training step of a GPT-2-like model whose parameters are sharded over ranks (FSDP).

Every rank gathers a parameter where a block needs it, again in the backward pass, and scatters its
gradient. The step is traced with its gradients, so that it is one graph of ATen operators.
"""

import dataclasses

import torch
from torch.fx.experimental.proxy_tensor import make_fx

C10D = torch.ops._c10d_functional


@dataclasses.dataclass
class Size:
    ranks: int = 4
    layers: int = 2
    width: int = 16
    heads: int = 2
    length: int = 4
    batch: int = 2
    words: int = 32


def gathered(shard, size):
    return C10D.wait_tensor(C10D.all_gather_into_tensor(shard, size.ranks, "0"))


def scattered(gradient, size):
    return C10D.wait_tensor(C10D.reduce_scatter_tensor(gradient.contiguous(), "avg", size.ranks, "0"))


class Product(torch.autograd.Function):
    """x times the transposed gathered weight; the backward pass gathers again instead of keeping it."""

    @staticmethod
    def forward(ctx, x, shard, size):
        ctx.save_for_backward(x, shard)
        ctx.size = size
        return x @ gathered(shard, size).t()

    @staticmethod
    def backward(ctx, gradient):
        x, shard = ctx.saved_tensors
        weight = gathered(shard, ctx.size)
        return gradient @ weight, scattered(gradient.t() @ x, ctx.size), None


def shapes(size):
    """Shards by name, in the order of inputs."""
    width = size.width
    found = {}
    for layer in range(size.layers):
        for name, rows, columns in (("qkv", 3 * width, width), ("proj", width, width),
                                    ("up", 4 * width, width), ("down", width, 4 * width)):
            found[f"layer{layer}.{name}"] = (rows // size.ranks, columns)
    found["head"] = (size.words // size.ranks, width)
    return found


def attention(qkv, size):
    def heads(part):
        return part.view(size.batch, size.length, size.heads, -1).transpose(1, 2)

    q, k, v = (heads(part) for part in qkv.chunk(3, -1))
    scores = q @ k.transpose(-1, -2) * (size.width // size.heads) ** -0.5
    mask = torch.ones(size.length, size.length, dtype=torch.bool, device=q.device).tril()
    mixed = scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v
    return mixed.transpose(1, 2).reshape(-1, size.width)


def loss_of(shards, x, targets, size):
    shards = dict(zip(shapes(size), shards))
    for layer in range(size.layers):
        def product(value, name):
            return Product.apply(value, shards[f"layer{layer}.{name}"], size)

        normal = torch.nn.functional.layer_norm(x, (size.width,))
        x = x + product(attention(product(normal, "qkv"), size), "proj")
        normal = torch.nn.functional.layer_norm(x, (size.width,))
        x = x + product(torch.nn.functional.gelu(product(normal, "up")), "down")
    scores = Product.apply(torch.nn.functional.layer_norm(x, (size.width,)), shards["head"], size)
    return torch.nn.functional.cross_entropy(scores, targets)


def step(size):
    def run(x, targets, *shards):
        loss = loss_of(shards, x, targets, size)
        total = C10D.wait_tensor(C10D.all_reduce(loss, "avg", "0"))
        return (total, *torch.autograd.grad(loss, shards))

    return run


def example(size):
    rows = size.batch * size.length
    inputs = [torch.randn(rows, size.width), torch.arange(rows) % size.words]
    inputs += [torch.randn(shape) * shape[1] ** -0.5 for shape in shapes(size).values()]
    for shard in inputs[2:]:
        shard.requires_grad_()
    return inputs


def traced(size):
    """The step as a graph of ATen operators, with the inputs that it was traced with."""
    inputs = example(size)
    module = make_fx(step(size), tracing_mode="fake", _allow_non_fake_inputs=True)(*inputs)
    return module, [tensor.detach() for tensor in inputs]


def exported(size):
    """The step as an exported program without example inputs, which would be large."""
    module, inputs = traced(size)
    module.graph.eliminate_dead_code()
    module.recompile()
    program = torch.export.export(module, tuple(inputs))
    program._example_inputs = None
    return program

"""The measurements of bench/gpu/graph_trees.cpp in PyTorch's mode reduce-overhead (graph trees).

    python bench/gpu/graph_trees.py [calls | lengths | decode | chain] [eager]

"eager" runs the same without compiling. Times are those of the host until calls return, and with one
wait at the end.
"""

import statistics
import sys
import time

import torch
import torch.nn.functional as F

EAGER = sys.argv[-1] == "eager"
NAME = f"PyTorch {torch.__version__} {'eager' if EAGER else 'reduce-overhead'}"


def compiled(function, dynamic=False):
    if EAGER:
        return function
    return torch.compile(function, mode="reduce-overhead", dynamic=dynamic)


def tensor(*sizes):
    return torch.full(sizes, 0.01, device="cuda")


def used():
    free, all_of_it = torch.cuda.mem_get_info()
    return (all_of_it - free) / 2**20


def microseconds(begin):
    return 1e6 * (time.perf_counter() - begin)


def measure_calls(inputs):
    def sums(*xs):
        total = xs[0]
        for x in xs[1:]:
            total = total + x
        return F.relu(total)

    function = compiled(sums)
    given = [[tensor(1024) for _ in range(inputs)] for _ in range(2)]
    for i in range(8):
        torch.compiler.cudagraph_mark_step_begin()
        function(*given[i % 2])
    host, whole = [], []
    for _ in range(51):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for i in range(100):
            torch.compiler.cudagraph_mark_step_begin()
            function(*given[i % 2])
        host.append(microseconds(begin) / 100)
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for i in range(100):
            torch.compiler.cudagraph_mark_step_begin()
            function(*given[i % 2])
            torch.cuda.synchronize()
        whole.append(microseconds(begin) / 100)
    print(f"{NAME}: {inputs} inputs, other addresses: host {statistics.median(host):.2f} us a call, "
          f"with a wait {statistics.median(whole):.2f} us")


def measure_lengths():
    def block(x, w, v):
        h = F.gelu(F.layer_norm(x, [256]) @ w)
        return torch.softmax(h @ v, -1) + x

    function = compiled(block, dynamic=True)
    w, v = tensor(256, 1024), tensor(1024, 256)
    inputs = [tensor(16 * (i + 1), 256) for i in range(50)]
    for x in inputs:
        torch._dynamo.mark_dynamic(x, 0)
    for round_ in range(4):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for x in inputs:
            torch.compiler.cudagraph_mark_step_begin()
            function(x, w, v)
        host = microseconds(begin) / 50
        torch.cuda.synchronize()
        print(f"{NAME}: 50 lengths, round {round_}: host {host:.1f} us, {microseconds(begin) / 50:.1f} us "
              f"a call with the wait at the end; card {used():.0f} MiB")


def measure_decode():
    def step(x, cache):
        cache = torch.cat([cache, x])
        return torch.softmax(x @ cache.T, -1) @ cache, cache

    function = compiled(step, dynamic=True)
    for round_ in range(2):
        x, cache = tensor(1, 512), tensor(2, 512)
        torch.cuda.synchronize()
        before = used()
        begin = time.perf_counter()
        for _ in range(1000):
            torch.compiler.cudagraph_mark_step_begin()
            x, cache = (result.clone() for result in function(x, cache))
        host = microseconds(begin) / 1000
        torch.cuda.synchronize()
        print(f"{NAME}: decode, 1,000 steps, round {round_}: host {host:.1f} us, "
              f"{microseconds(begin) / 1000:.1f} us a step; card {used():.0f} MiB, {before:.0f} before; "
              f"{x[0, 0].item():.6f}")


def measure_chain():
    def part(x, w, v):
        return F.gelu(x @ w) @ v

    parts = [compiled(lambda x, w, v, i=i: part(x, w, v)) for i in range(3)]
    w, v, x = tensor(1024, 16384), tensor(16384, 1024), tensor(8192, 1024)
    torch.cuda.synchronize()
    before = used()
    for i in range(7):
        if i == 2:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        torch.compiler.cudagraph_mark_step_begin()
        y = x
        for each in parts:
            y = each(y, w, v)
    torch.cuda.synchronize()
    took = microseconds(begin) / 1000 / 5
    torch.cuda.empty_cache()
    print(f"{NAME}: three functions: {used() - before:.0f} MiB more than inputs, {took:.1f} ms")


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch._dynamo.config.cache_size_limit = 256
    torch.set_grad_enabled(False)
    what = sys.argv[1] if len(sys.argv) > 1 else "calls"
    if what == "calls":
        measure_calls(1)
        measure_calls(50)
    elif what == "lengths":
        measure_lengths()
    elif what == "decode":
        measure_decode()
    else:
        measure_chain()


if __name__ == "__main__":
    main()

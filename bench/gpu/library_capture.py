"""Whether calls of cuBLASLt and cuDNN that were captured into a CUDA graph can be patched.

    python bench/gpu/library_capture.py

needs PyTorch with CUDA, which makes the calls. Each call is captured twice, with other addresses of
its operands. Kernel parameters are compared word by word (8 bytes each): a word that differs is
explained when it is an operand's address plus the same addend in both captures. Such a word can be
patched; a call with other differences has to be captured again.
"""

import ctypes
import time

import torch
import torch.nn.functional as F

cuda = ctypes.CDLL("libcuda.so.1")
KERNEL = 0
KINDS = {0: "kernel", 1: "copy", 2: "fill", 3: "host", 4: "child graph", 5: "empty"}


class KernelParams(ctypes.Structure):
    _fields_ = [("func", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("params", ctypes.POINTER(ctypes.c_void_p)),
                ("extra", ctypes.c_void_p), ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p)]


def must(result, what):
    if result != 0:
        raise RuntimeError(f"{what} gave {result}")


def nodes_of(graph):
    count = ctypes.c_size_t()
    must(cuda.cuGraphGetNodes(ctypes.c_void_p(graph), None, ctypes.byref(count)), "cuGraphGetNodes")
    nodes = (ctypes.c_void_p * count.value)()
    must(cuda.cuGraphGetNodes(ctypes.c_void_p(graph), nodes, ctypes.byref(count)), "cuGraphGetNodes")
    return list(nodes)


def kind_of(node):
    kind = ctypes.c_int()
    must(cuda.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)), "cuGraphNodeGetType")
    return kind.value


def name_of(params):
    name = ctypes.c_char_p()
    if params.func and cuda.cuFuncGetName(ctypes.byref(name), ctypes.c_void_p(params.func)) == 0:
        return name.value.decode()
    if params.kernel and cuda.cuKernelGetName(ctypes.byref(name), ctypes.c_void_p(params.kernel)) == 0:
        return name.value.decode()
    return "?"


def packed_parameters(params):
    """Reads parameters passed as one buffer: pairs of a key and a value, ended by 0."""
    if not params.extra:
        return []
    extra = ctypes.cast(params.extra, ctypes.POINTER(ctypes.c_void_p))
    found = {}
    for at in range(0, 8, 2):
        if not extra[at]:
            break
        found[extra[at]] = extra[at + 1]
    if 1 not in found or 2 not in found:
        return []
    size = ctypes.cast(found[2], ctypes.POINTER(ctypes.c_size_t))[0]
    return [ctypes.string_at(found[1], size)]


def parameters_of(node):
    """The kernel's name and the bytes of its parameters."""
    params = KernelParams()
    must(cuda.cuGraphKernelNodeGetParams_v2(ctypes.c_void_p(node), ctypes.byref(params)), "params")
    read = cuda.cuFuncGetParamInfo if params.func else cuda.cuKernelGetParamInfo
    function = params.func or params.kernel
    blobs = packed_parameters(params)
    while params.params:
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        index = ctypes.c_size_t(len(blobs))
        if read(ctypes.c_void_p(function), index, ctypes.byref(offset), ctypes.byref(size)) != 0:
            break
        blobs.append(ctypes.string_at(params.params[len(blobs)], size.value))
    return name_of(params), blobs


def captured(call, operands):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    stream = torch.cuda.Stream()
    with torch.cuda.graph(graph, stream=stream):
        result = call(*operands)
    nodes = [(kind_of(node), node) for node in nodes_of(graph.raw_cuda_graph())]
    kernels = [parameters_of(node) if kind == KERNEL else (KINDS.get(kind, str(kind)), []) for kind, node in nodes]
    return graph, kernels, [*operands, result]


def words(blob):
    """8-byte words at every multiple of 4: structs pack pointers behind 32-bit fields."""
    return {at: int.from_bytes(blob[at:at + 8], "little") for at in range(0, len(blob) - 7, 4)}


def explained(a, b, operands_a, operands_b):
    """Finds the operand whose address plus one addend gives both words."""
    for number, (x, y) in enumerate(zip(operands_a, operands_b)):
        addend = a - x.data_ptr()
        if addend == b - y.data_ptr() and 0 <= addend <= x.untyped_storage().nbytes():
            return number
    return None


def compare(first, second):
    """Counts words that addresses explain, bytes that differ for other reasons, and compared bytes."""
    patched, unknown, size = 0, [], 0
    for (name, blobs), (_, others) in zip(first[1], second[1]):
        for blob, other in zip(blobs, others):
            size += len(blob)
            covered = set()
            there = words(other)
            for at, word in words(blob).items():
                if word != there.get(at) and explained(word, there[at], first[2], second[2]) is not None:
                    patched += 1
                    covered.update(range(at, at + 8))
            unknown += [(name[:40], at) for at in range(len(blob)) if blob[at] != other[at] and at not in covered]
    return patched, unknown, size


def report(name, call, make):
    sets = [make() for _ in range(2)]
    for operands in sets:
        call(*operands)
    torch.cuda.synchronize()
    try:
        first, second = captured(call, sets[0]), captured(call, sets[1])
        patched, unknown, size = compare(first, second)
        kernels = ", ".join(kernel[:34] for kernel, _ in first[1])
        same = [k for k, _ in first[1]] == [k for k, _ in second[1]]
        print(f"| {name} | {len(first[1])} | {size} | {patched} | {len(unknown)} {sorted(set(unknown))[:4] if unknown else ''} "
              f"| {'yes' if same else 'no'} | {kernels} |")
    except Exception as error:  # The table shows all calls that could be captured.
        print(f"| {name} | failed: {type(error).__name__}: {str(error)[:120]} | | | | | |")


def random(*sizes, dtype=torch.bfloat16):
    return torch.randn(*sizes, dtype=dtype, device="cuda")


def main():
    torch.backends.cudnn.benchmark = False
    start = time.perf_counter()
    torch.zeros(1, device="cuda")
    print(f"PyTorch {torch.__version__}, first tensor {time.perf_counter() - start:.2f} s\n")
    print("| call | nodes | parameter bytes | words explained by addresses | bytes not explained | same kernels | kernels |")
    print("|---|---|---|---|---|---|---|")
    for m, k, n in ((128, 768, 2304), (1, 2048, 6144), (1024, 1024, 1024), (128, 768, 50257)):
        report(f"mm {m}x{k}x{n} bf16", torch.mm, lambda: (random(m, k), random(k, n)))
        report(f"linear {m}x{k}x{n} bf16", F.linear, lambda: (random(m, k), random(n, k), random(n)))
    report("mm 128x768x2304 f32", torch.mm,
           lambda: (random(128, 768, dtype=torch.float32), random(768, 2304, dtype=torch.float32)))
    report("bmm 12x128x64x128 bf16", torch.bmm, lambda: (random(12, 128, 64), random(12, 64, 128)))
    image = lambda *sizes: random(*sizes).to(memory_format=torch.channels_last)
    report("conv 3x3 64, 56x56, NHWC bf16", lambda x, w: F.conv2d(x, w, padding=1),
           lambda: (image(1, 64, 56, 56), image(64, 64, 3, 3)))
    report("conv 1x1 64 to 256, NHWC bf16", F.conv2d, lambda: (image(1, 64, 56, 56), image(256, 64, 1, 1)))
    report("conv 7x7 stride 2, NCHW f32", lambda x, w: F.conv2d(x, w, stride=2, padding=3),
           lambda: (random(1, 3, 224, 224, dtype=torch.float32), random(64, 3, 7, 7, dtype=torch.float32)))
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
        def attention(q, k, v):
            with sdpa_kernel([backend]):
                return F.scaled_dot_product_attention(q, k, v)
        report(f"attention 12x128x64, {backend.name.lower()}", attention,
               lambda: tuple(random(1, 12, 128, 64) for _ in range(3)))


if __name__ == "__main__":
    main()

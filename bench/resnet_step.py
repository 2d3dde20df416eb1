"""The training step of examples/resnet_step.cpp in PyTorch: eager, and compiled by Inductor.

    python bench/resnet_step.py [eager|compiled] [STEPS [IMAGES [SIZE [START.safetensors]]]]

The weights and the batch are written to the last one before training. Needs torchvision.
"""

import resource
import statistics
import sys
import time

import safetensors.torch
import torch
import torch.nn.functional as F
from torchvision.models import resnet18


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else "eager"
    steps, images, size = (int(sys.argv[i]) if len(sys.argv) > i else otherwise
                           for i, otherwise in ((2, 10), (3, 4), (4, 64)))
    torch.manual_seed(1)
    model = resnet18()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def loss_of(x, y):
        return F.cross_entropy(model(x), y)

    if way == "compiled":
        loss_of = torch.compile(loss_of)
    x, y = torch.rand(images, 3, size, size), torch.randint(1000, (images,))
    if len(sys.argv) > 5:
        start = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        safetensors.torch.save_file(start | {"images": x, "classes": y}, sys.argv[5])
    times = []
    for i in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        value = loss.item()
        times.append(1000 * (time.perf_counter() - begin))
        print(f"step {i}: loss {value:.4f}, {times[-1]:.1f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"PyTorch {torch.__version__} {way}: median {statistics.median(times[1:]):.1f} ms, least "
          f"{min(times[1:]):.1f} ms; peak memory {peak} MiB")


if __name__ == "__main__":
    main()

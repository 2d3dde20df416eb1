// The cost of a CUDA graph, a patch and a compilation on this machine. These figures decide how
// programs are recorded and compiled.
//
//   nvcc -O2 -std=c++20 -o probe bench/gpu/probe.cpp -lcuda -lnvrtc -lpthread && ./probe
//
// Prints a table in Markdown. Times are medians; "host" is the time of the calling thread, "device"
// that of one of many replays in a row. Needs the driver and NVRTC, but not Litz.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <dlfcn.h>
#include <functional>
#include <nvrtc.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text != nullptr ? text : "unknown error");
  std::exit(1);
}

#define MUST(call) must(call, #call)

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

double median_us(int times, const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const double start = now_us();
    work();
    all.push_back(now_us() - start);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

void row(const std::string& what, double us, const std::string& note = "") {
  if (us >= 1000) {
    std::printf("| %s | %.1f ms | %s |\n", what.c_str(), us / 1000, note.c_str());
  } else {
    std::printf("| %s | %.2f us | %s |\n", what.c_str(), us, note.c_str());
  }
}

// A typical fused kernel: a row's mean and variance, then an elementwise tail.
std::string norm_kernel(int number) {
  return "extern \"C\" __global__ void norm" + std::to_string(number) +
         R"((const float* x, const float* w, float* y, int n) {
  __shared__ float part[32];
  const float* row = x + (long long)blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i] * row[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) sum += part[i];
  const float scale = rsqrtf(sum / n + )" +
         std::to_string(number) + R"(e-6f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float v = row[i] * scale * w[i];
    y[(long long)blockIdx.x * n + i] = v / (1.0f + expf(-v));
  }
}
)";
}

const char* const kTinyKernels = R"(
extern "C" __global__ void tiny(float* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] * x[i];
}
extern "C" __global__ void early(float* x, int n) {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;");
  const int i = threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] * x[i];
}
extern "C" __global__ void by_table(float* const* table, int slot, int n) {
  float* x = table[slot];
  const int i = threadIdx.x;
  if (i < n) x[i] = x[i] * x[i] * x[i];
}
)";

std::vector<char> compile(const std::string& text) {
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr);
  const char* options[] = {"--gpu-architecture=sm_90a", "--std=c++17", "-default-device"};
  const nvrtcResult result = nvrtcCompileProgram(program, 3, options);
  if (result != NVRTC_SUCCESS) {
    size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    nvrtcGetProgramLog(program, log.data());
    std::fprintf(stderr, "NVRTC: %s\n", log.c_str());
    std::exit(1);
  }
  size_t size = 0;
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> cubin(size);
  nvrtcGetCUBIN(program, cubin.data());
  nvrtcDestroyProgram(&program);
  return cubin;
}

std::string norms(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += norm_kernel(i + 1);
  return text;
}

double timed(const std::function<void()>& work) {
  const double start = now_us();
  work();
  return now_us() - start;
}

// Kernels `apart` programs at a time on as many threads.
double compile_in_threads(int kernels, int threads) {
  return timed([&] {
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([=] { compile(norms(t * kernels / threads, kernels / threads)); });
    }
    for (std::thread& worker : workers) worker.join();
  });
}

double compile_in_processes(int kernels, int processes) {
  return timed([&] {
    for (int p = 0; p < processes; ++p) {
      if (::fork() == 0) {
        compile(norms(p * kernels / processes, kernels / processes));
        ::_exit(0);
      }
    }
    for (int p = 0; p < processes; ++p) ::wait(nullptr);
  });
}

void probe_compilation() {
  row("NVRTC, first kernel of a process", timed([] { compile(norms(0, 1)); }));
  row("NVRTC, another kernel", median_us(5, [] { compile(norms(0, 1)); }));
  for (const int count : {2, 8, 32}) {
    const double us = timed([&] { compile(norms(0, count)); });
    char note[64];
    std::snprintf(note, sizeof note, "%.1f ms a kernel", us / 1000 / count);
    row("NVRTC, " + std::to_string(count) + " kernels in one program", us, note);
  }
  row("NVRTC, 32 kernels, a program each", timed([] {
        for (int i = 0; i < 32; ++i) compile(norms(i, 1));
      }));
  for (const int threads : {2, 4, 8, 16}) {
    row("NVRTC, 32 kernels on " + std::to_string(threads) + " threads",
        compile_in_threads(32, threads));
  }
  for (const int processes : {2, 4, 8, 16}) {
    row("NVRTC, 32 kernels in " + std::to_string(processes) + " processes",
        compile_in_processes(32, processes));
  }
}

struct Machine {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  CUfunction tiny = nullptr;
  CUfunction early = nullptr;
  CUfunction by_table = nullptr;
};

CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction function, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = 32;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  return params;
}

// An instantiated graph, whose replays are measured.
struct Replay {
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  double instantiate_us = 0;

  void finish() {
    instantiate_us = timed([&] { MUST(cuGraphInstantiate(&exec, graph, 0)); });
  }

  ~Replay() {
    if (exec != nullptr) cuGraphExecDestroy(exec);
    if (graph != nullptr) cuGraphDestroy(graph);
  }
};

struct Times {
  double host = 0;
  double synchronised = 0;
  double device = 0;
};

Times replay(const Machine& m, const Replay& r) {
  const auto launch = [&] { MUST(cuGraphLaunch(r.exec, m.stream)); };
  for (int i = 0; i < 20; ++i) launch();
  MUST(cuStreamSynchronize(m.stream));
  Times times;
  std::vector<double> hosts;
  times.synchronised = median_us(300, [&] {
    const double start = now_us();
    launch();
    hosts.push_back(now_us() - start);
    MUST(cuStreamSynchronize(m.stream));
  });
  std::sort(hosts.begin(), hosts.end());
  times.host = hosts[hosts.size() / 2];
  constexpr int kReplays = 300;
  const double start = now_us();
  for (int i = 0; i < kReplays; ++i) launch();
  MUST(cuStreamSynchronize(m.stream));
  times.device = (now_us() - start) / kReplays;
  return times;
}

std::string note_of(const Replay& r, const Times& t, int nodes) {
  char note[200];
  std::snprintf(note, sizeof note,
                "host %.2f, with a synchronisation %.2f, instantiation %.0f us; %.2f us a node",
                t.host, t.synchronised, r.instantiate_us, t.device / nodes);
  return note;
}

// n nodes in a chain; `add` makes node i after the one before.
using Adder = std::function<CUgraphNode(CUgraph, int, const CUgraphNode*)>;

void chain(Replay& r, int n, const Adder& add, std::vector<CUgraphNode>* nodes = nullptr) {
  MUST(cuGraphCreate(&r.graph, 0));
  CUgraphNode last = nullptr;
  for (int i = 0; i < n; ++i) {
    last = add(r.graph, i, i > 0 ? &last : nullptr);
    if (nodes != nullptr) nodes->push_back(last);
  }
  r.finish();
}

CUgraphNode add_kernel(CUgraph graph, CUfunction function, void** arguments,
                       const CUgraphNode* after) {
  const CUDA_KERNEL_NODE_PARAMS params = kernel_params(function, arguments);
  CUgraphNode node = nullptr;
  MUST(cuGraphAddKernelNode(&node, graph, after, after != nullptr ? 1 : 0, &params));
  return node;
}

void probe_chains(const Machine& m) {
  CUdeviceptr x = m.a;
  int n = 16;
  void* arguments[] = {&x, &n};
  for (const int count : {1, 10, 100, 1000}) {
    Replay r;
    std::vector<CUgraphNode> nodes;
    chain(
        r, count,
        [&](CUgraph g, int, const CUgraphNode* after) {
          return add_kernel(g, m.tiny, arguments, after);
        },
        &nodes);
    const Times t = replay(m, r);
    row(std::to_string(count) + " kernel nodes, replay", t.device, note_of(r, t, count));
    if (count < 10) continue;
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(m.tiny, arguments);
    int turn = 0;
    row("patching all " + std::to_string(count) + " nodes, host", median_us(100, [&] {
          x = (++turn % 2) != 0 ? m.b : m.a;
          for (const CUgraphNode node : nodes) {
            MUST(cuGraphExecKernelNodeSetParams(r.exec, node, &params));
          }
        }));
    row("patching all and replaying, with a synchronisation", median_us(100, [&] {
          x = (++turn % 2) != 0 ? m.b : m.a;
          for (const CUgraphNode node : nodes) {
            MUST(cuGraphExecKernelNodeSetParams(r.exec, node, &params));
          }
          MUST(cuGraphLaunch(r.exec, m.stream));
          MUST(cuStreamSynchronize(m.stream));
        }));
    x = m.a;
  }
}

// Kernels that read their addresses from a table on the device, which one copy fills.
void probe_table(const Machine& m) {
  constexpr int kCount = 50;
  CUdeviceptr table = 0;
  MUST(cuMemAlloc(&table, kCount * sizeof(CUdeviceptr)));
  CUdeviceptr* pinned = nullptr;
  MUST(cuMemAllocHost(reinterpret_cast<void**>(&pinned), kCount * sizeof(CUdeviceptr)));
  for (int i = 0; i < kCount; ++i) pinned[i] = m.a;
  int slot = 0;
  int n = 16;
  void* arguments[] = {&table, &slot, &n};
  for (const bool has_copy : {false, true}) {
    Replay r;
    chain(r, kCount + (has_copy ? 1 : 0), [&](CUgraph g, int i, const CUgraphNode* after) {
      slot = i % kCount;
      if (has_copy && i == 0) {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = pinned;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = table;
        copy.WidthInBytes = kCount * sizeof(CUdeviceptr);
        copy.Height = copy.Depth = 1;
        CUgraphNode node = nullptr;
        MUST(cuGraphAddMemcpyNode(&node, g, nullptr, 0, &copy, m.context));
        return node;
      }
      return add_kernel(g, m.by_table, arguments, after);
    });
    if (!has_copy) {
      MUST(cuMemcpyHtoD(table, pinned, kCount * sizeof(CUdeviceptr)));
    }
    const Times t = replay(m, r);
    row(std::string("50 nodes that read a table of addresses") +
            (has_copy ? ", copied by a node first" : ""),
        t.device, note_of(r, t, kCount));
  }
}

void probe_programmatic(const Machine& m) {
  constexpr int kCount = 100;
  CUdeviceptr x = m.a;
  int n = 16;
  void* arguments[] = {&x, &n};
  Replay r;
  MUST(cuGraphCreate(&r.graph, 0));
  CUgraphNode last = nullptr;
  for (int i = 0; i < kCount; ++i) {
    const CUgraphNode node = add_kernel(r.graph, m.early, arguments, nullptr);
    if (i > 0) {
      CUgraphEdgeData edge{};
      edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
      edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
      MUST(cuGraphAddDependencies(r.graph, &last, &node, &edge, 1));
    }
    last = node;
  }
  r.finish();
  const Times t = replay(m, r);
  row("100 kernel nodes with programmatic edges", t.device, note_of(r, t, kCount));
}

void probe_other_nodes(const Machine& m) {
  CUdeviceptr x = m.a;
  int n = 16;
  void* arguments[] = {&x, &n};
  constexpr int kCount = 100;
  const auto measure = [&](const char* what, const Adder& add) {
    Replay r;
    chain(r, kCount, add);
    const Times t = replay(m, r);
    row(what, t.device, note_of(r, t, kCount));
  };
  measure("100 fill nodes of 1 KiB", [&](CUgraph g, int, const CUgraphNode* after) {
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = m.a;
    params.elementSize = 4;
    params.width = 256;
    params.height = 1;
    CUgraphNode node = nullptr;
    MUST(cuGraphAddMemsetNode(&node, g, after, after != nullptr ? 1 : 0, &params, m.context));
    return node;
  });
  measure("100 copy nodes of 1 KiB, device to device",
          [&](CUgraph g, int, const CUgraphNode* after) {
            CUDA_MEMCPY3D copy{};
            copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.srcDevice = m.a;
            copy.dstDevice = m.b;
            copy.WidthInBytes = 1024;
            copy.Height = copy.Depth = 1;
            CUgraphNode node = nullptr;
            MUST(cuGraphAddMemcpyNode(&node, g, after, after != nullptr ? 1 : 0, &copy, m.context));
            return node;
          });
  measure("100 host nodes, a kernel before each second",
          [&](CUgraph g, int i, const CUgraphNode* after) {
            if (i % 2 == 0) return add_kernel(g, m.tiny, arguments, after);
            CUDA_HOST_NODE_PARAMS params{};
            params.fn = [](void*) {};
            CUgraphNode node = nullptr;
            MUST(cuGraphAddHostNode(&node, g, after, 1, &params));
            return node;
          });
  measure("100 child graphs of one kernel", [&](CUgraph g, int, const CUgraphNode* after) {
    CUgraph child = nullptr;
    MUST(cuGraphCreate(&child, 0));
    add_kernel(child, m.tiny, arguments, nullptr);
    CUgraphNode node = nullptr;
    MUST(cuGraphAddChildGraphNode(&node, g, after, after != nullptr ? 1 : 0, child));
    cuGraphDestroy(child);
    return node;
  });
}

void probe_width(const Machine& m) {
  CUdeviceptr x = m.a;
  int n = 16;
  void* arguments[] = {&x, &n};
  for (const int width : {2, 4, 8}) {
    constexpr int kSteps = 20;
    Replay r;
    MUST(cuGraphCreate(&r.graph, 0));
    CUgraphNode join = add_kernel(r.graph, m.tiny, arguments, nullptr);
    for (int s = 0; s < kSteps; ++s) {
      std::vector<CUgraphNode> branches;
      for (int w = 0; w < width; ++w)
        branches.push_back(add_kernel(r.graph, m.tiny, arguments, &join));
      const CUDA_KERNEL_NODE_PARAMS params = kernel_params(m.tiny, arguments);
      MUST(cuGraphAddKernelNode(&join, r.graph, branches.data(), branches.size(), &params));
    }
    r.finish();
    const Times t = replay(m, r);
    char note[80];
    std::snprintf(note, sizeof note, "%.2f us a step", t.device / kSteps);
    row("20 steps of " + std::to_string(width) + " branches that join", t.device, note);
  }
}

void probe_memory(const Machine& m) {
  constexpr size_t kBytes = size_t{2} << 30;
  CUdeviceptr from = 0;
  CUdeviceptr to = 0;
  row("cuMemAlloc of 2 GiB", timed([&] { MUST(cuMemAlloc(&from, kBytes)); }));
  MUST(cuMemAlloc(&to, kBytes));
  MUST(cuMemsetD32(from, 0x3f800001, kBytes / 4));
  const auto copy = [&] {
    MUST(cuMemcpyDtoDAsync(to, from, kBytes, m.stream));
    MUST(cuStreamSynchronize(m.stream));
  };
  copy();
  const double us = median_us(10, copy);
  char note[80];
  std::snprintf(note, sizeof note, "%.0f GB/s read and written", 2.0 * kBytes / us / 1000);
  row("copy of 2 GiB on the device", us, note);
  void* pageable = std::malloc(kBytes / 8);
  std::memset(pageable, 1, kBytes / 8);
  void* pinned = nullptr;
  row("cuMemAllocHost of 256 MiB", timed([&] { MUST(cuMemAllocHost(&pinned, kBytes / 8)); }));
  std::memset(pinned, 1, kBytes / 8);
  const auto upload = [&](const void* source) {
    MUST(cuMemcpyHtoDAsync(to, source, kBytes / 8, m.stream));
    MUST(cuStreamSynchronize(m.stream));
  };
  for (const bool is_pinned : {false, true}) {
    const double up = median_us(5, [&] { upload(is_pinned ? pinned : pageable); });
    std::snprintf(note, sizeof note, "%.1f GB/s", kBytes / 8 / up / 1000);
    row(std::string("upload of 256 MiB, ") + (is_pinned ? "pinned" : "pageable"), up, note);
  }
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle pages = 0;
  constexpr size_t kMapped = size_t{64} << 20;
  row("reserve 64 GiB of addresses",
      timed([&] { MUST(cuMemAddressReserve(&range, size_t{64} << 30, 0, 0, 0)); }));
  row("create and map 64 MiB of pages", timed([&] {
        MUST(cuMemCreate(&pages, kMapped, &properties, 0));
        MUST(cuMemMap(range, kMapped, 0, pages, 0));
        const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        MUST(cuMemSetAccess(range, kMapped, &access, 1));
      }));
}

}  // namespace

int main() {
  std::printf("| what | time | note |\n|---|---|---|\n");
  probe_compilation();
  Machine m;
  CUdevice device = 0;
  row("cuInit", timed([] { MUST(cuInit(0)); }));
  MUST(cuDeviceGet(&device, 0));
  row("primary context", timed([&] { MUST(cuDevicePrimaryCtxRetain(&m.context, device)); }));
  MUST(cuCtxSetCurrent(m.context));
  MUST(cuStreamCreate(&m.stream, CU_STREAM_NON_BLOCKING));
  row("first cuMemAlloc", timed([&] { MUST(cuMemAlloc(&m.a, 1024)); }));
  MUST(cuMemAlloc(&m.b, 1024));
  MUST(cuMemsetD32(m.a, 0, 256));
  MUST(cuMemsetD32(m.b, 0, 256));
  const std::vector<char> cubin = compile(kTinyKernels);
  CUmodule module = nullptr;
  row("cuModuleLoadData of 3 kernels",
      timed([&] { MUST(cuModuleLoadData(&module, cubin.data())); }));
  MUST(cuModuleGetFunction(&m.tiny, module, "tiny"));
  MUST(cuModuleGetFunction(&m.early, module, "early"));
  MUST(cuModuleGetFunction(&m.by_table, module, "by_table"));
  probe_chains(m);
  probe_table(m);
  probe_programmatic(m);
  probe_other_nodes(m);
  probe_width(m);
  probe_memory(m);
  for (const char* library : {"libcublasLt.so.13", "libcudnn.so.9", "libcudnn_graph.so.9",
                              "libcudnn_ops.so.9", "libcudnn_cnn.so.9"}) {
    void* handle = nullptr;
    const double us = timed([&] { handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL); });
    row(std::string("dlopen ") + library, us, handle != nullptr ? "" : "not found");
  }
  return 0;
}

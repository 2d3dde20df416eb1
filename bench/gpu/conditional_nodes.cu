// The cost of a loop whose condition the card tests: a graph with a conditional node whose body is one
// kernel. It also tells whether a node of the body can be set in the executable graph.
//
//   nvcc -O2 -arch=sm_90 -o conditional_nodes bench/gpu/conditional_nodes.cu -lcuda && ./conditional_nodes

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void test(cudaGraphConditionalHandle handle, const int* left) {
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}

__global__ void step(cudaGraphConditionalHandle handle, int* left) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

#define REQUIRE(call) require(call, #call)

cudaKernelNodeParams one_thread(void* function, void** arguments) {
  cudaKernelNodeParams node = {};
  node.func = function;
  node.gridDim = node.blockDim = dim3(1);
  node.kernelParams = arguments;
  return node;
}

int main() {
  int* left = nullptr;
  int* other = nullptr;
  REQUIRE(cudaMalloc(&left, sizeof(int)));
  REQUIRE(cudaMalloc(&other, sizeof(int)));
  cudaGraph_t graph;
  REQUIRE(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  REQUIRE(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  void* arguments[] = {&handle, &left};
  cudaGraphNode_t first;
  cudaKernelNodeParams node = one_thread(reinterpret_cast<void*>(test), arguments);
  REQUIRE(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node));
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t looped;
  REQUIRE(cudaGraphAddNode(&looped, graph, &first, nullptr, 1, &loop));
  cudaGraphNode_t inner;
  node = one_thread(reinterpret_cast<void*>(step), arguments);
  REQUIRE(cudaGraphAddKernelNode(&inner, loop.conditional.phGraph_out[0], nullptr, 0, &node));
  cudaGraphExec_t executable;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream));
  for (const int iterations : {0, 1, 10, 100, 1000}) {
    double least = 1e9;
    for (int round = 0; round < 5; ++round) {
      REQUIRE(cudaMemcpy(left, &iterations, sizeof(int), cudaMemcpyHostToDevice));
      const auto begin = std::chrono::steady_clock::now();
      REQUIRE(cudaGraphLaunch(executable, stream));
      REQUIRE(cudaStreamSynchronize(stream));
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
      least = std::min(least, took.count());
    }
    std::printf("%4d iterations: %.2f us\n", iterations, least);
  }
  arguments[1] = &other;
  node = one_thread(reinterpret_cast<void*>(step), arguments);
  const cudaError_t status = cudaGraphExecKernelNodeSetParams(executable, inner, &node);
  std::printf("setting a node of the body: %s\n", cudaGetErrorString(status));
  return 0;
}

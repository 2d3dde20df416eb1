#include "cuda/emulated_card.h"

#include <cstdlib>
#include <dlfcn.h>

#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

void* library() {
#if defined(LITZ_EMULATED_CUDA_LIBRARY)
  static void* const opened = [] {
    // The emulation also is the libraries of a card.
    ::setenv("LITZ_CUBLASLT", LITZ_EMULATED_CUDA_LIBRARY, 1);
    ::setenv("LITZ_CUDNN", LITZ_EMULATED_CUDA_LIBRARY, 1);
    ::setenv("LITZ_NCCL", LITZ_EMULATED_CUDA_LIBRARY, 1);
    return ::dlopen(LITZ_EMULATED_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  }();
  return opened;
#else
  return nullptr;
#endif
}

template <typename F>
F* function(const char* name) {
  auto* const found = reinterpret_cast<F*>(::dlsym(library(), name));
  check(found != nullptr, "the emulation has this function:", name);
  return found;
}

template <typename T>
std::vector<T> values_of(CudaDevice& device, const std::shared_ptr<Storage>& memory, DType dtype) {
  const auto count = static_cast<int64_t>(memory->size() / sizeof(T));
  const Tensor host = on_host(Tensor(dtype, {count}, {1}, 0, memory), {device, {}});
  const auto* const first = reinterpret_cast<const T*>(host.data());
  return {first, first + count};
}

template <typename T>
std::shared_ptr<Storage> memory_with(CudaDevice& device, const std::vector<T>& values,
                                     DType dtype) {
  const Tensor host = Tensor::of(dtype, {static_cast<int64_t>(values.size())},
                                 std::span<const T>(values.data(), values.size()));
  return copied(host, {}, {device, {}}).storage();
}

}  // namespace

const cuda::Driver* emulated_driver() {
#if defined(LITZ_EMULATED_CUDA_LIBRARY)
  static const std::unique_ptr<const cuda::Driver> driver = [] {
    library();  // Names the others before one of them is looked for.
    return cuda::Driver::open(LITZ_EMULATED_CUDA_LIBRARY);
  }();
  return driver.get();
#else
  return nullptr;
#endif
}

void fail_driver_call(int64_t n) { function<void(int64_t)>("emulatedCudaFailCall")(n); }

int64_t driver_calls() { return function<int64_t()>("emulatedCudaCalls")(); }

int64_t live_handles() { return function<int64_t()>("emulatedCudaLiveHandles")(); }

std::vector<std::byte> compile_cuda(const std::string& text) {
  using Compile = int(void*, int, const char* const*);
  void* program = nullptr;
  function<int(void**, const char*, const char*, int, const char* const*, const char* const*)>(
      "nvrtcCreateProgram")(&program, text.c_str(), "test.cu", 0, nullptr, nullptr);
  const char* const options[] = {"--gpu-architecture=sm_90a"};
  const int result = function<Compile>("nvrtcCompileProgram")(program, 1, options);
  size_t bytes = 0;
  function<int(void*, size_t*)>("nvrtcGetProgramLogSize")(program, &bytes);
  std::string log(bytes, '\0');
  function<int(void*, char*)>("nvrtcGetProgramLog")(program, log.data());
  std::vector<std::byte> object;
  if (result == 0) {
    function<int(void*, size_t*)>("nvrtcGetCUBINSize")(program, &bytes);
    object.resize(bytes);
    function<int(void*, char*)>("nvrtcGetCUBIN")(program, reinterpret_cast<char*>(object.data()));
  }
  function<int(void**)>("nvrtcDestroyProgram")(&program);
  require(result == 0, "CUDA text must compile:", log);
  return object;
}

artifact::KernelCode cuda_kernel(const std::string& text, const std::vector<std::string>& symbols,
                                 int32_t threads, int64_t grain) {
  artifact::KernelCode code;
  code.name = symbols[0];
  code.object = compile_cuda(text);
  for (const std::string& symbol : symbols) {
    code.phases.push_back({.symbol = symbol, .grain = grain, .threads = threads});
  }
  return code;
}

void CudaTest::SetUp() {
  if (emulated_driver() == nullptr) GTEST_SKIP() << "no emulation of CUDA";
  handles_before_ = live_handles();
  device_ = std::make_unique<CudaDevice>(*emulated_driver(), 0);
}

void CudaTest::TearDown() {
  if (device_ == nullptr) return;
  fail_driver_call(0);
  device_.reset();
  const int64_t left = live_handles();
  EXPECT_TRUE(may_leak_ || left == handles_before_) << left;
}

std::shared_ptr<Storage> CudaTest::floats(const std::vector<float>& values) {
  return memory_with(*device_, values, DType::f32);
}

std::shared_ptr<Storage> CudaTest::integers(const std::vector<int64_t>& values) {
  return memory_with(*device_, values, DType::i64);
}

std::vector<float> CudaTest::floats_of(const std::shared_ptr<Storage>& memory) {
  return values_of<float>(*device_, memory, DType::f32);
}

std::vector<int64_t> CudaTest::integers_of(const std::shared_ptr<Storage>& memory) {
  return values_of<int64_t>(*device_, memory, DType::i64);
}

}  // namespace litz::runtime

#include "runtime/cuda/cuda_exec.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

// y[i] = a x[i] + y[i]; check 0 fails where x[i] is negative.
const char* const kSaxpy = R"(
struct Failure { int claimed; int unused; long long check, value, extent; };
extern "C" __global__ void __launch_bounds__(64)
saxpy(const float* __restrict__ x, float* __restrict__ y, long long a, Failure* failure,
      long long n) {
  const long long begin = (long long)blockIdx.x * 128;
  for (long long i = begin + threadIdx.x; i < begin + 128 && i < n; i += blockDim.x) {
    if (x[i] < 0 && atomicCAS(&failure->claimed, 0, 1) == 0) {
      failure->check = 0;
      failure->value = (long long)x[i];
      failure->extent = n;
      __threadfence_system();
    }
    y[i] = __fmaf_rn((float)a, x[i], y[i]);
  }
})";

// A block normalises a row of 1000 numbers.
const char* const kNorm = R"(
__device__ __forceinline__ float sum_of_block(float value, float* parts) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  if (threadIdx.x < 32) {
    for (int step = 4; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
    if (threadIdx.x == 0) parts[0] = value;
  }
  __syncthreads();
  return parts[0];
}
extern "C" __global__ void norm(const float* x, float* y, void* failure, long long rows) {
  __shared__ float parts[8];
  const float* row = x + (long long)blockIdx.x * 1000;
  float sum = 0;
  for (int i = threadIdx.x; i < 1000; i += 256) sum += row[i];
  const float mean = sum_of_block(sum, parts) / 1000;
  float squares = 0;
  for (int i = threadIdx.x; i < 1000; i += 256) squares += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(sum_of_block(squares, parts) / 1000 + 1e-5f);
  for (int i = threadIdx.x; i < 1000; i += 256) {
    y[(long long)blockIdx.x * 1000 + i] = (row[i] - mean) * scale;
  }
})";

const char* const kAtomics = R"(
extern "C" __global__ void count(const long long* x, long long* bins, void* failure, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd((unsigned long long*)&bins[x[i]], 1ull);
}
extern "C" __global__ void most(const long long* x, long long* bins, void* failure, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const bool has = i < n;
  const unsigned lanes = __ballot_sync(~0u, has);
  if (threadIdx.x % 32 == 0) atomicMax(&bins[8], (long long)__popc(lanes));
})";

class TestCall final : public NodeCall {
 public:
  using Work = std::function<void(std::span<std::byte* const>, std::span<const int64_t>)>;

  explicit TestCall(Work work) : work_(std::move(work)) {}

  void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) override {
    work_(operands, scalars);
  }

 private:
  Work work_;
};

float* floats_at(std::byte* address) { return reinterpret_cast<float*>(address); }

class CudaExecTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (device_ != nullptr) builder_ = device_->begin();
  }

  void TearDown() override {
    exec_.reset();
    builder_.reset();
    CudaTest::TearDown();
  }

  KernelId load_saxpy() {
    artifact::KernelCode code = cuda_kernel(kSaxpy, {"saxpy"}, 64, 128);
    code.checks = {{.text = "index of a test"}};
    return load(code);
  }

  NodeId saxpy(KernelId kernel, Ref x, Ref y, int64_t a, int64_t n) {
    const Ref pointers[] = {x, y};
    return builder_->kernel({}, {kernel, pointers, {&a, 1}, {&n, 1}, {}});
  }

  void make(std::vector<Binding> bindings) { exec_ = device_->instantiate(*builder_, bindings); }

  void run() {
    exec_->launch({});
    device_->synchronize({});
  }

  std::unique_ptr<GraphBuilder> builder_;
  std::unique_ptr<GraphExec> exec_;
};

TEST_F(CudaExecTest, RunsAKernelInManyBlocks) {
  const KernelId kernel = load_saxpy();
  const auto x = floats(std::vector<float>(1000, 2));
  const auto y = floats(std::vector<float>(1000, 1));
  saxpy(kernel, {0, 0}, {1, 0}, 3, 1000);
  make({binding(x), binding(y)});
  run();
  EXPECT_EQ(floats_of(y), std::vector<float>(1000, 7));
  run();
  EXPECT_EQ(floats_of(y), std::vector<float>(1000, 13));
}

// Input addresses come with the first patch.
TEST_F(CudaExecTest, PatchesAddressesScalarsAndExtents) {
  const KernelId kernel = load_saxpy();
  const auto x = floats(std::vector<float>(300, 2));
  const auto y = floats(std::vector<float>(300, 1));
  const NodeId node = saxpy(kernel, {0, 0}, {1, 0}, 3, 300);
  make({{nullptr, 1200}, {nullptr, 1200}});
  exec_->patch(std::vector<Patch>{BindBuffer{0, binding(x)}, BindBuffer{1, binding(y)}});
  run();
  EXPECT_EQ(floats_of(y)[299], 7);
  exec_->patch(
      std::vector<Patch>{SetScalar{node, 0, 10}, SetExtent{node, 0, 100}, SetOffset{node, 1, 400}});
  run();
  EXPECT_EQ(floats_of(y)[99], 7);
  EXPECT_EQ(floats_of(y)[100], 27);
  EXPECT_EQ(floats_of(y)[199], 27);
  EXPECT_EQ(floats_of(y)[200], 7);
  // The launch that waits keeps its own values.
  exec_->launch({});
  exec_->patch(std::vector<Patch>{SetScalar{node, 0, 0}});
  exec_->launch({});
  device_->synchronize({});
  EXPECT_EQ(floats_of(y)[150], 47);
  EXPECT_THROW(exec_->patch(std::vector<Patch>{SetScalar{node, 0, 5}, SetScalar{node, 1, 5}}),
               Error);
  run();
  EXPECT_EQ(floats_of(y)[150], 47);
}

TEST_F(CudaExecTest, NothingRunsWithoutIterations) {
  const KernelId kernel = load_saxpy();
  const auto x = floats({1, 1});
  const auto y = floats({0, 0});
  const NodeId node = saxpy(kernel, {0, 0}, {1, 0}, 1, 0);
  make({binding(x), binding(y)});
  run();
  EXPECT_EQ(floats_of(y), (std::vector<float>{0, 0}));
  exec_->patch(std::vector<Patch>{SetScalar{node, 0, 5}});
  run();
  exec_->patch(std::vector<Patch>{SetExtent{node, 0, 2}});
  run();
  EXPECT_EQ(floats_of(y), (std::vector<float>{5, 5}));
  exec_->patch(std::vector<Patch>{EnableNode{node, false}});
  run();
  exec_->patch(std::vector<Patch>{EnableNode{node, true}, SetExtent{node, 0, 1}});
  run();
  EXPECT_EQ(floats_of(y), (std::vector<float>{10, 5}));
}

TEST_F(CudaExecTest, FailuresAreFaultsOfTheirNode) {
  const KernelId kernel = load_saxpy();
  const auto good = floats({1, 1});
  const auto bad = floats({1, -8});
  const auto y = floats({0, 0});
  saxpy(kernel, {0, 0}, {2, 0}, 1, 2);
  const NodeId second = saxpy(kernel, {1, 0}, {2, 0}, 1, 2);
  builder_->label(second, "%r = second");
  make({binding(good), binding(bad), binding(y)});
  exec_->launch({});
  try {
    device_->synchronize({});
    FAIL();
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.node(), second);
    EXPECT_EQ(fault.failure().value, -8);
    EXPECT_NE(std::string(fault.what()).find("index of a test"), std::string::npos);
    EXPECT_NE(std::string(fault.what()).find("%r = second"), std::string::npos);
  }
  exec_->patch(std::vector<Patch>{BindBuffer{1, binding(good)}});
  EXPECT_NO_THROW(run());
}

// A failure belongs to the stream of its launch.
TEST_F(CudaExecTest, FailuresComeWithTheirStream) {
  const KernelId kernel = load_saxpy();
  const auto good = floats({1, 1});
  const auto bad = floats({-1, 1});
  const auto y = floats({0, 0});
  saxpy(kernel, {0, 0}, {1, 0}, 1, 2);
  make({binding(bad), binding(y)});
  const StreamId side = device_->make_stream();
  exec_->launch({});
  exec_->patch(std::vector<Patch>{BindBuffer{0, binding(good)}});
  exec_->launch(side);
  EXPECT_NO_THROW(device_->synchronize(side));
  EXPECT_THROW(device_->synchronize({}), KernelFault);
  EXPECT_NO_THROW(device_->synchronize({}));
}

TEST_F(CudaExecTest, BlocksReduceRows) {
  const KernelId kernel = load(cuda_kernel(kNorm, {"norm"}, 256, 1));
  std::vector<float> values(5000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  const auto x = floats(values);
  const auto y = floats(std::vector<float>(5000, 0));
  const Ref pointers[] = {{0, 0}, {1, 0}};
  const int64_t rows = 5;
  builder_->kernel({}, {kernel, pointers, {}, {&rows, 1}, {}});
  make({binding(x), binding(y)});
  run();
  const std::vector<float> result = floats_of(y);
  for (size_t row = 0; row < 5; ++row) {
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < 1000; ++i) sum += values[row * 1000 + i];
    for (size_t i = 0; i < 1000; ++i) squares += std::pow(values[row * 1000 + i] - sum / 1000, 2);
    for (size_t i = 0; i < 1000; ++i) {
      const double expected =
          (values[row * 1000 + i] - sum / 1000) / std::sqrt(squares / 1000 + 1e-5);
      ASSERT_NEAR(result[row * 1000 + i], expected, 1e-5);
    }
  }
}

TEST_F(CudaExecTest, PhasesFollowEachOther) {
  const KernelId kernel = load(cuda_kernel(kAtomics, {"count", "most"}, 64, 64));
  std::vector<int64_t> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * i % 8);
  const auto x = integers(values);
  const auto bins = integers(std::vector<int64_t>(9, 0));
  const Ref pointers[] = {{0, 0}, {1, 0}};
  const int64_t extents[] = {1000, 70};
  builder_->kernel({}, {kernel, pointers, {}, extents, {}});
  make({binding(x), binding(bins)});
  run();
  std::vector<int64_t> expected(9, 0);
  for (const int64_t value : values) ++expected[static_cast<size_t>(value)];
  expected[8] = 32;
  EXPECT_EQ(integers_of(bins), expected);
}

TEST_F(CudaExecTest, CopiesFillsAndCallsFollowEachOther) {
  const KernelId kernel = load_saxpy();
  const auto x = floats({1, 2, 3, 4});
  const auto y = floats({0, 0, 0, 0});
  builder_->fill({}, {1, 0}, 0x3f800000, 16);  // 1.0
  TestCall doubles([](auto operands, auto scalars) {
    for (int i = 0; i < 4; ++i) {
      floats_at(operands[1])[i] += static_cast<float>(scalars[0]) * floats_at(operands[0])[i];
    }
    EXPECT_EQ(operands[2], nullptr);
  });
  TestCall first([](auto operands, auto) { floats_at(operands[0])[0] = 100; });
  const Ref pointers[] = {{0, 0}, {1, 0}, Ref::fixed(nullptr)};
  const int64_t scalar = 2;
  const Access accesses[] = {{{0, 0}, 16, false}, {{1, 0}, 16, true}};
  const NodeId call = builder_->call({}, {&doubles, pointers, {&scalar, 1}, accesses});
  builder_->call({}, {&first, {pointers + 1, 1}, {}, {accesses + 1, 1}});
  saxpy(kernel, {0, 0}, {1, 0}, 1, 4);
  builder_->copy({}, {0, 0}, {1, 4}, 8);
  make({binding(x), binding(y)});
  run();
  EXPECT_EQ(floats_of(y), (std::vector<float>{101, 7, 10, 13}));
  EXPECT_EQ(floats_of(x), (std::vector<float>{7, 10, 3, 4}));
  exec_->patch(std::vector<Patch>{EnableNode{call, false}});
  run();
  EXPECT_EQ(floats_of(y), (std::vector<float>{107, 11, 4, 5}));
}

// A call on empty tensors touches nothing.
TEST_F(CudaExecTest, CallsMayDeclareNothing) {
  const auto x = floats({1});
  int calls = 0;
  TestCall counts([&](auto operands, auto) { calls += operands[0] != nullptr ? 1 : 0; });
  const Ref pointer{0, 0};
  builder_->call({}, {&counts, {&pointer, 1}, {}, {}});
  make({binding(x)});
  run();
  EXPECT_EQ(calls, 1);
}

TEST_F(CudaExecTest, ErrorsOfCallsNameThem) {
  TestCall failing([](auto, auto) { fail(ErrorCode::unsupported, "not today"); });
  builder_->label(builder_->call({}, {&failing, {}, {}, {}}), "%c = call");
  make({});
  try {
    exec_->launch({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("%c = call"), std::string::npos);
  }
}

TEST_F(CudaExecTest, EveryNodeIsTimed) {
  const KernelId kernel = load_saxpy();
  const auto x = floats({1, 2});
  const auto y = floats({0, 0});
  saxpy(kernel, {0, 0}, {1, 0}, 1, 2);
  TestCall adds([](auto operands, auto) { floats_at(operands[0])[0] += 1; });
  const Ref pointer{1, 0};
  const Access access{{1, 0}, 8, true};
  builder_->call({}, {&adds, {&pointer, 1}, {}, {&access, 1}});
  builder_->copy({}, {0, 0}, {1, 0}, 8);
  make({binding(x), binding(y)});
  std::vector<double> seconds(3);
  exec_->launch_timed({}, seconds);
  for (const double each : seconds) EXPECT_GT(each, 0);
  EXPECT_EQ(floats_of(x), (std::vector<float>{2, 2}));
}

TEST_F(CudaExecTest, LaunchesHaveWhatTheirKernelsTake) {
  const KernelId kernel = load_saxpy();
  const Ref pointer{0, 0};
  const int64_t n = 1;
  builder_->kernel({}, {kernel, {&pointer, 1}, {}, {&n, 1}, {}});
  const auto x = floats({1});
  EXPECT_THROW(make({binding(x)}), InternalError);
}

}  // namespace
}  // namespace litz::runtime

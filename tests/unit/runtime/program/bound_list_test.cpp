#include "runtime/program/bound_list.h"

#include <cmath>

#include <gtest/gtest.h>

#include "compile_text.h"
#include "runtime/cpu/host_device.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::CallLaunch;
using artifact::CopyLaunch;
using artifact::KernelLaunch;
using artifact::LibraryLaunch;
using artifact::StorageKind;
using artifact::TensorSlot;

// y[i] = x[i] * scalars[0]; check 0 fails where x[i] is above 1e6.
constexpr const char* kScale = R"(
define i32 @scale_0(ptr %arguments, i64 %begin, i64 %end) {
entry:
  %buffers = load ptr, ptr %arguments
  %scalars_at = getelementptr i64, ptr %arguments, i64 1
  %scalars = load ptr, ptr %scalars_at
  %x = load ptr, ptr %buffers
  %y_at = getelementptr ptr, ptr %buffers, i64 1
  %y = load ptr, ptr %y_at
  %factor_bits = load i64, ptr %scalars
  %factor = sitofp i64 %factor_bits to float
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %store ]
  %x_i = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %x_i
  %bad = fcmp ogt float %v, 1000000.0
  br i1 %bad, label %failed, label %store
store:
  %r = fmul float %v, %factor
  %y_i = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %y_i
  %next = add i64 %i, 1
  %done = icmp sge i64 %next, %end
  br i1 %done, label %good, label %loop
failed:
  %failure_at = getelementptr i64, ptr %arguments, i64 2
  %failure = load ptr, ptr %failure_at
  store i64 0, ptr %failure
  %value_at = getelementptr i64, ptr %failure, i64 1
  store i64 %i, ptr %value_at
  %extent_at = getelementptr i64, ptr %failure, i64 2
  store i64 %end, ptr %extent_at
  ret i32 1
good:
  ret i32 0
}
)";

// For x of n x n: h = x * n; g = h @ w; k = supplied(g); y = copy of k; then x = k * 2, in place.
std::vector<artifact::KernelCode> example_kernels(Expr n) {
  return {{.name = "scale",
           .object = compile_text(kScale),
           .phases = {{.symbol = "scale_0", .iterations = n * n}},
           .scalars = {0},
           .checks = {{.text = "a value"}}}};
}

artifact::LaunchList example(Expr n) {
  const Expr bytes = 4 * n * n;
  const TensorType square = contiguous_type(DType::f32, {n, n});
  artifact::LaunchList list;
  list.name = "example";
  list.storages = {
      {.name = "x", .kind = StorageKind::input, .index = 1, .bytes = bytes},
      {.name = "w", .kind = StorageKind::weight, .index = 0, .bytes = bytes},
      {.name = "h", .offset = 0, .bytes = bytes, .first = 0, .last = 1},
      {.name = "g", .offset = bytes, .bytes = bytes, .first = 1, .last = 2},
      {.name = "k", .offset = 0, .bytes = bytes, .first = 2, .last = 4},
      {.name = "y", .kind = StorageKind::output, .index = 0, .bytes = bytes},
  };
  list.arena_bytes = 2 * bytes;
  list.assertions = {{.condition = le(n, 100), .message = "n is small"}};
  const auto read = [&](int32_t storage) { return artifact::Access{{storage, 0}, bytes, false}; };
  const auto write = [&](int32_t storage) { return artifact::Access{{storage, 0}, bytes, true}; };
  list.launches = {
      {.work = KernelLaunch{.kernel = 0, .buffers = {{0, 0}, {2, 0}}, .scalars = {n}},
       .accesses = {read(0), write(2)},
       .label = "%1 = aten.mul"},
      {.work = LibraryLaunch{.function = "matmul",
                             .arguments = {TensorSlot{{2, 0}, square}, TensorSlot{{1, 0}, square}},
                             .results = {{{3, 0}, square}}},
       .accesses = {read(2), read(1), write(3)},
       .label = "%2 = aten.mm"},
      {.work = CallLaunch{.call = 0, .buffers = {{{3, 0}, square}, {{4, 0}, square}}},
       .accesses = {read(3), write(4)},
       .label = "%3 = supplied"},
      {.work = CopyLaunch{.to = {5, 0}, .from = {4, 0}, .bytes = bytes},
       .accesses = {read(4), write(5)}},
      {.work = KernelLaunch{.kernel = 0, .buffers = {{4, 0}, {0, 0}}, .scalars = {2}},
       .accesses = {read(4), write(0)},
       .label = "%4 = aten.mul_"},
  };
  list.outputs = {TensorSlot{{5, 0}, square}, n + 1,
                  TensorSlot{{0, 4}, contiguous_type(DType::f32, {n})}, std::monostate(),
                  std::string("done")};
  list.inputs = {square, square};
  return list;
}

/// A program of one list.
artifact::Program program_of(artifact::LaunchList list, Expr n) {
  artifact::Program program;
  program.kernels = example_kernels(n);
  program.signature.inputs.resize(list.inputs.size());
  program.signature.outputs.resize(list.outputs.size());
  program.lists.push_back(std::move(list));
  return program;
}

class BoundListTest : public testing::Test {
 protected:
  BoundList bind(int64_t n) {
    Bindings symbols;
    symbols.set(n_.symbol(), n);
    weight_ = Tensor::zeros(DType::f32, {n, n});
    for (int64_t i = 0; i < n; ++i) {
      reinterpret_cast<float*>(weight_.mutable_data())[i * n + i] = 10;
    }
    return BoundList(*loaded(), list(), symbols,
                     {{&weight_, 1}, calls_, nullptr, nullptr, nullptr, library_.get()});
  }

  LoadedProgram* loaded() {
    if (!loaded_) {
      loaded_ = std::make_unique<LoadedProgram>(program_of(example(n_), n_), device_);
    }
    return loaded_.get();
  }

  const artifact::LaunchList& list() { return loaded()->program().lists[0]; }

  // An input as a view that does not start at its storage's begin.
  static Tensor square(int64_t n, float first) {
    const Tensor whole = Tensor::zeros(DType::f32, {n * n + 3});
    Tensor view = whole.view({n, n}, {n, 1}, 3);
    auto* const data = reinterpret_cast<float*>(view.mutable_data());
    for (int64_t i = 0; i < n * n; ++i) data[i] = first + static_cast<float>(i);
    return view;
  }

  // Runs on a fresh square and compares with the example's meaning.
  static void expect_right(BoundList& bound, int64_t n, float first) {
    const Tensor x = square(n, first);
    const Tensor before = x.clone();
    const std::vector<Value> inputs{std::monostate(), x};
    const std::vector<Value> outputs = bound.run(inputs);
    ASSERT_EQ(outputs.size(), 5U);
    const Tensor& y = std::get<Tensor>(outputs[0]);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const double expected = before.at({i, j}) * static_cast<double>(n) * 10 + 1;
        ASSERT_EQ(y.at({i, j}), expected) << i << " " << j;
        ASSERT_EQ(x.at({i, j}), 2 * expected);
      }
    }
    EXPECT_EQ(std::get<int64_t>(outputs[1]), n + 1);
    const Tensor& view = std::get<Tensor>(outputs[2]);
    EXPECT_EQ(view.storage(), x.storage());
    EXPECT_EQ(view.at({0}), x.at({0, 1}));
    EXPECT_EQ(outputs[3].index(), 0U);
    EXPECT_EQ(std::get<std::string>(outputs[4]), "done");
  }

  ExprPool pool_;
  Expr n_ = pool_.add_symbol({.name = "s0", .range = {1, 1000}});
  HostDevice device_;
  std::unique_ptr<DeviceLibrary> library_ = device_.make_library({});
  Tensor weight_;
  std::vector<SuppliedCall> calls_{[](std::span<Tensor> buffers, const Bindings&) {
    for (int64_t i = 0; i < buffers[0].numel(); ++i) {
      reinterpret_cast<float*>(buffers[1].mutable_data())[i] =
          reinterpret_cast<const float*>(buffers[0].data())[i] + 1;
    }
  }};
  std::unique_ptr<LoadedProgram> loaded_;
};

TEST_F(BoundListTest, RunsEveryKindOfLaunch) {
  BoundList bound = bind(4);
  for (int run = 0; run < 3; ++run) expect_right(bound, 4, static_cast<float>(run));
}

TEST_F(BoundListTest, OneLoadedProgramManySizes) {
  BoundList two = bind(2);
  const Tensor kept = weight_;
  BoundList five = bind(5);
  expect_right(two, 2, 1);
  expect_right(five, 5, 1);
  expect_right(two, 2, 3);
}

TEST_F(BoundListTest, RightInEveryTestMode) {
  device_.set_modes({.poison = true, .check_accesses = true, .audit_pointers = true});
  BoundList checked = bind(3);
  expect_right(checked, 3, 1);
  expect_right(checked, 3, 2);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    device_.set_modes({.poison = true, .check_accesses = true, .order_seed = seed});
    BoundList shuffled = bind(3);
    expect_right(shuffled, 3, 1);
  }
}

// What depends on sizes changes, as does the arena; copies by size make it start again.
TEST_F(BoundListTest, RebindsToOtherSizesAndArenas) {
  for (const bool has_copy : {false, true}) {
    artifact::LaunchList program = example(n_);
    if (!has_copy) {
      program.launches[3].work =
          KernelLaunch{.kernel = 0, .buffers = {{4, 0}, {5, 0}}, .scalars = {n_}};
      program.outputs[1] = 2 * n_;
    }
    const LoadedProgram loaded(program_of(program, n_), device_);
    const artifact::LaunchList& list = loaded.program().lists[0];
    const Tensor weight = Tensor::zeros(DType::f32, {9, 9});
    const auto arena = [](size_t bytes) { return Storage::allocate(bytes); };
    Bindings symbols;
    symbols.set(n_.symbol(), 3);
    BoundList bound(loaded, list, symbols,
                    {{&weight, 1}, calls_, arena(1000), nullptr, nullptr, library_.get()});
    for (const int64_t n : {5, 2, 9, 9, 3}) {
      symbols.set(n_.symbol(), n);
      bound.rebind(symbols, {{&weight, 1}, calls_, arena(1000), nullptr, nullptr, library_.get()});
      const Tensor x = square(n, 1);
      const std::vector<Value> inputs{std::monostate(), x};
      const std::vector<Value> outputs = bound.run(inputs);
      const Tensor& y = std::get<Tensor>(outputs[0]);
      EXPECT_EQ(y.sizes(), (std::vector<int64_t>{n, n}));
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(y.at({i, n - 1}), has_copy ? 1 : static_cast<double>(n));  // The weight is 0.
        ASSERT_EQ(x.at({i, 0}), 2);
      }
      EXPECT_EQ(std::get<int64_t>(outputs[1]), has_copy ? n + 1 : 2 * n);
    }
    symbols.set(n_.symbol(), 10);  // More than the weight has.
    EXPECT_THROW(
        bound.rebind(symbols,
                     {{&weight, 1}, calls_, arena(1000), nullptr, nullptr, library_.get()}),
        Error);
  }
}

TEST_F(BoundListTest, LayoutsPlaceTheArena) {
  artifact::LaunchList program = example(n_);
  program.has_layouts = true;
  for (int32_t i = 2; i <= 4; ++i) program.storages[static_cast<size_t>(i)].index = i - 2;
  const LoadedProgram loaded(program_of(program, n_), device_);
  const artifact::LaunchList& list = loaded.program().lists[0];
  Bindings symbols;
  symbols.set(n_.symbol(), 4);
  const Tensor weight = Tensor::zeros(DType::f32, {4, 4});
  EXPECT_THROW(BoundList(loaded, list, symbols,
                         {{&weight, 1}, calls_, nullptr, nullptr, nullptr, library_.get()}),
               InternalError);
  artifact::ArenaLayout layout{{{64, 64}, {0, 64}, {128, 64}}, 192};
  ListMemory memory{{&weight, 1}, calls_, nullptr, nullptr, nullptr, library_.get()};
  memory.layout = &layout;
  BoundList bound(loaded, list, symbols, memory);
  const std::vector<Value> inputs{std::monostate(), square(4, 1)};
  EXPECT_EQ(std::get<Tensor>(bound.run(inputs)[0]).at({3, 3}), 1);
  layout.ranges[1].bytes = 63;  // Not enough for 4 x 4.
  EXPECT_THROW(bound.rebind(symbols, memory), InternalError);
}

TEST_F(BoundListTest, OutputsOfTwoCallsAreTwo) {
  BoundList bound = bind(2);
  const std::vector<Value> inputs{std::monostate(), square(2, 0)};
  const std::vector<Value> first = bound.run(inputs);
  const Tensor y = std::get<Tensor>(first[0]);
  EXPECT_EQ(y.storage().use_count(), 2);  // `first` and `y`: nothing is held inside.
  const std::vector<double> before{y.at({0, 0}), y.at({1, 1})};
  bound.run(inputs);
  EXPECT_EQ(y.at({0, 0}), before[0]);
  EXPECT_EQ(y.at({1, 1}), before[1]);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(BoundListTest, FailuresNameTheLaunch) {
  BoundList bound = bind(2);
  const std::vector<Value> large{std::monostate(), square(2, 999999)};
  const std::string message = message_of([&] { bound.run(large); });
  EXPECT_NE(message.find("a value"), std::string::npos) << message;
  EXPECT_NE(message.find("while running %1 = aten.mul"), std::string::npos) << message;
  expect_right(bound, 2, 1);
  calls_[0] = [](std::span<Tensor>, const Bindings&) { fail(ErrorCode::unsupported, "not today"); };
  const std::vector<Value> fine{std::monostate(), square(2, 0)};
  EXPECT_NE(message_of([&] { bound.run(fine); }).find("while running %3 = supplied"),
            std::string::npos);
}

TEST_F(BoundListTest, InputsThatDoNotFitAreRefused) {
  BoundList bound = bind(3);
  EXPECT_THROW(bound.run({}), Error);
  const std::vector<Value> none{std::monostate(), std::monostate()};
  EXPECT_THROW(bound.run(none), Error);
  const std::vector<Value> small{std::monostate(), Tensor::zeros(DType::f32, {2, 2})};
  EXPECT_THROW(bound.run(small), Error);
  static const std::vector<std::byte> bytes(36);
  const std::vector<Value> constant{
      std::monostate(), Tensor(DType::f32, {3, 3}, {3, 1}, 0, Storage::borrow(bytes, nullptr))};
  EXPECT_THROW(bound.run(constant), Error);  // Written in place.
}

TEST_F(BoundListTest, BindingRefusesWhatCannotRun) {
  EXPECT_NE(message_of([&] { bind(101); }).find("n is small"), std::string::npos);
  Bindings symbols;
  symbols.set(n_.symbol(), 3);
  const Tensor small = Tensor::zeros(DType::f32, {2, 2});
  EXPECT_THROW(BoundList(*loaded(), list(), symbols,
                         {{&small, 1}, calls_, nullptr, nullptr, nullptr, library_.get()}),
               Error);
  EXPECT_THROW(BoundList(*loaded(), list(), symbols,
                         {{}, calls_, nullptr, nullptr, nullptr, library_.get()}),
               Error);
  const Tensor weight = Tensor::zeros(DType::f32, {3, 3});
  EXPECT_THROW(BoundList(*loaded(), list(), symbols,
                         {{&weight, 1}, {}, nullptr, nullptr, nullptr, library_.get()}),
               Error);
  EXPECT_THROW(
      BoundList(*loaded(), list(), symbols,
                {{&weight, 1}, calls_, Storage::allocate(10), nullptr, nullptr, library_.get()}),
      Error);
  EXPECT_THROW(BoundList(*loaded(), list(), Bindings(),
                         {{&weight, 1}, calls_, nullptr, nullptr, nullptr, library_.get()}),
               Error);
}

TEST_F(BoundListTest, UnknownNamesAreRefused) {
  artifact::LaunchList library = example(2);
  std::get<LibraryLaunch>(library.launches[1].work).function = "absent";
  const LoadedProgram loaded_library(program_of(library, 2), device_);
  const Tensor weight = Tensor::zeros(DType::f32, {2, 2});
  EXPECT_THROW(BoundList(loaded_library, loaded_library.program().lists[0], {},
                         {{&weight, 1}, calls_, nullptr, nullptr, nullptr, library_.get()}),
               Error);
  artifact::Program phase = program_of(example(2), 2);
  phase.kernels[0].phases[0].symbol = "absent";
  EXPECT_THROW(LoadedProgram(phase, device_), Error);
}

}  // namespace
}  // namespace litz::runtime

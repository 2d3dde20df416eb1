// Test modes on compiled programs: right programs stay right in each, and each finds a mistake that
// is planted into a program and that plain runs may get away with.

#include "runtime/test_modes.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/build_program.h"
#include "compiler/executable.h"
#include "compiler/execution/plan_runner.h"
#include "lowering/lower.h"
#include "memory/memory_plan.h"
#include "one_list.h"
#include "runtime/program/bound_list.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using runtime::BoundList;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<size_t>(a.numel() * item_size(a.dtype()))) ==
         0;
}

// Without fusion: a = sin(x); b = cos(a); c = x + x; d = b @ w; e = a + d; f = e * c.
constexpr const char* kText = R"(
graph @main(%x: f32[16, 16], %w: f32[16, 16]) -> (f32[16, 16]) {
  %a = aten.sin(%x)
  %b = aten.cos(%a)
  %c = aten.add.Tensor(%x, %x)
  %d = aten.mm(%b, %w)
  %e = aten.add.Tensor(%a, %d)
  %f = aten.mul.Tensor(%e, %c)
  return %f
})";

class PlantedMistake : public testing::Test {
 protected:
  PlantedMistake() : source_(text_program(kText)) {
    runner_.emplace(lowering::lower(source_), source_.module->exprs(), KernelSetOptions{});
    list_ = OneList(*runner_).list();
    layout_ = runtime::ArenaPlanner(list_.blocks).plan(Bindings());
    right_ = run({});
  }

  /// The result of the program as it is now.
  Tensor run(const runtime::TestModes& modes) {
    runtime::HostDevice device;
    device.set_modes(runtime::device_modes(modes));
    artifact::Program program;
    program.kernels = runner_->kernels().codes();
    program.lists = {list_};
    program.signature.inputs.resize(list_.inputs.size());
    program.signature.outputs.resize(list_.outputs.size());
    const runtime::LoadedProgram loaded(program, device, runner_->kernels().add_to(device));
    const std::unique_ptr<runtime::DeviceLibrary> library = device.make_library({});
    BoundList bound(loaded, loaded.program().lists[0], {},
                    {.library = library.get(), .layout = &layout_});
    return std::get<Tensor>(bound.run(inputs_)[0]);
  }

  std::string error(const runtime::TestModes& modes) {
    return message_of([&] { run(modes); });
  }

  artifact::Launch& launch(size_t i) { return list_.launches[i]; }

  /// Launch i no longer says that it reads, or writes, storage `storage`.
  void conceal(size_t i, artifact::StorageId storage, bool is_write) {
    const size_t erased = std::erase_if(launch(i).accesses, [&](const artifact::Access& access) {
      return access.begin.storage == storage && access.is_write == is_write;
    });
    ASSERT_EQ(erased, 1U) << artifact::to_string(list_);
  }

  /// The storage that launch i writes.
  artifact::StorageId result_of(size_t i) {
    for (const artifact::Access& access : launch(i).accesses) {
      if (access.is_write) return access.begin.storage;
    }
    return artifact::kNoStorage;
  }

  ir::Program source_;
  std::optional<PlanRunner> runner_;
  artifact::LaunchList list_;
  artifact::ArenaLayout layout_;
  std::vector<runtime::Value> inputs_{fill_floats(DType::f32, {16, 16}, 1, 1, 0),
                                      fill_floats(DType::f32, {16, 16}, 2, 1, 0)};
  Tensor right_;
};

TEST_F(PlantedMistake, NoneIsFoundInARightProgram) {
  ASSERT_EQ(list_.launches.size(), 6U) << artifact::to_string(list_);
  for (const char* text : {"poison", "access", "order", "fault", "poison,access,order=1,fault"}) {
    EXPECT_TRUE(same_bits(run(runtime::parse_test_modes(text)), right_)) << text;
  }
}

// A lifetime that ends before the last reader, who does not say that it reads.
TEST_F(PlantedMistake, PoisonShowsMemoryThatIsReadTooLate) {
  const artifact::StorageId a = result_of(0);
  conceal(4, a, false);
  list_.storages[static_cast<size_t>(a)].last = 1;
  EXPECT_TRUE(same_bits(run({}), right_));  // By luck.
  EXPECT_TRUE(std::isnan(run({.poison = true}).at({3, 3})));
}

TEST_F(PlantedMistake, PoisonShowsMemoryThatNobodyWrites) {
  auto& work = std::get<artifact::KernelLaunch>(launch(0).work);
  work.buffers[1].offset = Expr(64);  // One row late, in a storage with another one behind it.
  EXPECT_TRUE(std::isnan(run({.poison = true}).at({0, 0})));
}

TEST_F(PlantedMistake, AccessFindsAReadThatIsNotDeclared) {
  conceal(4, result_of(0), false);
  EXPECT_TRUE(same_bits(run({}), right_));
  EXPECT_TRUE(contains(error({.access = true}), "reads only what it declares: node 0.4"));
}

TEST_F(PlantedMistake, AccessFindsAWriteThatIsNotDeclared) {
  for (artifact::Access& access : launch(2).accesses) {
    if (access.is_write) access.bytes = Expr(1000);  // Of 1024.
  }
  EXPECT_TRUE(same_bits(run({}), right_));
  const std::string message = error({.access = true});
  EXPECT_TRUE(contains(message, "writes only what it declares: node 0.2"))
      << message << artifact::to_string(list_);
}

TEST_F(PlantedMistake, AccessFindsAKernelThatWritesPastItsOutput) {
  auto& work = std::get<artifact::KernelLaunch>(launch(5).work);
  work.buffers[2].offset = Expr(64);
  EXPECT_TRUE(contains(error({.access = true}), "writes only what it declares: node 0.5"));
}

TEST_F(PlantedMistake, OrderShowsAMissingEdge) {
  conceal(1, result_of(0), false);
  EXPECT_TRUE(same_bits(run({}), right_));
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    wrong += same_bits(run({.poison = true, .order_seed = seed}), right_) ? 0 : 1;
  }
  EXPECT_GT(wrong, 0);
  EXPECT_LT(wrong, 20);
}

// b gets the place of a, which is read after b is made.
TEST_F(PlantedMistake, AWrongMemoryPlanIsFound) {
  const artifact::StorageId a = result_of(0);
  const artifact::StorageId b = result_of(1);
  const auto range_of = [&](artifact::StorageId storage) -> artifact::ArenaLayout::Range& {
    return layout_.ranges[static_cast<size_t>(list_.storages[static_cast<size_t>(storage)].index)];
  };
  range_of(b).offset = range_of(a).offset;
  EXPECT_FALSE(same_bits(run({}), right_));
  EXPECT_TRUE(contains(error({.access = true}), "do not overlap"));
  EXPECT_TRUE(std::isnan(run({.poison = true}).at({3, 3})));  // The end of b.
}

// --- Faults

TEST(TestModes, AfterAnyFaultTheNextCallIsRightAndNothingIsLost) {
  ir::Program program = text_program(kText);
  const PlanRunner runner(lowering::lower(program), program.module->exprs(), {});
  const OneList plain(runner);
  OneList tested(runner, nullptr, {.poison = true, .fault = true});
  const std::vector<Tensor> inputs{fill_floats(DType::f32, {16, 16}, 1, 1, 0),
                                   fill_floats(DType::f32, {16, 16}, 2, 1, 0)};
  const auto input_of = [&](size_t i) { return &inputs[i]; };
  const Tensor right = std::get<Tensor>(plain.runner().run(input_of, {}, {})[0]);
  int64_t faults = 0;
  for (int64_t n = 1;; ++n) {
    tested.fail_call(n);
    const std::string message = message_of([&] { tested.runner().run(input_of, {}, {}); });
    tested.fail_call(0);
    for (const Tensor& input : inputs) ASSERT_EQ(input.storage().use_count(), 1) << n;
    ASSERT_TRUE(same_bits(std::get<Tensor>(tested.runner().run(input_of, {}, {})[0]), right)) << n;
    ASSERT_EQ(tested.runner().held_bytes(), plain.runner().held_bytes()) << n;
    if (message.empty()) break;
    ASSERT_TRUE(contains(message, "a test asked")) << message;
    ++faults;
  }
  EXPECT_GT(faults, 8);  // Its output, the patch, the launch, six nodes, releases.
}

TEST(TestModes, TheFirstCallMayFailAnywhere) {
  int64_t n = 1;
  for (bool fails = true; fails; ++n) {
    Executable executable(text_program(kText),
                          {.threads = 1, .test_modes = {.fault = true, .fail_call = n}});
    const std::vector<Leaf> inputs{fill_floats(DType::f32, {16, 16}, 1, 1, 0),
                                   fill_floats(DType::f32, {16, 16}, 2, 1, 0)};
    fails = !message_of([&] { executable.run(inputs); }).empty();
    executable.fail_call(0);
    EXPECT_EQ(message_of([&] { executable.run(inputs); }), "") << n;
  }
  EXPECT_GT(n, 10);
}

TEST(TestModes, FaultsAreForThoseWhoAsk) {
  Executable executable(text_program(kText), {.threads = 1});
  EXPECT_THROW(executable.fail_call(1), Error);
}

// --- Programs that run step by step

constexpr const char* kLoop = R"(
graph @cond(%n: i64[], %x: f32[4, 8]) -> (bool[]) {
  %p = aten.gt.Scalar(%n, 0)
  return %p
}
graph @body(%n: i64[], %x: f32[4, 8]) -> (i64[], f32[4, 8]) {
  %m = aten.sub.Tensor(%n, 1)
  %y = aten.sin(%x)
  return %m, %y
}
graph @main(%n: i64[], %x: f32[4, 8]) -> (i64[], f32[4, 8]) {
  %r:2 = higher_order.while_loop(@cond, @body, [%n, %x])
  return %r#0, %r#1
})";

TEST(TestModes, OfControlFlow) {
  const std::vector<Leaf> inputs{Tensor::scalar_int(DType::i64, 3),
                                 fill_floats(DType::f32, {4, 8}, 1, 1, 0)};
  Executable plain(text_program(kLoop), {.threads = 1});
  const Tensor right = std::get<Tensor>(plain.run(inputs)[1]);
  Executable tested(
      text_program(kLoop),
      {.threads = 1, .test_modes = runtime::parse_test_modes("poison,access,order,fault")});
  int faults = 0;
  for (int64_t n = 1;; ++n) {
    tested.fail_call(n);
    const bool fails = !message_of([&] { tested.run(inputs); }).empty();
    tested.fail_call(0);
    ASSERT_TRUE(same_bits(std::get<Tensor>(tested.run(inputs)[1]), right)) << n;
    if (!fails) break;
    ++faults;
  }
  EXPECT_GT(faults, 6);  // Steps of three turns.
}

// Rows of four elements, none of them.
TEST(TestModes, OfEmptyTensors) {
  Executable tested(text_program(R"(
sym s0 in [0, 64] hint 6

graph @main(%x: f32[1, 4], %y: f32[s0]) -> (f32[s0, 4]) {
  %expand = aten.expand(%x, size=[s0, 4]) : f32[s0, 4]{0, 1}
  %mul = aten.mul.Tensor(%expand, other=2) : f32[s0, 4]
  return %mul
})"),
                    {.threads = 1, .test_modes = runtime::parse_test_modes("poison,access,order")});
  for (const int64_t rows : {3, 0}) {
    const std::vector<Leaf> inputs{Tensor::zeros(DType::f32, {1, 4}),
                                   Tensor::zeros(DType::f32, {rows})};
    EXPECT_EQ(std::get<Tensor>(tested.run(inputs)[0]).sizes(), (std::vector<int64_t>{rows, 4}));
  }
}

// Calls of several threads follow each other.
TEST(TestModes, OfConcurrentCalls) {
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {16, 16}, 1, 1, 0),
                                 fill_floats(DType::f32, {16, 16}, 2, 1, 0)};
  Executable plain(text_program(kText), {.threads = 1});
  const Tensor right = std::get<Tensor>(plain.run(inputs)[0]);
  Executable tested(text_program(kText),
                    {.threads = 2, .test_modes = runtime::parse_test_modes("poison,access,order")});
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(same_bits(std::get<Tensor>(tested.run(inputs)[0]), right));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace litz::compiler

#include "runtime/program/program_calls.h"

#include <gtest/gtest.h>

#include "host_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::ProgramInput;

/// Inputs: a buffer `count` of 1 element, `x` of 2, whose new contents are output 1.
class ProgramCallsTest : public testing::Test {
 protected:
  ProgramCallsTest() {
    ProgramInput count;
    count.kind = InputKind::buffer;
    count.label = "count";
    count.type = contiguous_type(DType::f32, {1});
    count.data = Tensor::of<float>(DType::f32, {1}, {0});
    ProgramInput x;
    x.label = "x";
    x.type = contiguous_type(DType::f32, {2});
    signature_.inputs = {count, x};
    signature_.outputs = {{OutputKind::buffer_mutation, 0, ""},
                          {OutputKind::input_mutation, 1, ""},
                          {OutputKind::user, -1, "y"}};
  }

  struct Compute {
    void operator()(const InputOf& input_of, Bindings& /*bindings*/, StreamId /*stream*/,
                    std::span<const Tensor> /*into*/, std::vector<Value>& results) const {
      const auto count = static_cast<float>(input_of(0)->at({0}));
      const Tensor& x = *input_of(1);
      results = {Tensor::of<float>(DType::f32, {1}, {count + 1}),
                 Tensor::of<float>(DType::f32, {2}, {count, count}), x};
    }
  };

  Compute compute;

  artifact::Signature signature_;
  ExprPool pool_;
  HostStream host_;
};

TEST_F(ProgramCallsTest, WritesBackWhatChanges) {
  ProgramCalls calls(signature_, pool_, host_.device, {}, std::nullopt, {});
  const Tensor x = Tensor::of<float>(DType::f32, {2}, {7, 8});
  const std::vector<Value> given{x};
  const std::vector<Value> first = calls.run(given, calls.next_key(), compute);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_NE(std::get<Tensor>(first[0]).storage(), x.storage());  // A result of its own memory,
  EXPECT_EQ(std::get<Tensor>(first[0]).at({1}), 8);              // of before the write.
  EXPECT_EQ(x.at({0}), 0);
  calls.run(given, calls.next_key(), compute);
  EXPECT_EQ(x.at({0}), 1);
  EXPECT_EQ(calls.weights().at(0).at({0}), 2);
  EXPECT_EQ(signature_.inputs[0].data.at({0}), 0);  // The file's data stays as it was.
}

TEST_F(ProgramCallsTest, CallsThatDrawAreCounted) {
  const SymbolId key = pool_.add_symbol({.name = "seed", .range = {}}).symbol();
  ProgramCalls drawing(signature_, pool_, host_.device, {}, key, {.seed = 7});
  EXPECT_NE(drawing.next_key(), drawing.next_key());
  EXPECT_EQ(drawing.calls_begun(), 2U);
  ProgramCalls other(signature_, pool_, host_.device, {}, std::nullopt, {.seed = 7});
  EXPECT_EQ(other.next_key(), other.next_key());
}

TEST_F(ProgramCallsTest, GuardsAndMemoryAreChecked) {
  signature_.guards = {{Expr::boolean(false), "never"}};
  ProgramCalls guarded(signature_, pool_, host_.device, {}, std::nullopt, {});
  const std::vector<Value> given{Tensor::zeros(DType::f32, {2})};
  EXPECT_THROW(guarded.run(given, 0, compute), Error);
  ProgramCalls free(signature_, pool_, host_.device, {}, std::nullopt, {.enforce_guards = false});
  EXPECT_NO_THROW(free.run(given, 0, compute));
  static const std::vector<std::byte> bytes(8);
  const std::vector<Value> constant{
      Tensor(DType::f32, {2}, {1}, 0, Storage::borrow(bytes, nullptr))};
  EXPECT_THROW(free.run(constant, 0, compute), Error);
}

TEST_F(ProgramCallsTest, WeightsThatChangeAreNotConstant) {
  const ProgramCalls calls(signature_, pool_, host_.device, {}, std::nullopt, {});
  EXPECT_FALSE(calls.constant_weights()[0].defined());
  signature_.outputs.erase(signature_.outputs.begin());
  const ProgramCalls others(signature_, pool_, host_.device, {}, std::nullopt, {});
  EXPECT_TRUE(others.constant_weights()[0].defined());
}

}  // namespace
}  // namespace litz::runtime

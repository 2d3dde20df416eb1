#include "artifact/stored_parts.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "small_program.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

TEST(StoredParts, WeightsReturnToTheirInputs) {
  const Program program = small_program();
  StoredWeights weights = weights_of(program);
  Program bare = small_program();
  for (ProgramInput& input : bare.signature.inputs) input.data = {};
  for (PackedConstant& packed : bare.packed) packed.data = {};
  attach_weights(bare, weights);
  for (size_t i = 0; i < bare.signature.inputs.size(); ++i) {
    EXPECT_EQ(bare.signature.inputs[i].data.storage(), program.signature.inputs[i].data.storage());
  }
  for (size_t i = 0; i < bare.packed.size(); ++i) {
    EXPECT_EQ(bare.packed[i].data.storage(), program.packed[i].data.storage());
  }
  weights.numbers[0] = static_cast<int64_t>(weights.tensors.size());
  EXPECT_THROW(attach_weights(bare, weights), Error);
  weights.numbers.pop_back();
  EXPECT_THROW(attach_weights(bare, weights), Error);
}

TEST(StoredParts, NumbersOfWeightsAreThoseOfTensors) {
  for (const int64_t number : {int64_t{-8}, int64_t{7}, INT64_MIN, INT64_MAX}) {
    Program program = small_program();
    std::vector<Tensor> tensors = all_tensors(program);
    EXPECT_THROW(attach_tensors(program, {{number, number, number}}, std::move(tensors)), Error);
  }
}

TEST(StoredParts, RefuseWhatNoOtherProcessCanRun) {
  Program program = small_program();
  require_portable(program);
  Launch call;
  call.work = CallLaunch{};
  program.lists[0].launches.push_back(call);
  EXPECT_THROW(require_portable(program), Error);
  EXPECT_THROW(require_build("this", "that"), Error);
}

TEST(StoredParts, ContradictionsAreDamage) {
  require_sound(small_program());
  const auto expect_refused = [](const std::function<void(Program&)>& change, const char* why) {
    Program program = small_program();
    change(program);
    try {
      require_sound(program);
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt);
    }
  };
  expect_refused([](Program& p) { p.kernels[0].phases[0].grain = 0; }, "phases make progress");
  expect_refused([](Program& p) { p.kernels[0].phases[0].iterations = 17; }, "code has its own");
  expect_refused([](Program& p) { p.kernels[0].buffers.pop_back(); }, "the code uses all");
  expect_refused([](Program& p) { p.lists[0].symbols.clear(); }, "sizes decide what is bound");
}

}  // namespace
}  // namespace litz::artifact

#include "artifact/stored_parts.h"

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
  Program program = small_program();
  require_sound(program);
  program.kernels[0].phases[0].grain = 0;
  try {
    require_sound(program);
    FAIL() << "a phase must make progress";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
  }
}

}  // namespace
}  // namespace litz::artifact

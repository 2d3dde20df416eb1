#include "compiler/api/saved_storages.h"

#include <gtest/gtest.h>

namespace litz::compiler {
namespace {

TEST(SavedStorages, CountWritesWhileSomebodyWatches) {
  const Tensor tensor = Tensor::zeros(DType::f32, {2});
  const Storage* storage = tensor.storage().get();
  note_write(storage);  // Nobody watches.
  EXPECT_EQ(count_writes(storage), 0U);
  note_write(storage);
  EXPECT_EQ(count_writes(storage), 1U);
  forget_writes(storage);
  note_write(storage);
  EXPECT_EQ(count_writes(storage), 2U);
  forget_writes(storage);
  forget_writes(storage);
  forget_writes(storage);  // Nobody watches any more.
  EXPECT_EQ(count_writes(storage), 0U);
  forget_writes(storage);
}

}  // namespace
}  // namespace litz::compiler

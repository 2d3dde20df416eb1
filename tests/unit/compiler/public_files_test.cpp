// Files of tensors, as C++ programs write and read them.

#include <filesystem>
#include <litz/files.h>
#include <litz/index.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(PublicFiles, KeepNamesTypesAndElements) {
  const Tensor turned = t(reshape(arange(6, DType::float32), {2, 3}));
  const Tensor halves = to(ones({2}), DType::bfloat16);
  for (const char* ending : {".npz", ".safetensors"}) {
    const std::string path = testing::TempDir() + "litz_public_files" + ending;
    save_tensors(path, {{"a.weight", turned}, {"b", halves}});
    const NamedTensors read = load_tensors(path);
    std::filesystem::remove(path);
    ASSERT_EQ(read.size(), 2U);
    for (const auto& [name, tensor] : read) {
      if (name != "a.weight") continue;
      EXPECT_EQ(tensor.sizes(), (std::vector<int64_t>{3, 2}));
      EXPECT_EQ(tensor.to_vector<float>(), turned.to_vector<float>());
      fill_(tensor, 1);  // Not the file's memory.
    }
  }
}

TEST(PublicFiles, SayWhatIsWrong) {
  EXPECT_THROW(load_tensors("missing.npz"), Error);
  EXPECT_THROW(load_tensors("model.txt"), Error);
  EXPECT_THROW(save_tensors(testing::TempDir() + "two.npy", {{"a", ones({1})}, {"b", ones({1})}}),
               Error);
}

}  // namespace
}  // namespace litz

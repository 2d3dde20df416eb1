// A small archive with any one byte changed gives an error or the right answer, never a crash and
// never another answer.

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "import/import_archive.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  return {bytes, bytes + content.size()};
}

std::vector<std::byte> bytes_of(const std::vector<Leaf>& leaves) {
  std::vector<std::byte> all;
  for (const Leaf& leaf : leaves) {
    const auto* tensor = std::get_if<Tensor>(&leaf);
    if (tensor == nullptr) continue;
    const Tensor dense = tensor->contiguous();
    const auto size = static_cast<size_t>(dense.numel() * item_size(dense.dtype()));
    all.insert(all.end(), dense.data(), dense.data() + size);
  }
  return all;
}

// Empty when the archive is refused.
std::vector<std::byte> answer(std::span<const std::byte> bytes, const Tensor& input,
                              const std::shared_ptr<const ops::OpTable>& table) {
  try {
    const import_::Archive archive = import_::Archive::open(bytes, "archive");
    Executable executable(import_::import_archive(archive, table),
                          {.executor = ExecutorKind::interpreter, .threads = 1});
    const std::vector<Leaf> inputs{input};
    return bytes_of(executable.run(inputs));
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return {};
  }
}

class Corruption : public testing::TestWithParam<const char*> {};

TEST_P(Corruption, OfAnyByteIsNoticedOrHarmless) {
  const auto table = ops::standard_ops();
  std::vector<std::byte> bytes = read_file(std::string("tests/data/pt2/") + GetParam());
  ASSERT_FALSE(bytes.empty());
  const Tensor input = fill_floats(DType::f32, {4, 8}, 1, 1, 0);
  const std::vector<std::byte> expected = answer(bytes, input, table);
  ASSERT_FALSE(expected.empty());
  size_t refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const std::byte original = bytes[i];
    bytes[i] ^= std::byte{0x15};
    const std::vector<std::byte> actual = answer(bytes, input, table);
    refused += actual.empty() ? 1 : 0;
    ASSERT_TRUE(actual.empty() || actual == expected) << "byte " << i << " changes the answer";
    bytes[i] = original;
  }
  EXPECT_GT(refused, bytes.size() / 4);
}

INSTANTIATE_TEST_SUITE_P(Archives, Corruption,
                         testing::Values("v2_15_mlp_dynamic.raw.pt2", "v2_8_mlp_dynamic.raw.pt2",
                                         "v2_6_mlp_dynamic.raw.pt2"));

}  // namespace
}  // namespace litz::compiler

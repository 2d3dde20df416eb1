// Operators registered through the C functions of the whole library: programs that it compiles know
// them, too.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "litz/c_api.h"
#include "litz/litz.h"

namespace litz {
namespace {

int32_t negate(const litz_call* call) {
  const litz_tensor& x = call->arguments[0].value.tensor;
  const litz_tensor& y = call->results[0];
  for (int64_t i = 0; i < x.sizes[0]; ++i) {
    static_cast<float*>(y.data)[i * y.strides[0]] =
        -static_cast<const float*>(x.data)[i * x.strides[0]];
  }
  return 0;
}

const litz_operator kOperators[] = {
    {.schema = "c_api::negate(Tensor x) -> Tensor", .run = negate, .results_like = "x"}};

TEST(COperators, AreKnownToTheCompiler) {
  const litz_operator_library library{LITZ_OPERATORS_ABI, sizeof(litz_operator), 1, kOperators};
  ASSERT_EQ(litz_register_operator_table(&library, nullptr), LITZ_OK);
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "negate.ir";
  std::ofstream(path) << "graph @main(%x: f32[3]) -> (f32[3]) {\n"
                         "  %y = c_api.negate(%x)\n"
                         "  return %y\n"
                         "}\n";
  Result<Executable> loaded = load(path.string());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto outputs = loaded->run({Tensor::from<float>({3}, std::vector<float>{1, 2, 3})});
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(std::get<Tensor>((*outputs)[0]).as<float>()[2], -3);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace litz

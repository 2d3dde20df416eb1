// Kernels of many elementary functions, whose formulas are functions of their modules.

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

/// Each computes the same bits in its own kernel as among 20 others in one.
TEST(ManyFunctions, HaveTheBitsOfFew) {
  constexpr std::array kFunctions{"sin", "exp",  "tanh",    "cos",  "log1p",
                                  "erf", "atan", "sigmoid", "sinh", "expm1"};
  for (const char* dtype : {"f32", "f64", "bf16"}) {
    const std::string type = std::string(dtype) + "[101]";
    std::string body;
    std::string last = "%x";
    for (int i = 0; i < 20; ++i) {
      const std::string next = "%v" + std::to_string(i);
      body += "  " + next + " = aten." + kFunctions[static_cast<size_t>(i) % kFunctions.size()] +
              "(" + last + ") : " + type + "\n";
      last = next;
    }
    body += "  %z = aten.remainder.Tensor(" + last + ", %x) : " + type + "\n";
    const std::string text =
        "graph @main(%x: " + type + ") -> (" + type + ") {\n" + body + "  return %z\n}\n";
    const std::vector<Leaf> inputs{fill_floats(DType::f32, {101}, 7, 2, 0).to(*parse_dtype(dtype))};
    Executable together(text_program(text), {.threads = 1});
    Executable alone(text_program(text), {.threads = 1, .fuse = false});
    EXPECT_LT(together.launch_counts().kernels, alone.launch_counts().kernels);
    EXPECT_EQ(bytes_of(together.run(inputs)), bytes_of(alone.run(inputs))) << dtype;
  }
}

}  // namespace
}  // namespace litz::compiler

#include "runtime/program/program_loader.h"

#include <gtest/gtest.h>

#include "artifact/program_file.h"
#include "products_program.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

std::vector<std::byte> stored(const artifact::CodeTarget& target) {
  artifact::Program program = product_program();
  program.target = target;
  return artifact::write_program_file(program, *program.symbols, build_name());
}

TEST(ProgramLoader, LoadsWhatRunsHere) {
#if defined(__x86_64__)
  const std::vector<std::byte> bytes = stored({"avx2", "x86_64-pc-linux-gnu", "+avx2"});
#else
  const std::vector<std::byte> bytes = stored({"neon", "aarch64-unknown-linux-gnu", "+neon"});
#endif
  ASSERT_TRUE(is_compiled_program(bytes));
  EXPECT_EQ(load_program(bytes, nullptr).name, "product");
}

TEST(ProgramLoader, RefusesOtherProcessorsAndFiles) {
  try {
    load_program(stored({"riscv", "riscv64-linux", ""}), nullptr);
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
  EXPECT_THROW(load_program(std::vector<std::byte>(100), nullptr), Error);
  EXPECT_THROW(load_program("/nonexistent/model.litz"), Error);
  EXPECT_NE(reason_not_runnable({"riscv", "", ""}), "");
}

}  // namespace
}  // namespace litz::runtime

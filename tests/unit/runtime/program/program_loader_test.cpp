#include "runtime/program/program_loader.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "artifact/file_signature.h"
#include "artifact/program_file.h"
#include "products_program.h"
#include "support/check.h"
#include "support/whole_file.h"

namespace litz::runtime {
namespace {

std::vector<std::byte> stored(const artifact::CodeTarget& target) {
  artifact::Program program = product_program();
  program.target = target;
  return artifact::write_program_file(program, *program.symbols, build_name());
}

std::vector<std::byte> stored_for_here() {
#if defined(__x86_64__)
  return stored({"avx2", "x86_64-pc-linux-gnu", "+avx2"});
#else
  return stored({"neon", "aarch64-unknown-linux-gnu", "+neon"});
#endif
}

TEST(ProgramLoader, LoadsWhatRunsHere) {
  const std::vector<std::byte> bytes = stored_for_here();
  ASSERT_TRUE(is_compiled_program(bytes));
  EXPECT_EQ(load_program(bytes, nullptr).name, "product");
}

TEST(ProgramLoader, VerifiesSignatures) {
  const std::vector<std::byte> plain = stored_for_here();
  const SecretKey key = new_secret_key();
  const std::array<PublicKey, 1> trusted{key.public_key};
  std::vector<std::byte> bytes = plain;
  const std::vector<std::byte> signature = artifact::signature_bytes(plain, key);
  bytes.insert(bytes.end(), signature.begin(), signature.end());
  EXPECT_EQ(load_program(bytes, nullptr, trusted).name, "product");
  EXPECT_EQ(load_program(bytes, nullptr).name, "product") << "who trusts all reads it too";
  const auto refusal = [&](std::span<const std::byte> file) {
    try {
      load_program(file, nullptr, trusted);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(refusal(plain), ErrorCode::untrusted);
  // Before anything else is looked at: not "for another processor".
  EXPECT_EQ(refusal(stored({"riscv", "riscv64-linux", ""})), ErrorCode::untrusted);
  bytes[100] ^= std::byte{1};
  EXPECT_EQ(refusal(bytes), ErrorCode::untrusted);
}

// The bytes that were verified are those that run.
TEST(ProgramLoader, KeepsWhatItVerified) {
  const std::vector<std::byte> plain = stored_for_here();
  const SecretKey key = new_secret_key();
  const std::string path = testing::TempDir() + "litz_kept_" + std::to_string(getpid());
  const std::vector<std::byte> signature = artifact::signature_bytes(plain, key);
  write_whole_parts(path, std::array<std::span<const std::byte>, 2>{plain, signature});
  const artifact::Program program = load_program(path, std::array{key.public_key});
  const auto weight = program.signature.inputs.at(0).data;
  ASSERT_TRUE(weight.defined());
  const double before = weight.at({0, 0});
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file << std::string(plain.size(), '\x7f');
  }
  EXPECT_EQ(weight.at({0, 0}), before);
  std::remove(path.c_str());
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

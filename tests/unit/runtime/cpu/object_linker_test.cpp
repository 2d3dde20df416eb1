#include "runtime/cpu/object_linker.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "compile_text.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

constexpr const char* kAddress = R"(
@table = internal constant [2 x i64] [i64 4711, i64 20]
declare i32 @other(i64)
define ptr @get() { ret ptr @table }
define i32 @call() {
  %r = tail call i32 @other(i64 1)
  ret i32 %r
}
)";

void* other(std::string_view name) {
  return name == "other" ? reinterpret_cast<void*>(uint64_t{0x123456789abc}) : nullptr;
}

uint32_t word(const std::vector<std::byte>& image, size_t offset) {
  uint32_t value = 0;
  std::memcpy(&value, image.data() + offset, 4);
  return value;
}

// Code for another machine cannot run here, but what it refers to can be followed.
TEST(ObjectLinker, AArch64CodeFindsItsConstants) {
  const std::vector<std::byte> bytes = compile_text(kAddress, "neon");
  const std::span<const std::byte> object = bytes;
  const ObjectLinker linker({&object, 1}, other);
  EXPECT_EQ(linker.machine(), Machine::aarch64);
  std::vector<std::byte> image(linker.bytes());
  const uint64_t address = 0x7fff'1234'0000;
  linker.write(image, address);
  ASSERT_EQ(linker.functions().size(), 2U);
  const size_t call = linker.functions()[0].second;
  const size_t get = linker.functions()[1].second;
  // adrp x0, page; add x0, x0, offset
  const uint32_t adrp = word(image, get);
  const uint32_t add = word(image, get + 4);
  ASSERT_EQ(adrp & 0x9f00001f, 0x90000000U);
  ASSERT_EQ(add & 0xffc003ff, 0x91000000U);
  const uint64_t pages = ((adrp >> 5 & 0x7ffff) << 2) | (adrp >> 29 & 3);
  const uint64_t found = ((address + get) & ~uint64_t{0xfff}) + (pages << 12) + (add >> 10 & 0xfff);
  ASSERT_LT(found - address, image.size() - 8);
  EXPECT_EQ(word(image, found - address), 4711U);
  // The call reaches a stub, and the stub a word with the import's address.
  size_t branch = call;
  while ((word(image, branch) & 0x7c000000) != 0x14000000) branch += 4;
  const size_t stub = branch + (word(image, branch) & 0x3ffffff) * 4;
  ASSERT_LT(stub, linker.code_bytes());
  EXPECT_EQ(word(image, stub + 8), 0xd61f0200);  // br x16
  uint64_t import = 0;
  std::memcpy(&import, image.data() + linker.code_bytes(), 8);
  EXPECT_EQ(import, 0x123456789abc);
}

TEST(ObjectLinker, ImportsShareOneEntry) {
  const std::vector<std::byte> first = compile_text(
      "declare i32 @other(i64)\n define i32 @a() { %r = call i32 @other(i64 1) ret i32 %r }");
  const std::vector<std::byte> second = compile_text(
      "declare i32 @other(i64)\n define i32 @b() { %r = call i32 @other(i64 1) ret i32 %r }");
  const std::span<const std::byte> one[] = {first};
  const std::span<const std::byte> both[] = {first, second};
  // Each fits into one page of code and one of addresses.
  EXPECT_EQ(ObjectLinker(one, other).bytes(), ObjectLinker(both, other).bytes());
}

TEST(ObjectLinker, OneMachine) {
  const std::vector<std::byte> x86 = compile_text("define i32 @a() { ret i32 1 }", "avx2");
  const std::vector<std::byte> arm = compile_text("define i32 @b() { ret i32 1 }", "neon");
  const std::span<const std::byte> both[] = {x86, arm};
  EXPECT_THROW(ObjectLinker(both, nullptr), Error);
}

}  // namespace
}  // namespace litz::runtime

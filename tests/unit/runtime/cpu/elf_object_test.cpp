#include "runtime/cpu/elf_object.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

#include <gtest/gtest.h>

#include "compile_text.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

constexpr const char* kCode = R"(
@table = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
declare i32 @other(i64)
define i32 @entry(ptr %a, i64 %b, i64 %e) {
  %p = getelementptr i64, ptr @table, i64 %b
  %v = load i64, ptr %p
  %r = call i32 @other(i64 %v)
  ret i32 %r
}
)";

TEST(ElfObject, KeepsWhatIsLoaded) {
  const std::vector<std::byte> bytes = compile_text(kCode);
  const ElfObject object = ElfObject::parse(bytes);
  ASSERT_EQ(object.sections.size(), 2U);  // No unwind table.
  EXPECT_EQ(std::ranges::count_if(object.sections, &ObjectSection::is_code), 1);
  const auto symbol = [&](std::string_view name) {
    const auto found = std::ranges::find(object.symbols, name, &ObjectSymbol::name);
    return found == object.symbols.end() ? ObjectSymbol() : *found;
  };
  EXPECT_TRUE(symbol("entry").is_function);
  EXPECT_TRUE(symbol("entry").is_global);
  EXPECT_GE(symbol("entry").section, 0);
  EXPECT_EQ(symbol("other").section, ObjectSymbol::kImported);
  EXPECT_EQ(object.relocations.size(), 2U);
}

ErrorCode code_of(std::span<const std::byte> bytes) {
  try {
    ElfObject::parse(bytes);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(ElfObject, EveryShorterFileIsRefused) {
  const std::vector<std::byte> bytes = compile_text(kCode);
  // The section table comes last, so every cut loses a part of it.
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(code_of(std::span(bytes).first(size)), ErrorCode::corrupt) << size;
  }
}

TEST(ElfObject, WritableDataIsRefused) {
  const std::vector<std::byte> bytes =
      compile_text("@state = global i64 7\n define ptr @f() { ret ptr @state }");
  EXPECT_EQ(code_of(bytes), ErrorCode::corrupt);
  const std::vector<std::byte> zeros =
      compile_text("@state = global i64 0\n define ptr @f() { ret ptr @state }");
  EXPECT_EQ(code_of(zeros), ErrorCode::corrupt);
}

TEST(ElfObject, OtherFilesAreRefused) {
  const std::vector<std::byte> good = compile_text(kCode);
  const auto with_header = [&](auto change) {
    std::vector<std::byte> bytes = good;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    change(header);
    std::memcpy(bytes.data(), &header, sizeof(header));
    return code_of(bytes);
  };
  EXPECT_EQ(with_header([](Elf64_Ehdr& h) { h.e_type = ET_DYN; }), ErrorCode::corrupt);
  EXPECT_EQ(with_header([](Elf64_Ehdr& h) { h.e_machine = EM_386; }), ErrorCode::corrupt);
  EXPECT_EQ(with_header([](Elf64_Ehdr& h) { h.e_shoff = ~Elf64_Off{0}; }), ErrorCode::corrupt);
  EXPECT_EQ(with_header([](Elf64_Ehdr& h) { h.e_shnum = 0; }), ErrorCode::corrupt);
  EXPECT_EQ(with_header([](Elf64_Ehdr& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }),
            ErrorCode::corrupt);
}

}  // namespace
}  // namespace litz::runtime

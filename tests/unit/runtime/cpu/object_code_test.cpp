#include "runtime/cpu/object_code.h"

#include <array>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "compile_text.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

int32_t twice(int64_t value) { return static_cast<int32_t>(2 * value); }

void* resolve(std::string_view name) {
  return name == "twice" ? reinterpret_cast<void*>(&twice) : nullptr;
}

LoadedCode load(const std::vector<std::vector<std::byte>>& objects) {
  const std::vector<std::span<const std::byte>> views(objects.begin(), objects.end());
  return LoadedCode::load(views, resolve);
}

ErrorCode code_of(const std::vector<std::vector<std::byte>>& objects) {
  try {
    load(objects);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

// Constants, a jump table, a table of functions in read-only data, a visible constant that is
// reached through the table of addresses, a function of our own, an import.
constexpr const char* kEverything = R"(
@weights = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@visible = constant i64 1000
@steps = internal constant [2 x ptr] [ptr @first, ptr @second]
declare i32 @twice(i64)
define internal i64 @first(i64 %x) noinline { %r = add i64 %x, 1  ret i64 %r }
define internal i64 @second(i64 %x) noinline { %r = mul i64 %x, 3  ret i64 %r }
define i32 @entry(ptr %arguments, i64 %begin, i64 %end) {
  switch i64 %end, label %other [ i64 0, label %weight  i64 1, label %step  i64 2, label %import
                                  i64 3, label %local  i64 4, label %got ]
weight:
  %w = getelementptr i64, ptr @weights, i64 %begin
  %wv = load i64, ptr %w
  br label %done
step:
  %s = getelementptr ptr, ptr @steps, i64 %begin
  %f = load ptr, ptr %s
  %sv = call i64 %f(i64 7)
  br label %done
import:
  %i = call i32 @twice(i64 %begin)
  %iv = sext i32 %i to i64
  br label %done
local:
  %lv = call i64 @second(i64 %begin)
  br label %done
got:
  %gv = load volatile i64, ptr @visible
  br label %done
other:
  br label %done
done:
  %v = phi i64 [ %wv, %weight ], [ %sv, %step ], [ %iv, %import ], [ %lv, %local ], [ %gv, %got ],
               [ -1, %other ]
  %t = trunc i64 %v to i32
  ret i32 %t
}
)";

TEST(LoadedCode, RunsWhatObjectsContain) {
  const LoadedCode code = load({compile_text(kEverything)});
  const artifact::KernelFunction entry = code.find("entry");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry(nullptr, 2, 0), 30);
  EXPECT_EQ(entry(nullptr, 0, 1), 8);
  EXPECT_EQ(entry(nullptr, 1, 1), 21);
  EXPECT_EQ(entry(nullptr, 50, 2), 100);
  EXPECT_EQ(entry(nullptr, 5, 3), 15);
  EXPECT_EQ(entry(nullptr, 0, 4), 1000);
  EXPECT_EQ(entry(nullptr, 0, 9), -1);
  EXPECT_EQ(code.find("first"), nullptr);  // Not visible outside its object.
  EXPECT_EQ(code.find("absent"), nullptr);
}

// Copies and fills of constant size become code; of unknown size, calls.
TEST(LoadedCode, MemoryFunctionsAreKnown) {
  const LoadedCode code = load({compile_text(R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i32 @entry(ptr %p, i64 %n, i64 %m) {
  %q = getelementptr i8, ptr %p, i64 8
  %r = getelementptr i8, ptr %p, i64 16
  call void @llvm.memset.p0.i64(ptr %p, i8 5, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %r, ptr %q, i64 %n, i1 false)
  ret i32 0
}
)")});
  std::array<char, 24> memory{};
  code.find("entry")(reinterpret_cast<const artifact::KernelArguments*>(memory.data()), 3, 0);
  EXPECT_EQ(std::string(memory.data(), 24),
            std::string("\5\5\5\0\0\0\0\0\5\5\5\0\0\0\0\0\5\5\5\0\0\0\0\0", 24));
}

std::string numbered(int number) {
  const std::string text = std::to_string(number);
  return "@c = internal constant double " + text + ".5\n define i32 @kernel_" + text +
         "(ptr %a, i64 %b, i64 %e) { %v = load volatile double, ptr @c\n %r = fptosi double %v to "
         "i32\n ret i32 %r }";
}

TEST(LoadedCode, ManyObjectsShareOneMapping) {
  std::vector<std::vector<std::byte>> objects;
  for (int i = 0; i < 40; ++i) objects.push_back(compile_text(numbered(i)));
  LoadedCode code = load(objects);
  objects.clear();
  EXPECT_LE(code.bytes(), 4U * 4096);
  LoadedCode moved = std::move(code);
  EXPECT_EQ(code.find("kernel_3"), nullptr);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(moved.find("kernel_" + std::to_string(i))(nullptr, 0, 0), i);
  }
  moved = LoadedCode();
  EXPECT_EQ(moved.find("kernel_3"), nullptr);
}

TEST(LoadedCode, NothingIsWritableAndExecutable) {
  const LoadedCode code = load({compile_text(kEverything)});
  std::ifstream maps("/proc/self/maps");
  if (!maps) GTEST_SKIP() << "needs /proc";
  const auto address = reinterpret_cast<uint64_t>(code.find("entry"));
  std::string line;
  bool found = false;
  while (std::getline(maps, line)) {
    EXPECT_EQ(line.find(" rwx"), std::string::npos) << line;
    const uint64_t begin = std::stoull(line, nullptr, 16);
    const uint64_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (address < begin || address >= end) continue;
    found = true;
    EXPECT_NE(line.find(" r-xp"), std::string::npos) << line;
  }
  EXPECT_TRUE(found);
}

TEST(LoadedCode, RefusesWhatItCannotLink) {
  const std::vector<std::byte> good = compile_text("define i32 @a() { ret i32 1 }");
  EXPECT_EQ(code_of({good, good}), ErrorCode::corrupt);  // Which one would `find` mean?
  EXPECT_EQ(code_of({compile_text("declare i32 @absent()\n define i32 @a() { %r = call i32 "
                                  "@absent() ret i32 %r }")}),
            ErrorCode::corrupt);
#if defined(__x86_64__)
  EXPECT_EQ(code_of({compile_text("define i32 @a() { ret i32 1 }", "neon")}),
            ErrorCode::unsupported);
#endif
  EXPECT_EQ(load({}).find("a"), nullptr);
}

// Damaged bytes are refused or loaded; never called here, since code itself has no check.
TEST(LoadedCode, DamageNeverReachesOutside) {
  const std::vector<std::byte> good = compile_text(kEverything);
  std::mt19937 random(7);
  for (int run = 0; run < 4000; ++run) {
    std::vector<std::byte> bytes = good;
    for (uint32_t i = 0; i <= random() % 4; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    try {
      load({bytes});
    } catch (const InternalError& error) {
      FAIL() << error.what();
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::corrupt || error.code() == ErrorCode::unsupported)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace litz::runtime

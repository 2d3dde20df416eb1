#include "artifact/program_file.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_list.h"
#include "small_program.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

std::vector<std::byte> written(const Program& program) {
  return write_program_file(program, *program.symbols, "test");
}

TEST(ProgramFile, GivesTheSameProgram) {
  const Program program = small_program();
  const std::vector<std::byte> bytes = written(program);  // Which `read` has its weights in.
  const Program read = read_program_file(bytes, nullptr, "test");
  EXPECT_EQ(to_string(read), to_string(program));
  EXPECT_EQ(read.source, program.source);
  EXPECT_EQ(read.target.features, program.target.features);
  EXPECT_EQ(read.symbols->symbol(0).hint, 4);
  EXPECT_EQ(read.kernels[0].object, program.kernels[0].object);
  EXPECT_EQ(read.kernels[0].scalars.size(), 1U);
  EXPECT_EQ(read.signature.inputs[0].data.at({2, 1}), 8);
  EXPECT_FALSE(read.signature.inputs[1].data.defined());
  EXPECT_EQ(std::get<std::string>(read.signature.inputs[2].literal), "mean");
  ASSERT_EQ(read.packed.size(), 2U);
  EXPECT_EQ(read.packed[0].description, program.packed[0].description);
  EXPECT_EQ(read.packed[0].data.int_at({2}), 3);
  EXPECT_EQ(read.packed[1].source, 0);
  EXPECT_EQ(written(read), bytes);
}

TEST(ProgramFile, PackedConstantsAreMadeOfSomething) {
  for (const PackedConstant& wrong :
       {PackedConstant{.input = 9}, PackedConstant{.source = 1}, PackedConstant{},
        PackedConstant{.input = 0, .source = 0}, PackedConstant{.input = 0, .offset = -1}}) {
    Program program = small_program();
    program.packed[1] = wrong;
    program.packed[1].data = program.packed[0].data;
    EXPECT_THROW(read_program_file(written(program), nullptr, "test"), Error);
  }
}

TEST(ProgramFile, EveryKindOfLaunchComesBack) {
  Program program = small_program();
  const Expr n = program.symbols->symbol_expr(0);
  LaunchList list = small_list(n);
  list.launches.erase(list.launches.begin() + 2);  // What only this process can call.
  for (PlannedStorage& storage : list.storages) {
    storage.last = std::min(storage.last, 2);
    storage.first = std::min(storage.first, 2);
  }
  list.storages[3].last = list.storages[4].last = 2;
  list.storages[4].offset = 8 * n;
  list.arena_bytes = 16 * n;
  list.inputs.resize(4);
  list.inputs[0] = list.inputs[3] = contiguous_type(DType::f32, {n});
  list.symbols = {n.symbol()};
  program.lists.push_back(std::move(list));
  EXPECT_EQ(to_string(read_program_file(written(program), nullptr, "test")), to_string(program));
}

TEST(ProgramFile, CallsOfThisProcessAreNotStored) {
  Program program = small_program();
  LaunchList list = small_list(program.symbols->symbol_expr(0));
  program.lists.push_back(std::move(list));
  EXPECT_THROW(written(program), Error);
}

TEST(ProgramFile, OtherBuildsAreRefused) {
  const std::vector<std::byte> bytes = written(small_program());
  try {
    read_program_file(bytes, nullptr, "other");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("compile it again: test instead of other"));
  }
}

// Whatever a byte of the body becomes: a program that says what it says, or an error.
TEST(ProgramFile, AnyBodyIsReadOrRefused) {
  const std::vector<std::byte> bytes = written(small_program());
  const std::vector<std::byte> content(bytes.begin() + 32, bytes.end());
  for (size_t i = 0; i < content.size(); ++i) {
    for (const std::byte flip : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
      std::vector<std::byte> changed = content;
      changed[i] ^= flip;
      try {
        read_program_file(frame_content(kProgramFile, changed), nullptr, "test");
      } catch (const InternalError& error) {
        FAIL() << i << ": " << error.what();
      } catch (const Error&) {
      }
    }
  }
}

// The fuzzer begins with files that get past the header. LITZ_WRITE_SEEDS=1 writes them anew after a
// change of the format.
TEST(ProgramFile, FuzzerHasFilesOfThisFormat) {
  const std::string folder = "tests/fuzz/seeds/program_file/";
  constexpr std::string_view kBuild = "fuzz";
  const Program program = small_program();
  const std::vector<std::byte> file = write_program_file(program, *program.symbols, kBuild);
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view content = bytes.substr(bytes.find(kBuild) + kBuild.size());
  for (const auto& [name, seed] : {std::pair("framed.bin", bytes), {"content.bin", content}}) {
    if (std::getenv("LITZ_WRITE_SEEDS") != nullptr) std::ofstream(folder + name) << seed;
    std::ifstream stream(folder + name);
    const std::string found(std::istreambuf_iterator<char>(stream), {});
    EXPECT_TRUE(found == seed) << name << " is of another format: LITZ_WRITE_SEEDS=1 writes it";
  }
}

}  // namespace
}  // namespace litz::artifact

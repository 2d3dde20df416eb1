// Stored kernels: found again, never believed when damaged, shared by processes, bounded.

#include "compiler/kernels/kernel_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/cpu_backend.h"
#include "compiler/kernels/kernel_set.h"
#include "loops/canonical.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

namespace fs = std::filesystem;
using artifact::KernelKey;

constexpr const char* kSquares =
    "kernel @k(%x: f32[s0], out %y: f32[s0]) {\n"
    "  for i0 in 0..s0 {\n"
    "    %0 = load %x[i0]\n"
    "    %1 = mul %0, %0\n"
    "    store %y[i0], %1\n"
    "  }\n"
    "}\n";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "litz_cache_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
    add_symbol(pool, {0, 1 << 20});
  }

  void TearDown() override { fs::remove_all(directory); }

  static void add_symbol(ExprPool& pool, Interval range) {
    SymbolInfo info;
    info.name = "s0";
    info.range = range;
    pool.add_symbol(info);
  }

  std::unique_ptr<KernelCache> open(uint64_t most_bytes = 1 << 20) const {
    return KernelCache::open({.directory = directory.string(), .most_bytes = most_bytes});
  }

  static KernelKey key_of(const std::string& text, ExprPool& pool,
                          const codegen::CpuTarget& target = codegen::CpuTarget::host()) {
    loops::Kernel kernel = loops::parse_kernel(text, pool);
    loops::canonicalize(kernel);
    return kernel_key(kernel, loops::to_string(kernel), *make_cpu_backend(target)).value();
  }

  /// Runs kSquares on 0 .. 4 with this cache.
  void expect_squares(KernelCache* cache) {
    const loops::Kernel kernel = loops::parse_kernel(kSquares, pool);
    const loops::Kernel* kernels[] = {&kernel};
    const KernelSet set(kernels, {.cache = cache});
    Bindings bindings;
    bindings.set(pool.find_symbol("s0")->symbol(), 5);
    const float values[] = {0, 1, 2, 3, 4};
    const Tensor y = Tensor::empty(DType::f32, {5});
    const Tensor buffers[] = {Tensor::of<float>(DType::f32, {5}, values), y};
    set.run(0, buffers, bindings);
    EXPECT_EQ(set.codes().at(0).name, "k");
    for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(y.at({{i}}), static_cast<double>(i * i));
  }

  fs::path only_entry() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(directory)) paths.push_back(entry.path());
    EXPECT_EQ(paths.size(), 1U);
    return paths.at(0);
  }

  artifact::KernelCode some_code(size_t bytes) {
    artifact::KernelCode code;
    code.phases.push_back(
        {"", *pool.find_symbol("s0") * Expr(4), 16, 128, *pool.find_symbol("s0") + Expr(7)});
    code.scalars.push_back(pool.find_symbol("s0")->symbol());
    code.checks.push_back({artifact::CheckKind::division, "quotient of aten.div"});
    code.object.assign(bytes, std::byte{7});
    return code;
  }

  fs::path directory;
  ExprPool pool;
};

TEST_F(KernelCacheTest, CompiledOnceThenFound) {
  const auto cache = open();
  expect_squares(cache.get());
  const fs::path entry = only_entry();
  const std::string first = read_file(entry);
  const auto written = fs::last_write_time(entry);
  expect_squares(cache.get());
  EXPECT_EQ(read_file(only_entry()), first);
  EXPECT_EQ(fs::last_write_time(entry), written);
  struct stat status = {};
  ASSERT_EQ(::stat(entry.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(KernelCacheTest, WhatIsNotWorthCompilingIsNotStored) {
  std::string text = kSquares;
  for (size_t at; (at = text.find("s0")) != std::string::npos;) text.replace(at, 2, "100");
  const loops::Kernel kernel = loops::parse_kernel(text, pool);
  const loops::Kernel* kernels[] = {&kernel};
  const auto cache = open();
  const KernelSet small(kernels, {.compile_above = 101, .cache = cache.get()});
  EXPECT_THAT(small.reason_interpreted(0), testing::HasSubstr("too small"));
  EXPECT_EQ(cache->usage().entries, 0);
  const KernelSet large(kernels, {.compile_above = 100, .cache = cache.get()});
  EXPECT_EQ(large.reason_interpreted(0), "");
  EXPECT_EQ(cache->usage().entries, 1);
}

TEST_F(KernelCacheTest, AnotherProgramFindsSymbolsByName) {
  const auto cache = open();
  cache->store({1, 2}, some_code(100), pool);
  ExprPool other;
  SymbolInfo info;
  info.name = "s9";
  other.add_symbol(info);
  EXPECT_FALSE(cache->find({1, 2}, other));  // It has no s0; and the entry is gone.
  EXPECT_EQ(cache->usage().entries, 0);
  cache->store({1, 2}, some_code(100), pool);
  add_symbol(other, {});
  const auto found = cache->find({1, 2}, other);
  ASSERT_TRUE(found);
  const Expr symbol = *other.find_symbol("s0");
  EXPECT_EQ(found->phases.at(0).iterations, symbol * Expr(4));
  EXPECT_EQ(found->phases[0].symbol, "k00000000000000010000000000000002_0");
  EXPECT_EQ(found->phases[0].grain, 16);
  EXPECT_EQ(found->phases[0].threads, 128);
  EXPECT_EQ(found->phases[0].cost, symbol + Expr(7));
  EXPECT_EQ(found->scalars, std::vector{symbol.symbol()});
  EXPECT_EQ(found->checks, some_code(1).checks);
  EXPECT_EQ(found->object, some_code(100).object);
}

TEST_F(KernelCacheTest, NoDamagedByteIsBelieved) {
  const auto cache = open();
  const KernelKey key{3, 4};
  cache->store(key, some_code(40), pool);
  const fs::path entry = only_entry();
  const std::string whole = read_file(entry);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    write_file(entry, damaged);
    ASSERT_FALSE(cache->find(key, pool)) << "byte " << i;
    ASSERT_FALSE(fs::exists(entry)) << "byte " << i;
    write_file(entry, whole.substr(0, i));
    ASSERT_FALSE(cache->find(key, pool)) << "cut at " << i;
  }
  write_file(entry, whole + "x");
  EXPECT_FALSE(cache->find(key, pool));
  write_file(directory / (to_string(KernelKey{3, 5}) + ".kernel"), whole);
  EXPECT_FALSE(cache->find({3, 5}, pool));
}

TEST_F(KernelCacheTest, CodeThatDoesNotLoadIsCompiledAgain) {
  const auto cache = open();
  const KernelKey key = key_of(kSquares, pool);
  cache->store(key, some_code(40), pool);  // Whole, but no code.
  expect_squares(cache.get());
  EXPECT_NE(cache->find(key, pool)->object, some_code(40).object);
}

TEST_F(KernelCacheTest, KeysTellApartWhatCodeDependsOn) {
  const KernelKey key = key_of(kSquares, pool);
  std::string renamed = kSquares;
  for (size_t at; (at = renamed.find("%x")) != std::string::npos;) renamed.replace(at, 2, "%z");
  EXPECT_EQ(key_of(renamed, pool), key);
  std::string sums = kSquares;
  sums.replace(sums.find("mul"), 3, "add");
  EXPECT_NE(key_of(sums, pool), key);
  ExprPool narrow;
  add_symbol(narrow, {8, 16});
  EXPECT_NE(key_of(kSquares, narrow), key);
  ExprPool same;
  add_symbol(same, {0, 1 << 20});
  EXPECT_EQ(key_of(kSquares, same), key);
  codegen::CpuTarget target = codegen::CpuTarget::host();
  target.features += ",+more";
  EXPECT_NE(key_of(kSquares, pool, target), key);
  target = codegen::CpuTarget::host();
  target.vector_bytes *= 2;
  EXPECT_NE(key_of(kSquares, pool, target), key);
  target = codegen::CpuTarget::host();
  target.cpu = "another";
  EXPECT_NE(key_of(kSquares, pool, target), key);
}

TEST_F(KernelCacheTest, SizesNamedLikeLoopVariablesHaveNoKey) {
  SymbolInfo info;
  info.name = "i0";
  const Expr size = pool.add_symbol(info);
  loops::Kernel kernel = loops::parse_kernel(kSquares, pool);
  kernel.buffers[0].type.sizes[0] = size;
  EXPECT_FALSE(kernel_key(kernel, loops::to_string(kernel), *backend_for("host")));
}

TEST_F(KernelCacheTest, ProcessesWriteReadAndDeleteAtOnce) {
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t id = ::fork();
    ASSERT_GE(id, 0);
    if (id == 0) {
      int status = 0;
      for (int round = 0; round < 200; ++round) {
        const auto cache = open(4000);
        const KernelKey key{1, static_cast<uint64_t>(round % 7)};
        if (round % 3 == child % 3) cache->store(key, some_code(500), pool);
        const auto found = cache->find(key, pool);
        if (found && found->object.size() != 500) status = 1;
        if (round % 50 == 49) cache->clear();
      }
      ::_exit(status);
    }
    children.push_back(id);
  }
  for (const pid_t id : children) {
    int status = -1;
    ::waitpid(id, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : fs::directory_iterator(directory)) {
    EXPECT_EQ(entry.path().extension(), ".kernel") << entry.path();
  }
}

TEST_F(KernelCacheTest, TheLeastRecentlyUsedGoFirst) {
  const auto path = [&](uint64_t i) {
    return directory / (to_string(KernelKey{0, i}) + ".kernel");
  };
  const auto hour = std::chrono::hours(1);
  const auto now = fs::file_time_type::clock::now();
  {
    const auto cache = open(10'000);
    for (uint64_t i = 0; i < 10; ++i) cache->store({0, i}, some_code(1000), pool);
    for (uint64_t i = 0; i < 10; ++i) {
      fs::last_write_time(path(i), now - hour * (20 - static_cast<int>(i)));
    }
    EXPECT_TRUE(cache->find({0, 0}, pool));  // Now the latest.
    write_file(directory / "notes.txt", std::string(50'000, 'x'));
    write_file(directory / "1-2-3.writing", "left by a process that died");
    fs::last_write_time(directory / "1-2-3.writing", now - 2 * hour);
  }
  EXPECT_TRUE(fs::exists(path(0)));
  EXPECT_FALSE(fs::exists(path(1)));
  EXPECT_FALSE(fs::exists(path(2)));
  EXPECT_TRUE(fs::exists(path(9)));
  EXPECT_TRUE(fs::exists(directory / "notes.txt"));
  EXPECT_FALSE(fs::exists(directory / "1-2-3.writing"));
  EXPECT_LE(open()->usage().bytes, 7'500U);
  open()->clear();
  EXPECT_EQ(open()->usage().entries, 0);
  EXPECT_TRUE(fs::exists(directory / "notes.txt"));
}

TEST_F(KernelCacheTest, OnlyFilesOfThisUserThatNobodyElseWritesAreRead) {
  const auto cache = open();
  cache->store({5, 6}, some_code(10), pool);
  const fs::path entry = only_entry();
  ASSERT_EQ(::chmod(entry.c_str(), 0666), 0);
  EXPECT_FALSE(cache->find({5, 6}, pool));
  ASSERT_EQ(::chmod(entry.c_str(), 0600), 0);
  EXPECT_TRUE(cache->find({5, 6}, pool));
  fs::rename(entry, directory / "elsewhere");
  fs::create_symlink(directory / "elsewhere", entry);
  EXPECT_FALSE(cache->find({5, 6}, pool));
  fs::remove(entry);
  fs::rename(directory / "elsewhere", entry);
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(::chown(entry.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache->find({5, 6}, pool));
}

TEST_F(KernelCacheTest, DirectoriesThatCannotBeUsedAreNoCache) {
  std::string reason;
  EXPECT_EQ(KernelCache::open({.directory = "", .most_bytes = 1}, &reason), nullptr);
  EXPECT_NE(reason, "");
  EXPECT_EQ(KernelCache::open({.directory = directory.string(), .most_bytes = 0}, &reason),
            nullptr);
  EXPECT_EQ(reason, "switched off by LITZ_CACHE_SIZE=0");
  write_file(directory / "file", "");
  EXPECT_EQ(KernelCache::open({.directory = directory / "file/below", .most_bytes = 1}, &reason),
            nullptr);
  const fs::path deep = directory / "a" / "b";
  EXPECT_NE(KernelCache::open({.directory = deep.string(), .most_bytes = 1}), nullptr);
  struct stat status = {};
  ASSERT_EQ(::stat(deep.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

/// The variables keep their values for the tests that follow in the process.
class KeptVariables {
 public:
  explicit KeptVariables(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const char* const value = std::getenv(name);
      values_.emplace_back(name,
                           value == nullptr ? std::nullopt : std::optional<std::string>(value));
    }
  }

  KeptVariables(const KeptVariables&) = delete;
  KeptVariables& operator=(const KeptVariables&) = delete;

  ~KeptVariables() {
    for (const auto& [name, value] : values_) {
      if (value) {
        ::setenv(name, value->c_str(), 1);
      } else {
        ::unsetenv(name);
      }
    }
  }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> values_;
};

TEST_F(KernelCacheTest, TheEnvironmentSaysWhere) {
  const KeptVariables kept{"LITZ_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LITZ_CACHE_SIZE"};
  ::setenv("LITZ_CACHE_DIR", "", 1);
  ::setenv("XDG_CACHE_HOME", "", 1);
  ::setenv("HOME", "/home/a", 1);
  ::unsetenv("LITZ_CACHE_SIZE");
  EXPECT_EQ(CacheSettings::from_environment().directory, "/home/a/.cache/litz");
  EXPECT_EQ(CacheSettings::from_environment().most_bytes, uint64_t{1} << 30);
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(CacheSettings::from_environment().directory, "/x/litz");
  ::setenv("LITZ_CACHE_DIR", "/y/z", 1);
  EXPECT_EQ(CacheSettings::from_environment().directory, "/y/z");
  ::setenv("LITZ_CACHE_SIZE", "0", 1);
  EXPECT_EQ(CacheSettings::from_environment().most_bytes, 0U);
  ::setenv("LITZ_CACHE_SIZE", "much", 1);
  EXPECT_THROW(CacheSettings::from_environment(), Error);
}

}  // namespace
}  // namespace litz::compiler

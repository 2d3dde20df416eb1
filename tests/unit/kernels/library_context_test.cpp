// What a context adds to calls: threads, kept memory and packed constants, none of which may change
// a bit of a result.

#include "kernels/library_context.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "library_call.h"
#include "support/mapped_file.h"

namespace litz::kernels {
namespace {

Tensor filled(DType dtype, std::vector<int64_t> sizes, uint32_t seed) {
  Tensor values = Tensor::empty(DType::f32, sizes);
  auto* const data = reinterpret_cast<float*>(values.mutable_data());
  for (int64_t i = 0; i < values.numel(); ++i) {
    seed = seed * 1664525 + 1013904223;
    data[i] = static_cast<float>(seed >> 8) * 0x1p-24F - 0.5F;
  }
  return values.to(dtype);
}

void expect_same_bits(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  const Tensor left = a.contiguous();
  const Tensor right = b.contiguous();
  EXPECT_EQ(std::memcmp(left.data(), right.data(),
                        static_cast<size_t>(left.numel()) * item_size(left.dtype())),
            0);
}

/// Runs a function alone, then with 1 and 3 threads, twice each and with constants.
void expect_same_with_context(const char* name, const std::vector<LibraryArgument>& arguments,
                              const Tensor& empty_result, uint64_t constants) {
  const Tensor alone = call_library(name, arguments, {empty_result.clone()})[0];
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    LibraryContext context(&pool);
    for (const uint64_t bits : {uint64_t{0}, constants, constants}) {
      std::vector<Tensor> results{empty_result.clone()};
      LibraryCall call{name, arguments, results, &context, bits};
      find_library_function(name)(call);
      expect_same_bits(results[0], alone);
    }
  }
}

struct Sizes {
  int64_t rows, columns, depth;
};

class ContextProducts : public testing::TestWithParam<DType> {};

TEST_P(ContextProducts, LinearIsTheSame) {
  const DType dtype = GetParam();
  for (const Sizes& size : {Sizes{1, 300, 200}, Sizes{3, 700, 130}, Sizes{200, 3, 70},
                            Sizes{37, 333, 500}, Sizes{150, 70, 1000}, Sizes{5, 5, 0}}) {
    expect_same_with_context(
        "linear",
        {filled(dtype, {size.rows, size.depth}, 1), filled(dtype, {size.columns, size.depth}, 2),
         filled(dtype, {size.columns}, 3)},
        Tensor::zeros(dtype, {size.rows, size.columns}), 6);
  }
}

TEST_P(ContextProducts, BatchesAreTheSame) {
  const DType dtype = GetParam();
  for (const int64_t batch : {1, 2, 7}) {
    for (const Sizes& size : {Sizes{1, 300, 70}, Sizes{33, 65, 80}, Sizes{90, 2, 64}}) {
      expect_same_with_context("matmul",
                               {filled(dtype, {batch, size.rows, size.depth}, 1),
                                filled(dtype, {batch, size.depth, size.columns}, 2)},
                               Tensor::zeros(dtype, {batch, size.rows, size.columns}), 2);
    }
  }
}

TEST_P(ContextProducts, ConvolutionIsTheSame) {
  const DType dtype = GetParam();
  for (const int64_t window : {1, 3}) {
    for (const int64_t groups : {1, 2, 8}) {
      for (const int64_t batch : {1, 3}) {
        const std::vector<int64_t> one{1, 1};
        const std::vector<int64_t> padding{window / 2, window / 2};
        expect_same_with_context(
            "convolution",
            {filled(dtype, {batch, 8, 13, 11}, 1),
             filled(dtype, {16, 8 / groups, window, window}, 2), filled(dtype, {16}, 3), one,
             padding, one, false, std::vector<int64_t>{0, 0}, groups},
            Tensor::zeros(dtype, {batch, 16, 13, 11}), 6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ContextProducts,
                         testing::Values(DType::f32, DType::bf16, DType::f16, DType::f64));

TEST(LibraryContext, KeepsScratch) {
  LibraryContext context;
  std::shared_ptr<Storage> scratch = context.take_scratch(1000);
  const std::byte* const place = scratch->data();
  context.give_back(std::move(scratch));
  EXPECT_EQ(context.take_scratch(500)->data(), place);
}

TEST(LibraryContext, PacksAConstantOnce) {
  LibraryContext context;
  const std::vector<LibraryArgument> arguments{filled(DType::f32, {20, 64}, 1),
                                               filled(DType::f32, {100, 64}, 2)};
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> results{Tensor::empty(DType::f32, {20, 100})};
    LibraryCall call{"linear", arguments, results, &context, 2};
    find_library_function("linear")(call);
    EXPECT_GE(context.packed_bytes(), size_t{100} * 64 * 4);
    EXPECT_LE(context.packed_bytes(), size_t{192} * 64 * 4);
  }
}

TEST(LibraryContext, TakesWhatAnotherPacked) {
  const std::vector<LibraryArgument> arguments{filled(DType::f32, {20, 64}, 1),
                                               filled(DType::f32, {100, 64}, 2)};
  const auto run = [&](LibraryContext& context) {
    std::vector<Tensor> results{Tensor::empty(DType::f32, {20, 100})};
    LibraryCall call{"linear", arguments, results, &context, 2};
    find_library_function("linear")(call);
    return results[0];
  };
  LibraryContext first;
  const Tensor right = run(first);
  const auto packed = first.packed_constants();
  ASSERT_EQ(packed.size(), 1U);
  LibraryContext second;
  second.adopt(packed[0].first, packed[0].second);
  expect_same_bits(run(second), right);
  EXPECT_EQ(second.packed_constants()[0].second, packed[0].second);
  // What is too small was packed by somebody else.
  LibraryContext third;
  third.adopt(packed[0].first, Storage::allocate(8));
  expect_same_bits(run(third), right);
}

// Weights of a transposed convolution, and with channels innermost, are laid out anew, and then packed.
TEST(LibraryContext, LaysAConstantWeightOutOnce) {
  using Integers = std::vector<int64_t>;
  const Integers channels_innermost{9 * 24, 1, 3 * 24, 24};
  for (const bool transposed : {false, true}) {
    const Tensor rows = filled(DType::f32, {24, 24, 3, 3}, 2);
    const Tensor weight = transposed ? rows : rows.clone(channels_innermost);
    const std::vector<LibraryArgument> arguments{filled(DType::f32, {1, 24, 8, 8}, 1),
                                                 weight,
                                                 Tensor(),
                                                 Integers{1, 1},
                                                 Integers{1, 1},
                                                 Integers{1, 1},
                                                 transposed,
                                                 Integers{0, 0},
                                                 int64_t{1}};
    const Tensor empty = Tensor::zeros(DType::f32, {1, 24, 8, 8});
    expect_same_with_context("convolution", arguments, empty, 2);
    LibraryContext context;
    size_t packed = 0;
    for (int i = 0; i < 3; ++i) {
      std::vector<Tensor> results{empty.clone()};
      LibraryCall call{"convolution", arguments, results, &context, 2};
      find_library_function("convolution")(call);
      EXPECT_GE(context.packed_bytes(), 2 * size_t{24} * 24 * 9 * 4);
      if (i > 0) {
        EXPECT_EQ(context.packed_bytes(), packed);
      }
      packed = context.packed_bytes();
    }
  }
}

/// What the mapping of a file occupies in memory.
size_t resident_kib(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path)) is_it = true;
    if (is_it && line.starts_with("Rss:")) return std::stoul(line.substr(4));
  }
  return 0;
}

TEST(LibraryContext, GivesBackTheFilePagesOfPackedConstants) {
  const std::string path = testing::TempDir() + "litz_weight_" + std::to_string(::getpid());
  const Tensor weight = filled(DType::f32, {2048, 512}, 2);
  const auto bytes = static_cast<size_t>(weight.numel()) * sizeof(float);
  std::FILE* const out = std::fopen(path.c_str(), "wb");
  ASSERT_NE(out, nullptr);
  std::fwrite(weight.data(), 1, bytes, out);
  std::fclose(out);
  auto file = std::make_shared<MappedFile>(MappedFile::open(path));
  const Tensor mapped(DType::f32, weight.sizes(), weight.strides(), 0,
                      Storage::borrow(file->bytes(), file, file.get()));

  const Tensor x = filled(DType::f32, {20, 512}, 1);
  const Tensor alone =
      call_library("linear", {x, weight}, {Tensor::empty(DType::f32, {20, 2048})})[0];
  const std::vector<Tensor> constants{Tensor(), mapped};
  LibraryContext context(nullptr, constants);
  const std::vector<LibraryArgument> arguments{x, mapped};
  for (int i = 0; i < 2; ++i) {
    std::vector<Tensor> results{Tensor::empty(DType::f32, {20, 2048})};
    LibraryCall call{"linear", arguments, results, &context, 2};
    find_library_function("linear")(call);
    expect_same_bits(results[0], alone);
    EXPECT_LT(resident_kib(path) * 1024, bytes / 2);
  }
  expect_same_bits(mapped, weight);
  EXPECT_GE(resident_kib(path) * 1024, bytes / 2);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace litz::kernels

// Prepared calls give the bits of the functions that they stand for, wherever operands lie.

#include <cstring>

#include <gtest/gtest.h>

#include "kernels/library_context.h"
#include "library_call.h"
#include "types/fill.h"

namespace litz::kernels {
namespace {

Tensor numbers(std::vector<int64_t> sizes, uint64_t seed) {
  return fill_floats(DType::f32, std::move(sizes), seed, 1, 0);
}

/// Another tensor of the same layout, at another address.
Tensor moved(const Tensor& tensor, uint64_t seed) {
  if (tensor.dtype() != DType::f32) return tensor.clone(tensor.strides());
  return numbers(tensor.sizes(), seed).clone(tensor.strides());
}

/// Prepares once and runs on several sets of operands; those of `constants` stay.
void expect_same(std::string_view name, std::vector<LibraryArgument> arguments,
                 const Tensor& result, uint64_t constants = 0) {
  const LibraryEntry* const entry = find_library_entry(name);
  ASSERT_NE(entry, nullptr);
  ASSERT_NE(entry->prepare, nullptr);
  LibraryContext context;
  std::unique_ptr<PreparedCall> prepared;
  for (uint64_t round = 1; round <= 4; ++round) {
    std::vector<std::byte*> addresses;
    for (size_t i = 0; i < arguments.size(); ++i) {
      auto* const tensor = std::get_if<Tensor>(&arguments[i]);
      if (tensor != nullptr && tensor->defined() && (constants >> i & 1) == 0) {
        *tensor = moved(*tensor, round * 100 + i);
      }
      const bool is_there = tensor != nullptr && tensor->defined();
      addresses.push_back(is_there ? const_cast<std::byte*>(tensor->data()) : nullptr);
    }
    std::vector<Tensor> expected{moved(result, 1)};
    std::vector<Tensor> given{moved(result, 2)};
    LibraryCall call{name, arguments, expected, &context, constants};
    entry->run(call);
    call.results = given;
    if (prepared == nullptr) prepared = entry->prepare(call);
    ASSERT_NE(prepared, nullptr) << name;
    addresses.push_back(given[0].mutable_data());
    prepared->run(addresses, nullptr);
    const Tensor have = given[0].contiguous();
    const Tensor want = expected[0].contiguous();
    ASSERT_EQ(std::memcmp(have.data(), want.data(), static_cast<size_t>(want.numel()) * 4), 0)
        << name << " round " << round;
  }
}

TEST(PreparedCall, Products) {
  for (const int64_t rows : {0, 1, 3, 40}) {
    for (const uint64_t constants : {0, 2}) {
      expect_same("matmul", {numbers({rows, 20}, 1), numbers({20, 50}, 2)}, numbers({rows, 50}, 3),
                  constants);
      expect_same("linear", {numbers({2, rows, 20}, 1), numbers({50, 20}, 2), numbers({50}, 4)},
                  numbers({2, rows, 50}, 3), constants);
      expect_same("linear", {numbers({rows, 20}, 1), numbers({50, 20}, 2), std::monostate()},
                  numbers({rows, 50}, 3).clone({1, std::max<int64_t>(rows, 1)}), constants);
    }
    expect_same("matmul", {numbers({5, rows, 7}, 1), numbers({5, 7, 9}, 2)},
                numbers({5, rows, 9}, 3), 2);
    expect_same("scaled_matmul",
                {numbers({9}, 5), numbers({rows, 7}, 1), numbers({7, 9}, 2), 0.5, int64_t{2}},
                numbers({rows, 9}, 3), 4);
    expect_same("scaled_matmul",
                {numbers({9}, 5), numbers({rows, 7}, 1), numbers({7, 9}, 2), int64_t{0}, 1.0},
                numbers({rows, 9}, 3));
  }
}

TEST(PreparedCall, Attention) {
  for (const int64_t rows : {1, 150}) {
    expect_same("attention",
                {numbers({2, 3, rows, 16}, 1), numbers({2, 3, 30, 16}, 2),
                 numbers({2, 3, 30, 8}, 3), numbers({rows, 30}, 4), 0.25, true, false},
                numbers({2, 3, rows, 8}, 5));
  }
}

TEST(PreparedCall, AttentionWithoutKeysIsNotPrepared) {
  const std::vector<LibraryArgument> arguments{numbers({1, 4, 8}, 1),
                                               numbers({1, 0, 8}, 2),
                                               numbers({1, 0, 8}, 3),
                                               std::monostate(),
                                               1.0,
                                               false,
                                               false};
  std::vector<Tensor> results{numbers({1, 4, 8}, 4)};
  EXPECT_EQ(find_library_entry("attention")->prepare({"attention", arguments, results}), nullptr);
}

std::vector<LibraryArgument> convolution_arguments(Tensor input, Tensor weight, bool transposed,
                                                   int64_t groups) {
  return {std::move(input),
          std::move(weight),
          numbers({8}, 9),
          std::vector<int64_t>{1},
          std::vector<int64_t>{1},
          std::vector<int64_t>{1},
          transposed,
          std::vector<int64_t>{0},
          groups};
}

TEST(PreparedCall, Convolution) {
  const Tensor image = numbers({2, 8, 9, 9}, 1);
  for (const uint64_t constants : {0, 2}) {
    for (const int64_t groups : {1, 2, 8}) {
      const Tensor weight = numbers({8, 8 / groups, 3, 3}, 2);
      expect_same("convolution", convolution_arguments(image, weight, false, groups),
                  numbers({2, 8, 9, 9}, 3), constants);
      expect_same("convolution", convolution_arguments(image, weight, false, groups),
                  numbers({2, 8, 9, 9}, 3).clone({648, 1, 72, 8}), constants);
    }
  }
  const Tensor turned = numbers({8, 8, 3, 3}, 2);
  for (const uint64_t constants : {0, 2}) {
    expect_same("convolution", convolution_arguments(image, turned, true, 1),
                numbers({2, 8, 9, 9}, 3), constants);
  }
  // A weight that is laid out anew may be another one in the next call.
  std::vector<Tensor> results{numbers({2, 8, 9, 9}, 3)};
  const std::vector<LibraryArgument> arguments =
      convolution_arguments(image, turned.clone({72, 1, 24, 8}), true, 1);
  EXPECT_EQ(find_library_entry("convolution")->prepare({"convolution", arguments, results}),
            nullptr);
}

TEST(PreparedCall, ComplexProductsAreNotPrepared) {
  const std::vector<LibraryArgument> arguments{Tensor::zeros(DType::c64, {2, 2}),
                                               Tensor::zeros(DType::c64, {2, 2})};
  std::vector<Tensor> results{Tensor::zeros(DType::c64, {2, 2})};
  EXPECT_EQ(find_library_entry("matmul")->prepare({"matmul", arguments, results}), nullptr);
}

TEST(PreparedCall, WhatDoesNotFitIsRefused) {
  const std::vector<LibraryArgument> arguments{numbers({2, 3}, 1), numbers({4, 2}, 2)};
  std::vector<Tensor> results{numbers({2, 2}, 3)};
  EXPECT_THROW(find_library_entry("matmul")->prepare({"matmul", arguments, results}), Error);
}

}  // namespace
}  // namespace litz::kernels

// The 8-bit floating formats in compiled kernels: every number of each, every rounding.

#include <cstring>
#include <limits>

#include "compiler/compiled_kernels.h"

namespace litz::compiler {
namespace {

const std::vector<std::string> kFormats{"f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz",
                                        "f8e8m0fnu"};

class Float8 : public CompiledKernels {
 protected:
  void expect_same_bits(const std::string& text, const std::vector<Tensor>& buffers) {
    SCOPED_TRACE(text);
    const Run want = run(text, buffers, false);
    for (const char* target : {"host", "avx2"}) {
      const Run have = run(text, buffers, true, target);
      ASSERT_EQ(have.reason, "");
      const Tensor& w = want.buffers.back();
      const Tensor& h = have.buffers.back();
      const int64_t item = item_size(w.dtype());
      for (int64_t i = 0; i < w.numel(); ++i) {
        if (std::memcmp(w.data() + i * item, h.data() + i * item, static_cast<size_t>(item)) == 0) {
          continue;
        }
        const double have_value = h.to(DType::c128).complex_at(std::span(&i, 1)).real();
        const double want_value = w.to(DType::c128).complex_at(std::span(&i, 1)).real();
        ASSERT_TRUE(std::isnan(have_value) && std::isnan(want_value) && item > 1)
            << i << ": " << have_value << " instead of " << want_value;
      }
    }
  }

  static std::string cast_text(const std::string& from, const std::string& to, int64_t size) {
    const std::string n = std::to_string(size);
    return "kernel @c(%x: " + from + "[" + n + "], out %y: " + to + "[" + n +
           "]) {\n  for i in 0.." + n + " {\n    %0 = load %x[i]\n    %1 = cast " + to +
           " %0\n    store %y[i], %1\n  }\n}";
  }
};

TEST_F(Float8, EveryNumberIsRead) {
  std::vector<uint8_t> bits(256);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint8_t>(i);
  for (const std::string& format : kFormats) {
    const Tensor x = Tensor::of_bytes(*parse_dtype(format), {256}, std::as_bytes(std::span(bits)));
    for (const std::string to : {"f32", "f64", "f16", "bf16", "i32", "bool"}) {
      const Tensor y = Tensor::zeros(*parse_dtype(to), {256});
      expect_same_bits(cast_text(format, to, 256), {x, y});
    }
    for (const std::string& to : kFormats) {
      const Tensor y = Tensor::zeros(*parse_dtype(to), {256});
      expect_same_bits(cast_text(format, to, 256), {x, y});
    }
  }
}

// Numbers of every exponent, with mantissas at and beside halfway.
TEST_F(Float8, EveryRounding) {
  std::vector<float> values;
  for (uint32_t exponent = 0; exponent < 256; ++exponent) {
    for (uint32_t top = 0; top < 32; ++top) {
      for (const uint32_t low : {0U, 1U, 0x1ffffU, 0x3ffffU}) {
        const uint32_t bits = exponent << 23 | top << 18 | low;
        for (const uint32_t sign : {0U, 0x80000000U}) {
          float value = 0;
          const uint32_t word = bits | sign;
          std::memcpy(&value, &word, sizeof value);
          values.push_back(value);
        }
      }
    }
  }
  const auto size = static_cast<int64_t>(values.size());
  const Tensor x = Tensor::of_bytes(DType::f32, {size}, std::as_bytes(std::span(values)));
  for (const std::string& format : kFormats) {
    const Tensor y = Tensor::zeros(*parse_dtype(format), {size});
    expect_same_bits(cast_text("f32", format, size), {x, y});
    const Tensor z = Tensor::zeros(DType::f64, {size});
    expect_same_bits("kernel @r(%x: f32[" + std::to_string(size) + "], out %y: f64[" +
                         std::to_string(size) + "]) {\n  for i in 0.." + std::to_string(size) +
                         " {\n    %0 = load %x[i]\n    %1 = cast " + format +
                         " %0\n    %2 = cast f64 %1\n    store %y[i], %2\n  }\n}",
                     {x, z});
  }
}

TEST_F(Float8, ComparisonsAndChoices) {
  for (const std::string& format : kFormats) {
    for (const std::string op : {"eq", "ne", "lt", "le"}) {
      const std::string text =
          "kernel @c(%x: " + format + "[100], %y: " + format + "[100], out %z: " + format +
          "[100]) {\n  for i in 0..100 {\n    %0 = load %x[i]\n"
          "    %1 = load %y[i]\n    %2 = " +
          op + " %0, %1\n    %3 = select %2, %0, %1\n    store %z[i], %3\n  }\n}";
      const DType dtype = *parse_dtype(format);
      const TensorType type = contiguous_type(dtype, {100});
      expect_same_bits(text, {draw(type, -2, 2), draw(type, -2, 2), Tensor::zeros(dtype, {100})});
    }
  }
}

TEST_F(Float8, SortsAndSums) {
  for (const std::string& format : kFormats) {
    agree("kernel @s(%x: " + format + "[3, 70], out %y: " + format +
              "[3, 70], out %t: f32[3]) {\n" +
              R"(  for r in 0..3 {
    sort i in 0..70 {
      %0 = load %x[r, i]
      yield %0
    } emit p in 0..70 (%1, %2) {
      store %y[r, p], %1
    }
    %3 = reduce sum j in 0..70 {
      %4 = load %x[r, j]
      %5 = cast f32 %4
      yield %5
    }
    store %t[r], %3
  }
})",
          0.25, 4, 1e-6);
  }
}

}  // namespace
}  // namespace litz::compiler

// Tensors of the public header: which C++ types are elements, and what mistakes throw.

#include <cstdio>
#include <litz/litz.h>
#include <stdexcept>

namespace {

using litz::DType;
using litz::Tensor;

static_assert(litz::dtype_of<long>() == DType::int64 &&
              litz::dtype_of<long long>() == DType::int64);
static_assert(litz::dtype_of<unsigned char>() == DType::uint8);
static_assert(litz::dtype_of<std::complex<float>>() == DType::complex64);

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "must hold: %s\n", what);
  ++failures;
}

template <typename Exception, typename Call>
bool throws(const Call& call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const Tensor numbers = Tensor::from<long long>({2}, std::vector<long long>{1, -2});
  expect(numbers.dtype() == DType::int64 && numbers.as<int64_t>()[1] == -2, "integers by size");
  const Tensor flags = Tensor::from<bool>({3}, std::vector<bool>{true, false, true});
  expect(flags.dtype() == DType::bool_ && flags.as<bool>()[2], "bits become bools");
  expect(throws<std::invalid_argument>([&] { numbers.as<double>(); }),
         "another type of equal size");
  expect(throws<std::invalid_argument>([&] { numbers.as<int32_t>(); }), "another size");
  expect(Tensor(DType::bfloat16, {4}).as<uint16_t>().size() == 4, "halves are given as bits");
  expect(throws<std::length_error>([] {
           Tensor::from<float>({3}, std::vector<float>{1, 2});
         }),
         "as many values as the sizes say");
  expect(throws<std::length_error>([] { Tensor(DType::float32, {-1}); }), "sizes of 0 or more");
  return failures == 0 ? 0 : 1;
}

// The softmax of rows as a kernel, which tests and benchmarks of several layers take.

#pragma once

#include <string>

namespace litz::loops {

/// Text of @softmax from %x to %y. Counts are numbers or names of symbols.
inline std::string softmax_kernel(const std::string& rows, const std::string& columns) {
  const std::string type = "f32[" + rows + ", " + columns + "]";
  return "kernel @softmax(%x: " + type + ", out %y: " + type + ") {\n  for i in 0.." + rows + " {" +
         R"(
    %0 = reduce max j in 0..)" +
         columns + R"( {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..)" +
         columns + R"( {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    for l in 0..)" +
         columns + R"( {
      %6 = load %x[i, l]
      %7 = sub %6, %0
      %8 = exp %7
      %9 = div %8, %2
      store %y[i, l], %9
    }
  }
})";
}

}  // namespace litz::loops

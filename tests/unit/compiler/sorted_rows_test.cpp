// Compiled sorts against interpreted ones: along rows and across them, under predicates, of sizes
// known when compiling and not.

#include "compiler/compiled_kernels.h"

namespace litz::compiler {
namespace {

/// Sorts [3, n] of the dtype along its rows or its columns and keeps `count` of each line.
std::string sort_text(const std::string& dtype, const std::string& size, const std::string& count,
                      bool descending, bool by_rows) {
  const auto type = [&](const std::string& element, const std::string& length) {
    return element + (by_rows ? "[3, " + length + "]" : "[" + length + ", 3]");
  };
  const auto at = [&](const std::string& line, const std::string& place) {
    return by_rows ? "[" + line + ", " + place + "]" : "[" + place + ", " + line + "]";
  };
  return "kernel @sort(%x: " + type(dtype, size) + ", out %y: " + type(dtype, count) +
         ", out %o: " + type("i64", count) + ") {\n  for r in 0..3 {\n    sort " +
         (descending ? "descending " : "") + "i in 0.." + size + " {\n      %0 = load %x" +
         at("r", "i") + "\n      yield %0\n    } emit p in 0.." + count +
         " (%1, %2) {\n      store %y" + at("r", "p") + ", %1\n      store %o" + at("r", "p") +
         ", %2\n    }\n  }\n}";
}

TEST_F(CompiledKernels, SortsOfEveryDtype) {
  for (const char* dtype : {"bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16",
                            "bf16", "f32", "f64"}) {
    for (const bool descending : {false, true}) {
      agree(sort_text(dtype, "200", "200", descending, true));
      agree(sort_text(dtype, "33", "5", descending, false));
    }
  }
}

TEST_F(CompiledKernels, SortsOfSizesThatAreNotKnown) {
  for (const int64_t n : {0, 1, 2, 100, 20'000}) {
    bind("n", n);
    agree(sort_text("f32", "n", "n", false, true));
    agree(sort_text("i64", "n", "n", true, false));
  }
}

TEST_F(CompiledKernels, SortsOfComputedKeys) {
  agree(R"(kernel @smallest(%x: f32[6, 40], out %y: f32[6], out %o: i64[6]) {
    for r in 0..6 {
      sort i in 0..40 {
        %0 = load %x[r, i]
        %1 = sin %0
        yield %1
      } emit p in 0..21 (%2, %3) {
        %4 = index bool p == 20
        %5 = mul %2, %2
        store %y[r], %5 if %4
        store %o[r], %3 if %4
      }
    }
  })",
        -4, 4, 1e-6);
}

// At the top there is no loop whose iterations threads could divide.
TEST_F(CompiledKernels, SortsOfOneRow) {
  agree(R"(kernel @row(%x: f64[3000], out %y: f64[3000], out %z: f64[3000]) {
    sort descending i in 0..3000 {
      %0 = load %x[i]
      yield %0
    } emit p in 0..3000 (%1, %2) {
      store %y[%2], %1
    }
    for j in 0..3000 {
      %3 = load %x[j]
      %4 = add %3, %3
      store %z[j], %4
    }
  })");
}

TEST_F(CompiledKernels, ThreadsDivideSortedRows) {
  same_on_threads(R"(kernel @rows(%x: f32[64, 900], out %y: f32[64, 900], out %o: i64[64, 900]) {
    for r in 0..64 {
      sort i in 0..900 {
        %0 = load %x[r, i]
        %1 = floor %0
        yield %1
      } emit p in 0..900 (%2, %3) {
        store %y[r, p], %2
        store %o[r, p], %3
      }
    }
  })");
}

}  // namespace
}  // namespace litz::compiler

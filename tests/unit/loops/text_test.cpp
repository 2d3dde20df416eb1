// Printing and parsing kernels: exact round trips, and errors that point at the place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/builder.h"
#include "loops/canonical.h"
#include "loops/clone.h"
#include "loops/kernel.h"
#include "support/check.h"

namespace litz::loops {
namespace {

using testing::HasSubstr;

// Everything that the grammar has.
constexpr const char* kAll =
    R"(kernel @everything(%x: f32[s0, 4], out %"odd name": i64[4]{2}, scratch %t: c64[], out %y: f16[s0, 4]@cuda:1, out %z: f32[s0]) {
  %0 = const f32 -1.5
  %1 = const i64 -9223372036854775808
  %2 = const bool 1
  %3 = const c64 (0.5, -inf)
  %4 = const f64 nan
  %5 = const f64 nan(0xfff8000000000001)
  %6 = index i64 2*s0 + 1
  %7 = index f32 1.5*to_real(s0)
  store mul %t[], %3
  for i0 in 0..s0, i1 in 0..4 {
    %8 = load %"odd name"[mod(i0 + i1, 4)]
    %9 = bound_index wrap "index of \"x\"" %8, 4
    %10 = load %x[i0, %9] if %2 else %0
    %11 = bound_index "plain" %8, s0 + 2
    %12 = cast f16 %10
    %13 = bitcast i32 %10
    store %y[i0, i1], %12 if %2
    store add %z[floor_div_free], %10
  }
  for i2 in 0..s0 {
    %14 = reduce argmax i3 in 0..2, i4 in 0..2 {
      %15 = load %x[i2, i3 + 2*i4]
      yield %15
    }
    %16, %17 = for i5 in 0..4 carry (%18 = %0, %19 = %14) {
      %20 = add %18, %0
      yield %20, %19
    }
    store %z[i2], %16
    sort descending i6 in 0..4 {
      %21 = load %x[i2, i6]
      yield %21
    } emit i7 in 0..2 (%22, %23) {
      store max %z[i2], %22
    }
    %24, %25 = reduce softmax may_be_empty i8 in 0..4 {
      %26 = load %x[i2, i8]
      yield %26
    }
    %27 = div %24, %25
    store %z[i2], %27
  }
  check %2, "the program says \"so\""
  store add any_order %"odd name"[0], %1
  %28, %29 = for i9 in 0..4 fold (%0, %1) {
    %30 = load %x[0, i9]
    %31 = index i64 i9
    yield %30, %31
  } combine (%32, %33, %34, %35) {
    %36 = max %32, %34
    %37 = add %33, %35
    yield %36, %37
  }
  %38 = for i10 in 0..4 scan (%1) {
    %39 = index i64 i10
    yield %39
  } combine (%40, %41) {
    %42 = add %40, %41
    yield %42
  } emit (%43) {
    %44 = cast f32 %43
    store %z[i10], %44
  }
}
)";

std::string everything() {
  std::string text = kAll;
  const std::string hole = "floor_div_free";
  text.replace(text.find(hole), hole.size(), "i0//2");
  return text;
}

TEST(KernelText, RoundTripsExactly) {
  ExprPool pool;
  const Kernel kernel = parse_kernel(everything(), pool);
  EXPECT_EQ(to_string(kernel), everything());
  ExprPool other;
  EXPECT_EQ(to_string(parse_kernel(to_string(kernel), other)), everything());
}

// The words that schedules add, and accesses by offset.
constexpr const char* kScheduled =
    R"(kernel @scheduled(%x: f32[s0, 512], %n: i64[8]{2}, out %y: f32[512], scratch %row3: f32[64]) {
  %0 = const f32 4.0
  for i0 in 0..512 parallel tile vector 8 {
    %1 = reduce sum i1 in 0..4 {
      %2 = load %x at [i0 + 512*i1] ahead 512
      yield %2
    }
    %3 = div %1, %0
    %4 = reduce sum mean_of %1 i2 in 0..4 {
      %5 = load %x at [i0 + 512*i2]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    %8 = reduce max may_be_empty i3 in 0..s0 {
      %9 = load %x at [i0 + 512*i3] ahead -512
      yield %9
    }
    %10 = add %4, %8
    store %y at [i0], %10 streamed
  }
  for i4 in 0..s0//2 parallel {
    %11 = reduce sum i5 in 0..64 vector 16 {
      %12 = load %n at [2*i4]
      %13 = bound_index "row" %12, 8
      %14 = load %x at [i5, %13 * max(1, s0), %13 * 1]
      store %row3 at [i5], %14
      yield %14
    }
    store %y at [i4], %11
  }
}
)";

TEST(KernelText, WordsOfSchedulesRoundTrip) {
  ExprPool pool;
  const std::string text = kScheduled;
  const Kernel kernel = parse_kernel(text, pool);
  EXPECT_EQ(to_string(kernel), text);
  EXPECT_EQ(to_string(clone(kernel)), text);
  Kernel canonical = clone(kernel);
  canonicalize(canonical);
  ExprPool other;
  EXPECT_EQ(to_string(parse_kernel(to_string(canonical), other)), to_string(canonical));
  EXPECT_THAT(to_string(canonical), HasSubstr("for i0 in 0..512 parallel tile vector 8 {"));
  EXPECT_THAT(to_string(canonical), HasSubstr("reduce sum mean_of %1 i2 in 0..4 {"));
  EXPECT_THAT(to_string(canonical), HasSubstr("%b0 at [i5, %13 * max(1, s0), %13 * 1]"));
}

TEST(KernelText, WordsFollowExtents) {
  ExprPool pool;
  // A size may be named as a word is; words stand behind operands only.
  const std::string text = R"(kernel @k(out %y: f32[tile]) {
  %0 = const f32 0.0
  for i in 0..parallel + tile parallel vector 8 {
    store %y at [i], %0
  }
}
)";
  EXPECT_EQ(to_string(parse_kernel(text, pool)), text);
}

TEST(KernelText, BuiltKernelsPrintAsTheyRead) {
  ExprPool pool;
  KernelBuilder b("silu", pool);
  const TensorType type = contiguous_type(DType::f32, {8, 4096});
  const BufferId x = b.input("x", type);
  const BufferId y = b.output("y", type);
  b.loop(type.sizes, [&](Exprs i) {
    const Scalar v = b.load(x, i);
    b.store(y, i, v / (1 + exp(-v)));
  });
  const std::string text = to_string(std::move(b).finish());
  EXPECT_EQ(text, R"(kernel @silu(%x: f32[8, 4096], out %y: f32[8, 4096]) {
  for i0 in 0..8, i1 in 0..4096 {
    %0 = load %x[i0, i1]
    %1 = neg %0
    %2 = exp %1
    %3 = const f32 1.0
    %4 = add %3, %2
    %5 = div %0, %4
    store %y[i0, i1], %5
  }
}
)");
  EXPECT_EQ(to_string(parse_kernel(text, pool)), text);
}

TEST(KernelText, EqualPureInstructionsAreBuiltOnce) {
  ExprPool pool;
  KernelBuilder b("once", pool);
  const TensorType type = contiguous_type(DType::f32, {8});
  const BufferId x = b.input("x", type);
  const BufferId y = b.output("y", type);
  b.loop(type.sizes, [&](Exprs i) {
    EXPECT_EQ((b.load(x, i) + 1).id(), (b.load(x, i) + 1.0).id());
    const Scalar outside = b.constant(DType::f32, 1.0);
    const Scalar total = b.reduce(ReduceKind::sum, std::vector<Expr>{3}, [&](Exprs) {
      EXPECT_EQ(b.constant(DType::f32, int64_t{1}).id(), outside.id());
      return outside;
    });
    EXPECT_NE(b.constant(DType::f32, 0.0).id(), b.constant(DType::f32, -0.0).id());
    EXPECT_NE(b.load(y, i).id(), b.load(y, i).id()) << "a store may come between";
    b.store(y, i, total);
  });
  verify(std::move(b).finish());
}

struct BadText {
  const char* text;
  const char* expected;
};

void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.text; }

class KernelTextErrors : public testing::TestWithParam<BadText> {};

TEST_P(KernelTextErrors, PointAtThePlace) {
  ExprPool pool;
  try {
    parse_kernel(GetParam().text, pool);
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().expected));
  }
}

constexpr BadText kBadTexts[] = {
    {"", "1:1: expected \"kernel\""},
    {"kernel @f(%x: f31[4]) {\n}\n", "1:15: expected a dtype\n  kernel @f(%x: f31[4]) {\n"},
    {"kernel @f(%x: f32[4], %x: f32[4]) {\n}", "1:24: the buffer is defined twice"},
    {"kernel @f(%x: f32[4]{1, 2}) {\n}", "as many strides"},
    {"kernel @f(%x: f32[4 +]) {\n}", "1:19: "},
    {"kernel @f() {\n  %0 = add %1, %2\n}",
     "2:13: the value is not defined here\n"
     "    %0 = add %1, %2\n              ^"},
    {"kernel @f() {\n  %0 = blend\n}", "2:8: expected an instruction"},
    {"kernel @f() {\n  const f32 1.0\n}", "2:3: expected 1 results"},
    {"kernel @f() {\n  %0 = const f32 1.0\n  %0 = const f32 2.0\n}",
     "3:4: the value is defined twice"},
    {"kernel @f() {\n  %0 = const i64 1.5\n}", "2:18: expected an integer"},
    {"kernel @f() {\n  %0 = const f32 one\n}", "2:18: expected a real number"},
    {"kernel @f() {\n  %0 = const bool 1\n  %1 = exp %0\n}", "3:8: the operation does not exist"},
    {"kernel @f(%x: f32[4]) {\n  %0 = load %x[1, 2]\n}", "2:14: expected 1 indices"},
    {"kernel @f(%x: f32[4]) {\n  %0 = load %y[1]\n}", "2:14: the buffer is not defined"},
    {"kernel @f(%x: f32[4]) {\n  %0 = load %x[1.5]\n}", "2:16: expected an integer"},
    {"kernel @f() {\n  %0 = reduce sum i in 0..4 {\n  }\n}", "a reduction must yield one value"},
    {"kernel @f() {\n  for i in 0..4 {\n    for i in 0..4 {\n    }\n  }\n}",
     "3:9: the loop variable"},
    {"kernel @f() {\n  for i in 1..4 {\n  }\n}", "2:12: expected \"0\""},
    {"kernel @f() {\n", "expected a name"},
    {"kernel @f() {\n}\nkernel", "3:1: expected the end"},
    {"kernel @\"f() {\n}", "1:9: expected a closing quote"},
    // What only the verifier sees.
    {"kernel @f(%x: f32[4]) {\n  %0 = const f32 1.0\n  store %x[0], %0\n}",
     "inputs must not be stored to"},
};

INSTANTIATE_TEST_SUITE_P(All, KernelTextErrors, testing::ValuesIn(kBadTexts));

TEST(KernelText, EveryPrefixIsAnErrorNotACrash) {
  const std::string text = everything();
  for (size_t length = 0; length + 2 < text.size(); ++length) {
    ExprPool pool;
    EXPECT_THROW(parse_kernel(text.substr(0, length), pool), Error) << length;
  }
}

}  // namespace
}  // namespace litz::loops

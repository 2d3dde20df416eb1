// Compiled kernels against interpreted ones, on the shapes where code differs: full vectors, rests,
// nothing at all, steps other than one, predicates.

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <gmock/gmock.h>

#include "compiler/compiled_kernels.h"
#include "loops/signature.h"
#include "loops/softmax_kernel.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using testing::HasSubstr;

TEST_F(CompiledKernels, PointwiseOfEveryLength) {
  for (const int64_t n : {0, 1, 3, 7, 8, 9, 31, 32, 33, 64, 100, 1000}) {
    bind("n", n);
    agree(R"(kernel @cube(%x: f32[n], out %y: f32[n]) {
      for i in 0..n {
        %0 = load %x[i]
        %1 = mul %0, %0
        %2 = mul %1, %0
        store %y[i], %2
      }
    })");
  }
}

// What an optimiser knows of one operation it uses in the next: every pair, beside numbers at which
// comparisons change, on values of every class.
TEST_F(CompiledKernels, PairsOfOperationsOnSpecialValues) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> special{
      0.0,  -0.0, 1.0,  -1.0, 0.5,   -2.0, 1e-40, -1e-40,
      1e30, inf,  -inf, NAN,  -1e30, 3.0,  -0.25, 1.1754943508222875e-38};
  Tensor x = Tensor::empty(DType::f32, {150});
  for (int64_t i = 0; i < 150; ++i) {
    reinterpret_cast<float*>(x.mutable_data())[i] =
        static_cast<float>(special[static_cast<size_t>(i) % special.size()]);
  }
  for (const std::string first : {"abs", "neg", "sign", "floor", "sqrt", "relu"}) {
    for (const std::string number : {"0.0", "1.0", "-1.0", "inf"}) {
      std::string parameters;
      std::string body;
      int next = 3;
      std::vector<Tensor> buffers{x};
      const auto store = [&](const std::string& value) {
        const std::string out = "%o" + std::to_string(buffers.size());
        parameters += ", out " + out + ": f32[150]";
        body += "    store " + out + "[i], " + value + "\n";
        buffers.push_back(Tensor::zeros(DType::f32, {150}));
      };
      const auto instr = [&](const std::string& text) {
        const std::string name = "%" + std::to_string(next++);
        body += "    " + name + " = " + text + "\n";
        return name;
      };
      for (const char* second : {"max", "min", "fmax", "fmin"}) {
        store(instr(std::string(second) + " %2, %1"));
        store(instr(std::string(second) + " %1, %2"));
      }
      const std::string is_nan = instr("is_nan %2");
      for (const char* order : {"lt", "le", "eq", "ne"}) {
        for (const char* operands : {" %2, %1", " %1, %2"}) {
          const std::string holds = instr(order + std::string(operands));
          store(instr("select " + holds + ", %2, %1"));
          store(instr("cast f32 " + instr("bit_or " + holds + ", " + is_nan)));
          store(instr("select " + is_nan + ", %2, " + instr("select " + holds + ", %2, %1")));
        }
      }
      const std::string given = first == "relu" ? "max %0, %zero" : first + " %0";
      const std::string text =
          "kernel @pairs(%x: f32[150]" + parameters +
          ") {\n  for i in 0..150 {\n    %0 = load %x[i]\n    %1 = const f32 " + number +
          "\n    %zero = const f32 0.0\n    %2 = " + given + "\n" + body + "  }\n}";
      SCOPED_TRACE(text);
      const Run expected = run(text, buffers, false);
      const Run actual = run(text, buffers, true);
      ASSERT_EQ(actual.reason, "");
      for (size_t b = 1; b < buffers.size(); ++b) {
        const auto* want = reinterpret_cast<const float*>(expected.buffers[b].data());
        const auto* have = reinterpret_cast<const float*>(actual.buffers[b].data());
        for (int64_t i = 0; i < 150; ++i) {
          ASSERT_TRUE(want[i] == have[i] || (std::isnan(want[i]) && std::isnan(have[i])))
              << "result " << b << " of " << special[static_cast<size_t>(i) % special.size()]
              << " is " << have[i] << " instead of " << want[i];
        }
      }
    }
  }
}

TEST_F(CompiledKernels, TransposedReads) {
  agree(R"(kernel @t(%x: f32[9, 17]{1, 9}, %z: f32[9, 17], out %y: f32[9, 17]) {
    for i in 0..9, j in 0..17 {
      %0 = load %x[i, j]
      %1 = load %z[i, j]
      %2 = add %0, %1
      store %y[i, j], %2
    }
  })");
}

// Squares, rests on both sides, several blocks, and a divided outer loop.
TEST_F(CompiledKernels, TransposesOfEverySize) {
  for (const char* type : {"f32", "bf16", "i8", "f64"}) {
    for (const auto& [rows, columns] :
         {std::pair{16, 16}, {64, 64}, {300, 531}, {5, 200}, {200, 5}}) {
      const std::string r = std::to_string(rows), c = std::to_string(columns), t = type;
      agree("kernel @t(%x: " + t + "[3, " + r + ", " + c + "]{" + std::to_string(rows * columns) +
            ", 1, " + r + "}, out %y: " + t + "[3, " + r + ", " + c +
            "]) {\n  for b in 0..3, i in 0.." + r + ", j in 0.." + c +
            " {\n    %0 = load %x[b, i, j]\n    store %y[b, i, j], %0\n  }\n}");
    }
  }
}

// The rows of a square in a loop.
TEST_F(CompiledKernels, TransposesUnderLongCode) {
  agree(R"(kernel @t(%x: f32[150, 131]{1, 150}, %z: f32[150, 131], out %y: f32[150, 131]) {
    for i in 0..150, j in 0..131 {
      %0 = load %x[i, j]
      %1 = load %z[i, j]
      %2 = exp %0
      %3 = tanh %1
      %4 = mul %2, %3
      store %y[i, j], %4
    }
  })",
        -4, 4, 1e-6);
}

// Stores past the caches, where rows begin at multiples of a vector and where they do not.
TEST_F(CompiledKernels, LargeResults) {
  for (const std::string columns : {"2048", "2051"}) {
    agree("kernel @n(%x: f32[2100, 1]{1, 1}, out %y: f32[2100, " + columns +
          "]) {\n  for i in 0..2100, j in 0.." + columns +
          " {\n    %0 = load %x[i, 0]\n    %1 = index f32 j\n    %2 = mul %0, %1\n    store %y[i, "
          "j], %2\n  }\n}");
  }
}

TEST_F(CompiledKernels, BroadcastAndScalarInputs) {
  agree(R"(kernel @b(%x: f32[5, 1], %z: f32[], out %y: f32[5, 33]) {
    for i in 0..5, j in 0..33 {
      %0 = load %x[i, 0]
      %1 = load %z[]
      %2 = sub %0, %1
      store %y[i, j], %2
    }
  })");
}

TEST_F(CompiledKernels, SoftmaxRows) {
  for (const int64_t n : {1, 5, 16, 197}) {
    bind("n", n);
    agree(loops::softmax_kernel("4", "n"), -4, 4, 1e-6);
  }
}

TEST_F(CompiledKernels, ReductionOverTheOuterDimension) {
  agree(R"(kernel @s(%x: f32[13, 45], out %y: f32[45]) {
    for j in 0..45 {
      %0 = reduce sum i in 0..13 {
        %1 = load %x[i, j]
        yield %1
      }
      store %y[j], %0
    }
  })",
        -4, 4, 1e-6);
}

TEST_F(CompiledKernels, WholeReduction) {
  agree(R"(kernel @s(%x: f64[13, 45], out %y: f64[]) {
    %0 = reduce sum i in 0..13, j in 0..45 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[], %0
  })",
        -4, 4, 1e-14);
}

TEST_F(CompiledKernels, PositionsOfTies) {
  for (const char* kind : {"argmax", "argmin"}) {
    agree(std::string("kernel @a(%x: i32[6, 37], out %y: i64[6]) {\n  for i in 0..6 {\n    %0 = "
                      "reduce ") +
              kind +
              " j in 0..37 {\n      %1 = load %x[i, j]\n      yield %1\n    }\n    store %y[i], "
              "%0\n  }\n}",
          -2, 2);
  }
}

TEST_F(CompiledKernels, PositionsInEveryTypeAndLength) {
  for (const char* type : {"f32", "f64", "i64", "i32", "i16", "u8", "bool"}) {
    for (const char* length : {"1", "3", "37", "200"}) {
      for (const std::string_view at : {"j, i", "i, j"}) {
        const std::string n = length;
        const std::string sizes = at == "i, j" ? "19, " + n : n + ", 19";
        agree("kernel @a(%x: " + std::string(type) + "[" + sizes +
                  "], out %y: i64[19], out %z: i64[19]) {\n  for i in 0..19 {\n    %0 = reduce "
                  "argmax j in 0.." +
                  n + " {\n      %1 = load %x[" + std::string(at) +
                  "]\n      yield %1\n    }\n    store %y[i], %0\n    %2 = reduce argmin k in 0.." +
                  n + " {\n      %3 = load %x[" + (at == "i, j" ? "i, k" : "k, i") +
                  "]\n      yield %3\n    }\n    store %z[i], %2\n  }\n}",
              0, 3);
      }
    }
  }
}

// The lanes prefer the variable that memory runs along, but positions count in the order written.
TEST_F(CompiledKernels, PositionsAcrossMemory) {
  for (const char* strides : {"", "{1, 96}"}) {
    agree(std::string("kernel @a(%x: f32[96, 80]") + strides + R"(, out %y: i64[]) {
      %0 = reduce argmax i in 0..96, j in 0..80 {
        %1 = load %x[i, j]
        yield %1
      }
      store %y[], %0
    })");
  }
}

TEST_F(CompiledKernels, PositionsOfWhatNothingBeats) {
  const float none = -std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  const auto first_of = [&](int64_t count, const std::map<int64_t, float>& others) {
    bind("n", count);
    std::vector<float> values(static_cast<size_t>(count), none);
    for (const auto& [at, value] : others) values[static_cast<size_t>(at)] = value;
    const Tensor x = Tensor::of<float>(DType::f32, {count}, std::span<const float>(values));
    std::vector<int64_t> found;
    for (const std::string& extent : {std::string("n"), std::to_string(count)}) {
      const std::string text = "kernel @a(%x: f32[" + extent +
                               "], out %y: i64[]) {\n  %0 = reduce argmax j in 0.." + extent +
                               " {\n    %1 = load %x[j]\n    yield %1\n  }\n  store %y[], %0\n}";
      found.push_back(run(text, {x, Tensor::zeros(DType::i64, {})}, true).buffers[1].int_at({}));
    }
    EXPECT_EQ(found[0], found[1]);
    return found[1];
  };
  for (const int64_t count : {1, 5, 64, 100, 300}) {
    EXPECT_EQ(first_of(count, {}), 0);
    EXPECT_EQ(first_of(count, {{count - 1, nan}}), count - 1);
    EXPECT_EQ(first_of(count, {{count - 1, -1e30F}}), count - 1);
    EXPECT_EQ(first_of(count, {{count / 2, nan}, {count - 1, 3.0F}}), count / 2);
  }
  EXPECT_EQ(first_of(300, {{70, nan}, {65, 1.0F}, {5, 7.0F}, {135, nan}, {199, nan}}), 70);
  EXPECT_EQ(first_of(300, {{290, 7.0F}, {129, 7.0F}, {200, 7.0F}}), 129);
}

TEST_F(CompiledKernels, PositionOfNaN) {
  bind("n", 70);
  const std::string text = R"(kernel @a(%x: f32[n], out %y: i64[]) {
    %0 = reduce argmax j in 0..n {
      %1 = load %x[j]
      yield %1
    }
    store %y[], %0
  })";
  std::vector<float> values(70, 1.0F);
  values[40] = values[50] = std::nanf("");
  const Tensor x = Tensor::of<float>(DType::f32, {70}, std::span<const float>(values));
  const Run result = run(text, {x, Tensor::zeros(DType::i64, {})}, true);
  EXPECT_EQ(result.buffers[1].int_at({}), 40);
}

TEST_F(CompiledKernels, HalvesAreRoundedOnCast) {
  for (const char* half : {"bf16", "f16"}) {
    const std::string h = half;
    agree("kernel @h(%x: " + h + "[77], %w: f32[77], out %y: " + h +
          "[77]) {\n  for i in 0..77 {\n    %0 = load %x[i]\n    %1 = cast f32 %0\n    %2 = load "
          "%w[i]\n    %3 = mul %1, %2\n    %4 = cast " +
          h + " %3\n    store %y[i], %4\n  }\n}");
  }
}

TEST_F(CompiledKernels, CastsBetweenAllTypes) {
  const std::vector<std::string> types{"bool", "u8",  "i8",  "u16",  "i16", "u32", "i32",
                                       "u64",  "i64", "f16", "bf16", "f32", "f64"};
  for (const std::string& from : types) {
    for (const std::string& to : types) {
      agree("kernel @c(%x: " + from + "[41], out %y: " + to +
                "[41]) {\n  for i in 0..41 {\n    %0 = load %x[i]\n    %1 = cast " + to +
                " %0\n    store %y[i], %1\n  }\n}",
            -1e10, 1e10);
    }
  }
}

TEST_F(CompiledKernels, IntegerDivision) {
  for (const char* op : {"floor_div", "trunc_div", "mod", "fmod"}) {
    const std::string o = op;
    const std::string text =
        "kernel @d(%x: i64[43], out %y: i64[43]) {\n  for i in 0..43 {\n    "
        "%0 = load %x[i]\n    %1 = const i64 -7\n    %2 = " +
        o + " %0, %1\n    store %y[i], %2\n  }\n}";
    agree(text, -100, 100);
  }
}

TEST_F(CompiledKernels, EveryRealFunctionIsCompiled) {
  const DType real[] = {DType::f32, DType::f32, DType::f32};
  for (int i = 0; i < loops::kScalarOpCount; ++i) {
    const auto op = static_cast<loops::ScalarOp>(i);
    const auto count = static_cast<size_t>(loops::arity(op));
    const bool converts = op == loops::ScalarOp::cast || op == loops::ScalarOp::bitcast;
    if (converts || !loops::result_dtype(op, std::span(real, count), DType::f32)) continue;
    const DType result = *loops::result_dtype(op, std::span(real, count), DType::f32);
    if (is_complex(result)) continue;
    for (const std::string type : {"f32", "f64"}) {
      std::string text = "kernel @f(%a: " + type + "[45], %b: " + type + "[45], %c: " + type +
                         "[45], out %y: f64[45]) {\n  for i in 0..45 {\n    %0 = load %a[i]\n" +
                         "    %1 = load %b[i]\n    %2 = load %c[i]\n    %3 = ";
      text += loops::name(op);
      for (size_t k = 0; k < count; ++k) text += (k > 0 ? ", %" : " %") + std::to_string(k);
      text += "\n    %4 = cast f64 %3\n    store %y[i], %4\n  }\n}";
      agree(text, -3, 3, type == "f32" ? 4e-7 : 1e-14);
    }
  }
}

TEST_F(CompiledKernels, DivisionByZeroIsAnError) {
  const std::string text = R"(kernel @d(%x: i64[43], %z: i64[43], out %y: i64[43]) {
    for i in 0..43 {
      %0 = load %x[i]
      %1 = load %z[i]
      %2 = floor_div %0, %1
      store %y[i], %2
    }
  })";
  Tensor ones = draw(contiguous_type(DType::i64, {43}), 1, 1);
  EXPECT_NO_THROW(run(text, {ones, ones, ones}, true));
  const Tensor zeros = Tensor::zeros(DType::i64, {43});
  EXPECT_THROW(run(text, {ones, zeros, ones}, true), Error);
}

TEST_F(CompiledKernels, GatherChecksItsIndex) {
  const std::string text = R"(kernel @g(%x: f32[10, 3], %i: i64[21], out %y: f32[21, 3]) {
    for a in 0..21, b in 0..3 {
      %0 = load %i[a]
      %1 = bound_index wrap "index of aten.gather" %0, 10
      %2 = load %x[%1, b]
      store %y[a, b], %2
    }
  })";
  agree(text, -9, 9);
  Tensor x = draw(contiguous_type(DType::f32, {10, 3}), 0, 1);
  Tensor index = Tensor::zeros(DType::i64, {21});
  reinterpret_cast<int64_t*>(index.mutable_data())[17] = 10;
  try {
    run(text, {x, index, Tensor::zeros(DType::f32, {21, 3})}, true);
    FAIL() << "an index out of range must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range);
    EXPECT_THAT(error.what(), HasSubstr("index of aten.gather"));
    EXPECT_THAT(error.what(), HasSubstr("but is 10"));
  }
}

// Rows of odd length begin in the middle of a block, rows of even length do not.
TEST_F(CompiledKernels, DrawTheNumbersOfTheInterpreter) {
  for (const char* const dtype : {"i32", "i64"}) {
    for (const char* const number : {"61*i + j", "64*i + j", "64*i + 2*j", "0 - i - j", "i"}) {
      SCOPED_TRACE(std::string(dtype) + " " + number);
      agree(std::string("kernel @d(%k: i64[5], out %y: ") + dtype +
                "[5, 61]) {\n  for i in 0..5 {\n    %0 = load %k[i]\n    for j in 0..61 {\n"
                "      %1 = index i64 " +
                number + "\n      %2 = philox " + dtype +
                " %0, %1\n      store %y[i, j], %2\n    }\n  }\n}\n",
            0, 100);
    }
  }
}

TEST_F(CompiledKernels, ChecksReportTheFirstThatFails) {
  const std::string text = R"(kernel @c(%x: i64[43], out %y: i64[43]) {
    for i in 0..43 {
      %0 = load %x[i]
      %1 = const i64 7
      %2 = ne %0, %1
      check %2, "no seven"
      store %y[i], %0
    }
  })";
  Tensor x = Tensor::zeros(DType::i64, {43});
  const Tensor y = Tensor::zeros(DType::i64, {43});
  EXPECT_NO_THROW(run(text, {x, y}, true));
  reinterpret_cast<int64_t*>(x.mutable_data())[41] = 7;
  for (const bool compiled : {false, true}) {
    try {
      run(text, {x, y}, compiled);
      FAIL() << "a check that fails must be reported";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), HasSubstr("an assertion of the program must hold: no seven"));
    }
  }
}

TEST_F(CompiledKernels, PaddingReadsUnderAPredicate) {
  agree(R"(kernel @p(%x: f32[3, 29], out %y: f32[3, 40]) {
    for i in 0..3, j in 0..40 {
      %0 = index i64 j - 4
      %1 = const i64 0
      %2 = le %1, %0
      %3 = const i64 29
      %4 = lt %0, %3
      %5 = bit_and %2, %4
      %6 = const f32 -1.0
      %7 = load %x[i, j - 4] if %5 else %6
      store %y[i, j], %7
    }
  })");
}

TEST_F(CompiledKernels, FlippedAndStridedReads) {
  agree(R"(kernel @f(%x: f32[80], out %y: f32[40]) {
    for j in 0..40 {
      %0 = load %x[79 - 2*j]
      store %y[j], %0
    }
  })");
}

TEST_F(CompiledKernels, DigitsOfTheVectorVariable) {
  agree(R"(kernel @f(%x: f32[7, 5], out %y: f32[35]) {
    for j in 0..35 {
      %0 = load %x[mod(j, 7), j//7]
      store %y[j], %0
    }
  })");
}

TEST_F(CompiledKernels, AccumulatingStores) {
  agree(R"(kernel @s(%i: i64[50], %x: f32[50, 19], out %y: f32[6, 19]) {
    for a in 0..50, b in 0..19 {
      %0 = load %i[a]
      %1 = bound_index "index" %0, 6
      %2 = load %x[a, b]
      store add %y[%1, b], %2
    }
  })",
        0, 5);
}

TEST_F(CompiledKernels, AccumulatingStoresRoundHalves) {
  for (const std::string type : {"bf16", "f16"}) {
    for (const std::string mode : {"add", "mul", "min", "max"}) {
      agree("kernel @s(%i: i64[50], %x: " + type + "[50, 19], out %y: " + type +
                "[6, 19]) {\n  for a in 0..50, b in 0..19 {\n    %0 = load %i[a]\n    %1 = "
                "bound_index \"index\" %0, 6\n    %2 = load %x[a, b]\n    store " +
                mode + " %y[%1, b], %2\n  }\n}",
            0.5, 1.5);
    }
  }
}

TEST_F(CompiledKernels, CarriedValuesRunInOrder) {
  agree(R"(kernel @c(%x: f32[4, 33], out %y: f32[4, 33]) {
    for i in 0..4 {
      %0 = const f32 0.0
      %1 = for j in 0..33 carry (%2 = %0) {
        %3 = load %x[i, j]
        %4 = add %2, %3
        store %y[i, j], %4
        yield %4
      }
    }
  })");
}

TEST_F(CompiledKernels, ThreadsDoNotChangeResults) {
  same_on_threads(R"(kernel @e(%x: f32[300, 1000], out %y: f32[300]) {
    for i in 0..300 {
      %0 = reduce sum j in 0..1000 {
        %1 = load %x[i, j]
        %2 = exp %1
        yield %2
      }
      store %y[i], %0
    }
  })");
}

TEST_F(CompiledKernels, ThreadsDivideTransposes) {
  same_on_threads(R"(kernel @t(%x: f32[700, 900]{1, 700}, out %y: f32[700, 900]) {
    for i in 0..700, j in 0..900 {
      %0 = load %x[i, j]
      store %y[i, j], %0
    }
  })");
}

TEST_F(CompiledKernels, TheLastOfEqualRowsIsStoredOnEveryThread) {
  for (const std::string columns : {"5", "997", "2000"}) {
    const std::string text = "kernel @s(%n: i64[3000], %x: f32[3000, " + columns +
                             "], out %y: f32[4, " + columns + "]) {\n  for i in 0..3000, j in 0.." +
                             columns +
                             " {\n    %0 = load %n[i]\n    %1 = bound_index \"index\" %0, 4\n"
                             "    %2 = load %x[i, j]\n    store %y[%1, j], %2\n  }\n}";
    agree(text, 0, 4);
    same_on_threads(text);
  }
}

TEST_F(CompiledKernels, NamesDoNotMakeKernelsDifferent) {
  const auto text = [](const std::string& name, const std::string& var, const std::string& value) {
    return "kernel @" + name + "(%x: f32[9], out %y: f32[9]) {\n  for " + var +
           " in 0..9 {\n    %" + value + " = load %x[" + var + "]\n    store %y[" + var + "], %" +
           value + "\n  }\n}";
  };
  const loops::Kernel a = loops::parse_kernel(text("a", "i", "0"), pool);
  const loops::Kernel b = loops::parse_kernel(text("b", "j", "7"), pool);
  const loops::Kernel* kernels[] = {&a, &b};
  const KernelSet set(kernels, {});
  EXPECT_EQ(set.codes().size(), 1U);
  EXPECT_EQ(set.compiled_index(0), set.compiled_index(1));
}

TEST_F(CompiledKernels, LargestOfNothingIsAnError) {
  bind("n", 0);
  const std::string text = R"(kernel @m(%x: f32[3, n], out %y: f32[3]) {
    for i in 0..3 {
      %0 = reduce max j in 0..n {
        %1 = load %x[i, j]
        yield %1
      }
      store %y[i], %0
    }
  })";
  const Tensor x = Tensor::empty(DType::f32, {3, 0});
  EXPECT_THROW(run(text, {x, Tensor::zeros(DType::f32, {3})}, true), Error);
}

TEST_F(CompiledKernels, IntegerPowers) {
  for (const std::string dtype : {"i8", "u8", "i32", "i64"}) {
    const std::string head =
        "kernel @power(%x: " + dtype + "[67], %e: " + dtype + "[67], out %y: " + dtype +
        "[67]) {\n  for i in 0..67 {\n    %0 = load %x[i]\n    %1 = load %e[i]\n";
    const std::string tail = "    store %y[i], %3\n  }\n}";
    const bool has_sign = dtype[0] == 'i';
    agree(head + "    %3 = pow %0, %1\n" + tail, has_sign ? -4 : 0, 9);
    for (const std::string exponent : {"0", "1", "2", "3", "13", "100"}) {
      agree(head + "    %2 = const " + dtype + " " + exponent + "\n    %3 = pow %0, %2\n" + tail,
            has_sign ? -4 : 0, 9);
    }
    if (has_sign) {
      agree(head + "    %2 = const " + dtype + " -3\n    %3 = pow %0, %2\n" + tail, -2, 3);
    }
  }
}

TEST_F(CompiledKernels, WhatCannotBeCompiledSaysWhy) {
  const std::string text = R"(kernel @z(%x: c64[3], out %y: c64[3]) {
    for i in 0..3 {
      %0 = load %x[i]
      store mul %y[i], %0
    }
  })";
  const Tensor x = Tensor::zeros(DType::c64, {3});
  EXPECT_EQ(run(text, {x, x}, true).reason, "complex numbers");
}

TEST_F(CompiledKernels, RowsAreKeptBetweenLoops) {
  for (const char* n : {"64", "70", "1000", "4096", "20000"}) {
    agree(loops::softmax_kernel("3", n), -4, 4, 1e-5);
  }
}

TEST_F(CompiledKernels, ColumnsAreReducedInBlocks) {
  for (const char* n : {"128", "130", "1024", "1500", "2100"}) {
    const std::string size = n;
    agree(sized("kernel @variance(%x: f32[70, " + size + "], %b: f32[" + size + "], out %y: f32[" +
                    size + "], out %z: f32[" + size + "]) {\n" + R"(
  for j in 0..N {
    %9 = load %b[j]
    %0 = reduce sum i in 0..70 {
      %1 = load %x[i, j]
      %10 = add %1, %9
      yield %10
    }
    %2 = const f32 70.0
    %3 = div %0, %2
    %4 = reduce sum k in 0..70 {
      %5 = load %x[k, j]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    %8 = reduce max l in 0..70 {
      %11 = load %x[l, j]
      yield %11
    }
    store %y[j], %4
    store %z[j], %8
  }
})",
                size),
          -4, 4, 1e-5);
  }
}

TEST_F(CompiledKernels, TransposesPassTheCaches) {
  const std::string size = "2064";
  agree(sized("kernel @t(%x: f32[" + size + ", " + size + "]{1, " + size + "}, %z: f32[" + size +
                  ", " + size + "], out %y: f32[" + size + ", " + size + "]) {\n" + R"(
  for i in 0..N, j in 0..N {
    %0 = load %x[i, j]
    %1 = load %z[i, j]
    %2 = add %0, %1
    store %y[i, j], %2
  }
})",
              size));
}

}  // namespace
}  // namespace litz::compiler

// One test per rule of the verifier: each breaks a good kernel in one place.

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/kernel.h"
#include "support/check.h"

namespace litz::loops {
namespace {

using testing::HasSubstr;

// Values: 0 constant f32, 1 index i64, 2 bool; then one nest of each kind.
constexpr const char* kGood =
    R"(kernel @good(%x: f32[4, 4], out %y: f32[4, 4], scratch %k: f32[4], scratch %o: i64[4]) {
  %0 = const f32 1.0
  %1 = const i64 2
  %2 = const bool 1
  for i0 in 0..4 {
    %3 = load %x[i0, %1] if %2 else %0
    %4 = add %3, %0
    store %y[i0, 0], %4 if %2
    %5 = bound_index "row" %1, 4
    %6 = index i64 i0 + 1
  }
  %7 = for i1 in 0..4 carry (%8 = %0) {
    yield %8
  }
  %9 = reduce sum i2 in 0..4 {
    %10 = load %x[i2, 0]
    yield %10
  }
  sort i3 in 0..4 {
    %11 = load %x[i3, 0]
    yield %11
  } emit i4 in 0..4 (%12, %13) {
    store %y[i4, 0], %12
  }
  sort_row %k, %o, 4, 4
  check %2, "holds"
  store add any_order %o[0], %1
  %14 = for i5 in 0..4 scan (%0) {
    %15 = load %x[i5, 0]
    yield %15
  } combine (%16, %17) {
    %18 = add %16, %17
    yield %18
  } emit (%19) {
    store %y[i5, 0], %19
  }
}
)";

struct Break {
  const char* rule;
  std::function<void(Kernel&)> apply;
};

void PrintTo(const Break& b, std::ostream* out) { *out << b.rule; }

Instr& top(Kernel& kernel, size_t at) { return kernel.body.instrs[at]; }

Instr& in_loop(Kernel& kernel, size_t at) { return top(kernel, 3).blocks[0]->instrs[at]; }

Instr& scan(Kernel& kernel) { return top(kernel, 10); }

ValueInfo& value_info(Kernel& kernel, ValueId value) {
  return kernel.values[static_cast<size_t>(value)];
}

class VerifyRules : public testing::TestWithParam<Break> {};

TEST_P(VerifyRules, AreEnforced) {
  ExprPool pool;
  Kernel kernel = parse_kernel(kGood, pool);
  ASSERT_NO_THROW(verify(kernel));
  GetParam().apply(kernel);
  try {
    verify(kernel);
    FAIL() << "must throw";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().rule));
    EXPECT_THAT(error.what(), HasSubstr("good"));
  }
}

Expr var_of(Kernel& kernel) { return top(kernel, 3).vars[0].symbol; }

const Break kBreaks[] = {
    {"a kernel must have an expression pool", [](Kernel& k) { k.pool = nullptr; }},
    {"the body of a kernel must yield nothing", [](Kernel& k) { k.body.yields = {0}; }},
    {"buffers must be named", [](Kernel& k) { k.buffers[0].name.clear(); }},
    {"names of buffers must differ", [](Kernel& k) { k.buffers[0].name = "y"; }},
    {"as many strides as sizes", [](Kernel& k) { k.buffers[0].type.strides.pop_back(); }},
    {"sizes and strides must be integers",
     [](Kernel& k) { k.buffers[0].type.sizes[0] = Expr::real(1); }},
    {"must not depend on loop variables",
     [](Kernel& k) { k.buffers[0].type.strides[0] = var_of(k); }},
    {"must not depend on loop variables", [](Kernel& k) { top(k, 5).vars[0].extent = var_of(k); }},
    {"offsets must be integers", [](Kernel& k) { k.buffers[0].type.offset = Expr::boolean(true); }},
    {"extents must be integers", [](Kernel& k) { top(k, 3).vars[0].extent = Expr::real(2); }},
    {"used inside their loop",
     [](Kernel& k) { top(k, 5).blocks[0]->instrs[0].indices[0] = var_of(k); }},
    {"results must be values of the kernel", [](Kernel& k) { top(k, 0).results = {99}; }},
    {"a value must be defined once",
     [](Kernel& k) {
       top(k, 1).results = {0};
       k.values[0].dtype = DType::i64;
       top(k, 0).literal = int64_t{1};
     }},
    {"operands must be values of the kernel", [](Kernel& k) { in_loop(k, 1).operands[0] = -1; }},
    {"in an enclosing block", [](Kernel& k) { in_loop(k, 0).other = in_loop(k, 1).results[0]; }},
    {"in an enclosing block", [](Kernel& k) { top(k, 4).operands = {in_loop(k, 0).results[0]}; }},
    {"must be symbols of kind index", [](Kernel& k) { top(k, 3).vars[0].symbol = 3; }},
    {"variables of different names",
     [](Kernel& k) { top(k, 3).vars.push_back(top(k, 3).vars[0]); }},
    {"an instruction must have one result", [](Kernel& k) { in_loop(k, 1).results.clear(); }},
    {"a complex constant must have a complex literal",
     [](Kernel& k) { k.values[0].dtype = DType::c64; }},
    {"a floating constant must have a floating literal",
     [](Kernel& k) { top(k, 0).literal = int64_t{1}; }},
    {"must have an integer literal", [](Kernel& k) { top(k, 1).literal = 1.0; }},
    {"as many operands as its arity", [](Kernel& k) { in_loop(k, 1).operands.pop_back(); }},
    {"must exist for the dtypes of its operands", [](Kernel& k) { in_loop(k, 1).operands[1] = 2; }},
    {"the dtype of a result must follow", [](Kernel& k) { in_loop(k, 1).op = ScalarOp::lt; }},
    {"an access must name a buffer", [](Kernel& k) { in_loop(k, 0).buffer = 7; }},
    {"as many indices as the buffer", [](Kernel& k) { in_loop(k, 0).indices.pop_back(); }},
    {"a stride for each index", [](Kernel& k) { in_loop(k, 0).strides = {1}; }},
    {"must have its offset first",
     [](Kernel& k) {
       in_loop(k, 0).strides = {4, 1};
     }},
    {"computed indices behind its offset",
     [](Kernel& k) {
       in_loop(k, 2).strides = {1, 1};
     }},
    {"strides must be integers",
     [](Kernel& k) {
       in_loop(k, 0).strides = {1, Expr::real(1)};
     }},
    {"indices must be integers", [](Kernel& k) { in_loop(k, 0).indices[0] = Expr::real(1); }},
    {"computed indices must be i64", [](Kernel& k) { in_loop(k, 0).indices[0] = ValueId{0}; }},
    {"predicates must be bool", [](Kernel& k) { in_loop(k, 0).predicate = 0; }},
    {"a load must have the dtype of its buffer",
     [](Kernel& k) { k.buffers[0].type.dtype = DType::f64; }},
    {"exactly when it has a predicate", [](Kernel& k) { in_loop(k, 0).other = kNoValue; }},
    {"the other value of a load", [](Kernel& k) { in_loop(k, 0).other = 1; }},
    {"a store must have no result", [](Kernel& k) { in_loop(k, 2).results = {0}; }},
    {"inputs must not be stored to", [](Kernel& k) { in_loop(k, 2).buffer = 0; }},
    {"must not store",
     [](Kernel& k) {
       Instr store;
       store.kind = InstrKind::store;
       store.buffer = 1;
       store.indices = {Expr(0), Expr(0)};
       store.operands = {0};
       top(k, 5).blocks[0]->instrs.push_back(std::move(store));
     }},
    {"a store must have one value", [](Kernel& k) { in_loop(k, 2).operands.clear(); }},
    {"a stored value must have the dtype", [](Kernel& k) { in_loop(k, 2).operands = {1}; }},
    {"a bound index must be i64",
     [](Kernel& k) { k.values[static_cast<size_t>(in_loop(k, 3).results[0])].dtype = DType::i32; }},
    {"must have one i64 operand", [](Kernel& k) { in_loop(k, 3).operands = {0}; }},
    {"the extent of an index must be an integer",
     [](Kernel& k) { in_loop(k, 3).expr = Expr::real(1); }},
    {"a loop must have one block", [](Kernel& k) { top(k, 3).blocks.clear(); }},
    {"a loop must have a variable", [](Kernel& k) { top(k, 3).vars.clear(); }},
    {"that carries must have one variable",
     [](Kernel& k) { top(k, 4).vars.push_back(top(k, 5).vars[0]); }},
    {"one initial value and one result", [](Kernel& k) { top(k, 4).results.clear(); }},
    {"a carried value must keep its dtype", [](Kernel& k) { top(k, 4).operands = {1}; }},
    {"a carried value must keep its dtype", [](Kernel& k) { top(k, 4).blocks[0]->yields = {1}; }},
    {"yield one value per carried value", [](Kernel& k) { top(k, 4).blocks[0]->yields.clear(); }},
    {"a reduction must have one block", [](Kernel& k) { top(k, 5).blocks.clear(); }},
    {"a reduction must have a variable", [](Kernel& k) { top(k, 5).vars.clear(); }},
    {"a reduction must yield one value", [](Kernel& k) { top(k, 5).blocks[0]->yields.clear(); }},
    {"a reduction must exist", [](Kernel& k) { top(k, 5).reduce = ReduceKind::any; }},
    {"as many results as its kind", [](Kernel& k) { top(k, 5).reduce = ReduceKind::softmax; }},
    {"as many results as its kind", [](Kernel& k) { top(k, 5).results.clear(); }},
    {"may be empty must have a limit", [](Kernel& k) { top(k, 5).flag = true; }},
    {"the dtype of a result must follow", [](Kernel& k) { top(k, 5).reduce = ReduceKind::argmax; }},
    {"a sort must have two blocks", [](Kernel& k) { top(k, 6).blocks.pop_back(); }},
    {"a sort must have one variable", [](Kernel& k) { top(k, 6).vars.clear(); }},
    {"a sort must have no result", [](Kernel& k) { top(k, 6).results = {0}; }},
    {"a sort must have a value and a position", [](Kernel& k) { top(k, 6).carried.pop_back(); }},
    {"a sort must yield one key", [](Kernel& k) { top(k, 6).blocks[0]->yields.clear(); }},
    {"a sort must give keys",
     [](Kernel& k) { std::swap(top(k, 6).carried[0], top(k, 6).carried[1]); }},
    {"the second block of a sort", [](Kernel& k) { top(k, 6).blocks[1]->yields = {0}; }},
    {"must not sort",
     [](Kernel& k) {
       Instr sort = std::move(top(k, 6));
       k.body.instrs.erase(k.body.instrs.begin() + 6);
       top(k, 5).blocks[0]->instrs.push_back(std::move(sort));
     }},
    {"a sort must have no result", [](Kernel& k) { top(k, 7).results = {0}; }},
    {"must name a buffer", [](Kernel& k) { top(k, 7).buffer = 9; }},
    {"must name a buffer", [](Kernel& k) { top(k, 7).origins = -1; }},
    {"inputs must not be stored to", [](Kernel& k) { top(k, 7).buffer = 0; }},
    {"a dense buffer of one dimension", [](Kernel& k) { top(k, 7).buffer = 1; }},
    {"sort keys must be ordered", [](Kernel& k) { k.buffers[2].type.dtype = DType::c64; }},
    {"origins of sorted elements must be i64",
     [](Kernel& k) { std::swap(top(k, 7).buffer, top(k, 7).origins); }},
    {"a sorted row must have the size", [](Kernel& k) { top(k, 7).expr = Expr(3); }},
    {"a sorted row must have the size", [](Kernel& k) { top(k, 7).position.extent = Expr(5); }},
    {"must not sort",
     [](Kernel& k) {
       Instr sort = std::move(top(k, 7));
       k.body.instrs.erase(k.body.instrs.begin() + 7);
       top(k, 5).blocks[0]->instrs.push_back(std::move(sort));
     }},
    {"a check must have no result", [](Kernel& k) { top(k, 8).results = {0}; }},
    {"a check must have one bool", [](Kernel& k) { top(k, 8).operands = {1}; }},
    {"a store in any order", [](Kernel& k) { top(k, 9).mode = StoreMode::assign; }},
    {"a store in any order",
     [](Kernel& k) {
       top(k, 9).buffer = 2;
       top(k, 9).operands = {0};
     }},
    {"a loop must have one block, or combine", [](Kernel& k) { scan(k).operands.clear(); }},
    {"a loop that combines must have one variable", [](Kernel& k) { scan(k).vars.clear(); }},
    {"must name what each block sees", [](Kernel& k) { scan(k).carried.pop_back(); }},
    {"must name what each block sees", [](Kernel& k) { scan(k).results.clear(); }},
    {"a combined value must keep its dtype",
     [](Kernel& k) { value_info(k, scan(k).carried[2]).dtype = DType::f64; }},
    {"must be tuples like the first", [](Kernel& k) { scan(k).blocks[0]->yields.clear(); }},
    {"must be tuples like the first", [](Kernel& k) { scan(k).blocks[1]->yields = {1}; }},
    {"in an enclosing block", [](Kernel& k) { scan(k).blocks[0]->yields = {scan(k).carried[0]}; }},
    {"the last block of a scan must yield nothing",
     [](Kernel& k) { scan(k).blocks[2]->yields = {0}; }},
    {"reductions and sort keys must not store",
     [](Kernel& k) {
       Instr store = std::move(scan(k).blocks[2]->instrs[0]);
       store.operands = {0};
       scan(k).blocks[2]->instrs.clear();
       scan(k).blocks[0]->instrs.push_back(std::move(store));
     }},
    {"loop variables must be used inside their loop",
     [](Kernel& k) {
       Instr index;
       index.kind = InstrKind::index;
       index.expr = scan(k).vars[0].symbol;
       k.values.push_back({DType::i64});
       index.results = {static_cast<ValueId>(k.values.size()) - 1};
       scan(k).blocks[1]->instrs.push_back(std::move(index));
     }},
};

INSTANTIATE_TEST_SUITE_P(All, VerifyRules, testing::ValuesIn(kBreaks));

TEST(Verify, StoreModesMustExist) {
  ExprPool pool;
  const char* text =
      "kernel @f(out %y: c64[4]) {\n  %0 = const c64 (1.0, 0.0)\n  store add %y[0], %0\n}";
  Kernel kernel = parse_kernel(text, pool);
  kernel.body.instrs[1].mode = StoreMode::max;
  EXPECT_THROW(verify(kernel), InternalError);
}

TEST(Verify, SortKeysMustBeOrdered) {
  ExprPool pool;
  EXPECT_THROW(parse_kernel("kernel @f(%x: c64[4]) {\n  sort i0 in 0..4 {\n    %0 = load %x[i0]\n"
                            "    yield %0\n  } emit i1 in 0..4 (%1, %2) {\n  }\n}",
                            pool),
               Error);
}

}  // namespace
}  // namespace litz::loops

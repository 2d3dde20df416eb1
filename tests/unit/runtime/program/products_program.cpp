#include "products_program.h"

#include <utility>

namespace litz::runtime {
namespace {

using namespace artifact;

LaunchList product(Expr n, StorageKind second) {
  const TensorType square = contiguous_type(DType::f32, {n, n});
  const Expr bytes = 4 * n * n;
  LaunchList list;
  list.name = "product";
  list.storages = {{.name = "x", .kind = StorageKind::input, .index = 1, .bytes = bytes},
                   {.name = "w", .kind = second, .index = 0, .bytes = bytes},
                   {.name = "y", .kind = StorageKind::output, .index = 0, .bytes = bytes}};
  list.arena_bytes = 0;
  list.launches = {
      {.work = LibraryLaunch{.function = "matmul",
                             .arguments = {TensorSlot{{0, 0}, square}, TensorSlot{{1, 0}, square}},
                             .results = {{{2, 0}, square}}},
       .accesses = {{{0, 0}, bytes, false}, {{1, 0}, bytes, false}, {{2, 0}, bytes, true}},
       .label = "%1 = aten.mm"}};
  list.outputs = {TensorSlot{{2, 0}, square}};
  list.inputs = {square, square};
  list.symbols = {n.symbol()};
  return list;
}

ProgramInput buffer() {
  ProgramInput input;
  input.kind = InputKind::buffer;
  input.label = "w";
  input.type = contiguous_type(DType::f32, {3, 3});
  input.data = Tensor::of<float>(DType::f32, {3, 3}, {2, 0, 0, 0, 2, 0, 0, 0, 2});
  return input;
}

ProgramInput input(std::string label, ValueType type) {
  ProgramInput given;
  given.label = std::move(label);
  given.type = std::move(type);
  return given;
}

StepResult result(ValueId value, TensorType type) {
  return {value, std::move(type), false, kNoValue};
}

Step step(decltype(Step::work) work, std::vector<StepResult> results, std::string label) {
  return {std::move(work), std::move(results), {}, {}, std::move(label)};
}

}  // namespace

Program product_program() {
  Program program;
  program.name = "product";
  program.symbols = std::make_shared<ExprPool>();
  const Expr n = program.symbols->add_symbol({.name = "s0", .range = {1, 64}});
  program.lists = {product(n, StorageKind::weight)};
  program.signature.inputs = {buffer(), input("x", contiguous_type(DType::f32, {n, n}))};
  program.signature.outputs = {{OutputKind::user, -1, "y"}};
  return program;
}

Program updating_program() {
  Program program = product_program();
  program.name = "updating";
  LaunchList& list = program.lists[0];
  list.storages[1].kind = StorageKind::input;  // It changes, so that each call passes it.
  PlannedStorage copy = list.storages[2];
  copy.index = 1;
  list.storages.push_back(copy);
  Launch again = list.launches[0];
  std::get<LibraryLaunch>(again.work).results[0].slot.storage = 3;
  again.accesses[2].begin.storage = 3;
  list.launches.push_back(std::move(again));
  TensorSlot second = std::get<TensorSlot>(list.outputs[0]);
  second.slot.storage = 3;
  list.outputs.insert(list.outputs.begin(), second);
  program.signature.outputs.insert(program.signature.outputs.begin(),
                                   {OutputKind::buffer_mutation, 0, "w"});
  return program;
}

Program routine_program() {
  Program program;
  program.name = "routine";
  program.symbols = std::make_shared<ExprPool>();
  ExprPool& pool = *program.symbols;
  const Expr n = pool.add_symbol({.name = "s0", .range = {1, 64}});
  const Expr u =
      pool.add_symbol({.name = "u0", .kind = SymbolKind::data_dependent, .range = {0, 4096}});
  const Expr count = pool.add_symbol({.name = "s1", .range = {0, 10}});
  const Expr inner = pool.add_symbol({.name = "s2", .range = {-1, 10}});
  const TensorType square = contiguous_type(DType::f32, {n, n});
  const HostScalar left{ExprDomain::integer, inner};
  program.lists = {product(n, StorageKind::weight), product(n, StorageKind::input)};
  program.signature.inputs = {buffer(), input("x", square),
                              input("count", HostScalar{ExprDomain::integer, count})};
  program.signature.outputs = {
      {OutputKind::user, -1, ""}, {OutputKind::user, -1, ""}, {OutputKind::user, -1, ""}};
  Routine main;
  main.name = "main";
  main.input_types = {program.signature.inputs[0].type, square, program.signature.inputs[2].type};
  main.input_values = {kNoValue, 0, kNoValue};
  main.defines = {n.symbol(), count.symbol()};
  main.value_count = 4;
  main.steps.push_back(step(ListStep{0, {{kNoValue, 0}, {0, -1}}}, {result(1, square)}, "%1"));
  main.steps.push_back(step(LibraryStep{"nonzero", {ValueRef{1}}},
                            {result(2, contiguous_type(DType::i64, {u, 2}))}, "%2 = nonzero"));
  main.steps.back().defines = {u.symbol()};
  ControlStep loop;
  loop.kind = ControlKind::while_loop;
  loop.routines = {1, 2};
  loop.carried = {ValueRef{1}, count};
  main.steps.push_back(step(loop, {result(3, square), {kNoValue, left, false, kNoValue}}, "%3"));
  main.steps.back().dead = {1};
  main.outputs = {ValueRef{2}, ValueRef{3}, u};
  Routine condition;
  condition.name = "condition";
  condition.input_types = {square, left};
  condition.input_values = {kNoValue, kNoValue};
  condition.defines = {inner.symbol()};
  condition.outputs = {lt(0, inner)};
  Routine body;
  body.name = "body";
  body.input_types = {square, left};
  body.input_values = {0, kNoValue};
  body.defines = {inner.symbol()};
  body.value_count = 2;
  body.steps.push_back(step(ListStep{1, {{0, -1}, {0, -1}}}, {result(1, square)}, "%4"));
  body.outputs = {ValueRef{1}, inner - 1};
  program.routines = {main, condition, body};
  return program;
}

}  // namespace litz::runtime

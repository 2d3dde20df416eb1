#include "small_program.h"

#include "small_list.h"

namespace litz::artifact {
namespace {

LaunchList product(Expr n) {
  const TensorType square = contiguous_type(DType::f32, {n, n});
  const Expr bytes = 4 * n * n;
  LaunchList list;
  list.name = "product";
  list.storages = {{.name = "x", .kind = StorageKind::input, .index = 0, .bytes = bytes},
                   {.name = "w", .kind = StorageKind::weight, .index = 1, .bytes = bytes},
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
  return list;
}

}  // namespace

Program small_program() {
  Program program;
  program.name = "small";
  program.source = "2.15.0";
  program.target = {"avx2", "x86_64-pc-linux-gnu", "+avx2"};
  program.symbols = std::make_shared<ExprPool>();
  const Expr n = program.symbols->add_symbol({.name = "s0", .range = {1, 64}, .hint = 4});
  const Expr u = program.symbols->add_symbol(
      {.name = "u0", .kind = SymbolKind::data_dependent, .range = {0, 64}});
  const TensorType square = contiguous_type(DType::f32, {n, n});
  const TensorType found = contiguous_type(DType::i64, {u, 2});
  program.kernels = small_kernels(n);
  program.kernels[0].digest = digest_of(program.kernels[0], *program.symbols);
  program.lists = {product(n)};
  program.lists[0].symbols = {n.symbol()};
  ProgramInput weight;
  weight.kind = InputKind::parameter;
  weight.label = "layer.weight";
  weight.type = contiguous_type(DType::f32, {3, 3});
  weight.data = Tensor::of<float>(DType::f32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  ProgramInput given;
  given.label = "x";
  given.type = square;
  ProgramInput fixed;
  fixed.kind = InputKind::constant_value;
  fixed.label = "mode";
  fixed.literal = std::string("mean");
  program.signature.inputs = {weight, given, fixed};
  program.signature.outputs = {{OutputKind::user, -1, "y"}, {OutputKind::user, -1, ""}};
  program.signature.guards = {{ne(n, 5), "not five"}};
  const Tensor bytes = Tensor::of<uint8_t>(DType::u8, {4}, {1, 2, 3, 4});
  program.packed = {{.input = 0, .offset = 12, .description = {6, 64, -1}, .data = bytes},
                    {.source = 0, .description = {7}, .data = bytes}};
  Routine main;
  main.name = "main";
  main.input_types = {weight.type, given.type, std::monostate()};
  main.input_values = {kNoValue, 0, kNoValue};
  main.defines = {n.symbol()};
  main.value_count = 4;
  main.steps.push_back({.work = ListStep{0, {{0, -1}, {kNoValue, 0}}},
                        .results = {{1, square, false, kNoValue}},
                        .defines = {},
                        .dead = {},
                        .label = "%1 = aten.mm"});
  main.steps.push_back({.work = LibraryStep{"nonzero", {ValueRef{1}}},
                        .results = {{2, found, false, kNoValue}},
                        .defines = {u.symbol()},
                        .dead = {},
                        .label = "%2 = aten.nonzero"});
  ControlStep choice;
  choice.kind = ControlKind::cond;
  choice.routines = {1, 1};
  choice.predicate = lt(0, u);
  choice.carried = {ValueRef{1}};
  main.steps.push_back({.work = choice,
                        .results = {{3, square, false, kNoValue}},
                        .defines = {},
                        .dead = {1},
                        .label = "%3 = cond"});
  main.outputs = {ValueRef{3}, u};
  Routine child;
  child.name = "same";
  child.input_types = {square};
  child.input_values = {0};
  child.outputs = {ValueRef{0}};
  child.value_count = 1;
  program.routines = {main, child};
  return program;
}

}  // namespace litz::artifact

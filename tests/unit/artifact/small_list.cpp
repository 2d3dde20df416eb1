#include "small_list.h"

namespace litz::artifact {

std::vector<KernelCode> small_kernels(Expr n) {
  const TensorType row = contiguous_type(DType::f32, {n});
  return {{.name = "add",
           .object = std::vector<std::byte>(100),
           .phases = {{.symbol = "add_0", .iterations = n, .grain = 8, .cost = 2 * n}},
           .scalars = {0},
           .checks = {{.text = "index of aten.gather"}},
           .buffers = {{row}, {contiguous_type(DType::f32, {})}, {row, true}}}};
}

LaunchList small_list(Expr n) {
  const Expr bytes = 4 * n;
  const TensorType row = contiguous_type(DType::f32, {n});
  LaunchList list;
  list.name = "small";
  list.storages = {
      {.name = "x", .kind = StorageKind::input, .index = 0, .bytes = bytes},
      {.name = "w", .kind = StorageKind::weight, .index = 3, .bytes = 64},
      {.name = "h", .offset = 0, .bytes = bytes, .first = 0, .last = 1},
      {.name = "g", .offset = bytes, .bytes = bytes, .first = 1, .last = 2},
      {.name = "k", .offset = 0, .bytes = bytes, .first = 2, .last = 3},
      {.name = "y", .kind = StorageKind::output, .index = 0, .bytes = bytes},
  };
  list.arena_bytes = 8 * n;
  list.assertions = {{.condition = le(n, 32), .message = "n is small"}};
  list.launches = {
      {.work = KernelLaunch{.kernel = 0, .buffers = {{0, 0}, {1, 16}, {2, 0}}, .scalars = {n}},
       .accesses = {{{0, 0}, bytes, false}, {{1, 16}, 4, false}, {{2, 0}, bytes, true}},
       .label = "%3 = aten.add"},
      {.work = LibraryLaunch{.function = "aten.sort",
                             .arguments = {TensorSlot{{2, 0}, row}, std::monostate(), Expr(-1),
                                           Expr::boolean(true), std::vector<Expr>{1, 2},
                                           std::vector<TensorSlot>{TensorSlot{{1, 0}, row}, {}},
                                           std::string("linear"), DType::i64},
                             .results = {{{3, 0}, row}, {}}},
       .accesses = {{{2, 0}, bytes, false}, {{3, 0}, bytes, true}}},
      {.work = CallLaunch{.call = 7, .buffers = {{{3, 0}, row}, {{4, 0}, row}}},
       .accesses = {{{3, 0}, bytes, false}, {{4, 0}, bytes, true}}},
      {.work = CopyLaunch{.to = {5, 0}, .from = {4, 0}, .bytes = bytes},
       .accesses = {{{4, 0}, bytes, false}, {{5, 0}, bytes, true}}},
  };
  list.outputs = {TensorSlot{{5, 0}, row}, n + 1, std::monostate(), std::string("done")};
  return list;
}

}  // namespace litz::artifact

// Collectives: what the ranks of a group compute together (distributed/).
//
// A collective starts and returns at once; `wait_tensor` makes its result readable. Forms that write
// an operand do so between the start and the wait. Sizes follow from the operand and the size of the
// group, which a program states where they depend on it.

#include <algorithm>
#include <array>
#include <optional>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Trait;

void require_reduction(const Call& call) {
  constexpr std::array kReductions{"sum"sv, "avg"sv,  "product"sv, "min"sv,
                                   "max"sv, "band"sv, "bor"sv,     "bxor"sv};
  const std::string_view name = call.str("reduce_op");
  require(std::ranges::find(kReductions, name) != kReductions.end(), ErrorCode::unsupported,
          "collective C1: reduce_op must be sum, avg, product, min, max, band, bor or bxor:", name);
}

Expr group_size(const Call& call) {
  const int64_t size = call.integer("group_size");
  require(size > 0, "collective C2: a group must have ranks:", size);
  return size;
}

TensorType with_rows(const TensorType& operand, Expr rows) {
  Sizes sizes = operand.sizes;
  sizes[0] = rows;
  return contiguous_type(operand.dtype, std::move(sizes), operand.device);
}

TensorType gathered(const TensorType& operand, Expr ranks) {
  if (operand.rank() == 0) return contiguous_type(operand.dtype, {ranks}, operand.device);
  return with_rows(operand, operand.sizes[0] * ranks);
}

TensorType all_gather_meta(const Call& call) {
  return gathered(call.type("input"), group_size(call));
}

TensorType scattered(const Call& call, const TensorType& operand) {
  require_reduction(call);
  const Expr ranks = group_size(call);
  require(operand.rank() > 0, "collective C3: what is scattered must have rows:", operand);
  call.require_sizes(eq(mod(operand.sizes[0], ranks), 0),
                     "collective C3: every rank must get as many rows:", operand, ranks);
  return with_rows(operand, floor_div(operand.sizes[0], ranks));
}

TensorType reduce_scatter_meta(const Call& call) { return scattered(call, call.type("input")); }

TensorType contiguous(const TensorType& operand) {
  return contiguous_type(operand.dtype, operand.sizes, operand.device);
}

TensorType all_reduce_meta(const Call& call) {
  require_reduction(call);
  return contiguous(call.type("input"));
}

TensorType empty_like(const TensorType& operand) {
  return preserved_type(operand.dtype, operand, std::nullopt);
}

TensorType broadcast_meta(const Call& call) { return empty_like(call.type("input")); }

Types all_gather_list_meta(const Call& call) {
  Types types;
  for (const TensorType& operand : call.types("inputs")) {
    types.emplace_back(gathered(operand, group_size(call)));
  }
  return types;
}

Types reduce_scatter_list_meta(const Call& call) {
  Types types;
  for (const TensorType& operand : call.types("inputs")) {
    types.emplace_back(scattered(call, operand));
  }
  return types;
}

Types all_reduce_list_meta(const Call& call) {
  require_reduction(call);
  Types types;
  for (const TensorType& operand : call.types("inputs")) {
    types.emplace_back(empty_like(operand));
  }
  return types;
}

// Numbers of rows may come from data, which the call itself then checks.
TensorType all_to_all_meta(const Call& call) {
  const TensorType& operand = call.type("input");
  require(operand.rank() > 0, "collective C4: what is exchanged must have rows:", operand);
  const Sizes received = call.sizes("output_split_sizes");
  Expr rows = 0;
  for (const Expr count : received) {
    call.require_sizes(le(0, count), "collective C4: numbers of rows must not be negative:", count);
    rows = rows + count;
  }
  return with_rows(operand, rows);
}

TensorType send_meta(const Call& call) {
  const TensorType& operand = call.type("tensor");
  return contiguous_type(operand.dtype, {0}, operand.device);
}

TensorType receive_meta(const Call& call) { return empty_like(call.type("tensor")); }

TensorType wait_meta(const Call& call) { return empty_like(call.type("tensor")); }

// In place: the operands themselves.
Types written_list_meta(const Call& call) {
  require_reduction(call);
  Types types;
  for (const TensorType& operand : call.types("inputs")) types.emplace_back(operand);
  return types;
}

TensorType written(const TensorType& out, const TensorType& result) {
  require(out.dtype == result.dtype && may_be_same_sizes(out.sizes, result.sizes),
          "collective C5: out must have the type of the result:", out, result);
  return out;
}

TensorType written_gather_meta(const Call& call) {
  return written(call.type("out"), all_gather_meta(call));
}

TensorType written_scatter_meta(const Call& call) {
  return written(call.type("out"), reduce_scatter_meta(call));
}

const ir::Strings& strings(const Call& call, std::string_view name) {
  const ir::Argument& argument = call.argument(name);
  const auto* texts =
      argument.is_attribute() ? std::get_if<ir::Strings>(&argument.attribute()) : nullptr;
  require(texts != nullptr, "collective C6: the kinds of transfers must be texts:", name);
  return *texts;
}

/// A transfer of each tensor, by its kind.
std::vector<ir::Value> transfer_nodes(DecomposeCall& call) {
  const ir::Strings& kinds = strings(call, "op_list");
  const std::vector<int64_t> peers = call.integers("peer_list");
  const std::vector<int64_t> tags = call.integers("tag_list");
  const std::span<const ir::Value> tensors = call.values("tensors");
  require(kinds.size() == tensors.size() && peers.size() == tensors.size() &&
              tags.size() == tensors.size(),
          "collective C6: every transfer must have a kind, a peer and a tag:", tensors.size());
  std::vector<ir::Value> results;
  for (size_t i = 0; i < tensors.size(); ++i) {
    require(kinds[i] == "isend" || kinds[i] == "irecv",
            "collective C6: a transfer must be isend or irecv:", kinds[i]);
    results.push_back(
        call.graph()
            .create("_c10d_functional." + kinds[i],
                    {tensors[i], Expr(peers[i]), Expr(tags[i]), call.pass("group_name")})
            ->output());
  }
  return results;
}

/// Elements of all tensors, those for the first receiver first.
TensorType pack_meta(const Call& call) {
  const std::vector<TensorType> types = call.types("tensors");
  const Expr rows = call.expr("rows");
  require(!types.empty(), "pack C7: there must be a tensor");
  Expr total = 0;
  for (const TensorType& type : types) {
    require(rows.is(1) || type.rank() > 0, "pack C7: what is divided must have rows:", type);
    if (!rows.is(1)) {
      call.require_sizes(eq(mod(type.sizes[0], rows), 0),
                         "pack C7: every receiver must get as many rows:", type, rows);
    }
    total = total + type.numel();
  }
  return contiguous_type(*call.dtype(), {total}, types.front().device);
}

void pack(NestCall& call) {
  const std::vector<TensorType> types = call.types("tensors");
  const Expr rows = call.expr("rows");
  const Expr length = floor_div(call.result().sizes[0], rows);
  Expr start = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    Sizes sizes = types[i].sizes;
    if (rows.is(1)) {
      sizes.insert(sizes.begin(), 1);
    } else {
      const Expr share = floor_div(sizes[0], rows);
      sizes[0] = share;
      sizes.insert(sizes.begin(), rows);
    }
    call.builder().loop(sizes, [&](loops::Exprs index) {
      std::vector<Expr> source(index.begin() + 1, index.end());
      if (!rows.is(1)) source[0] = source[0] + index[0] * sizes[1];
      Expr place = 0;
      for (size_t d = 1; d < sizes.size(); ++d) place = place * sizes[d] + index[d];
      const loops::Scalar value = call.builder().load(call.in("tensors", i), source);
      const std::array target{index[0] * length + start + place};
      call.builder().store(call.out(), target, call.builder().cast(value, call.result().dtype));
    });
    start = start + floor_div(types[i].numel(), rows);
  }
}

constexpr OpDef start(ir::SchemaText schema, std::string_view doc, Meta meta,
                      std::string_view function, std::span<const std::string_view> calls = {},
                      bool inplace = false) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Library{function},
          .traits = Trait::collective_start,
          .inplace = inplace,
          .inplace_exact = inplace,
          .samples = {.calls = calls}};
}

/// A form that writes operands, for the functional one that it names.
constexpr OpDef writer(ir::SchemaText schema, std::string_view doc, Meta meta,
                       std::string_view functional) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Structural{},
          .traits = Trait::collective_start,
          .stands_for = functional};
}

/// The form that PyTorch differentiates.
constexpr OpDef differentiable(ir::SchemaText schema, std::string_view plain,
                               std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "The operator of that name in _c10d_functional, with a derivative.",
          .meta = other_types,
          .impl = Decompose{other_nodes},
          .traits = Trait::collective_start,
          .stands_for = plain,
          .samples = {.calls = calls}};
}

// Samples run in a group of one rank.
constexpr std::array kGatherCalls{"(f32[2, 3], 1, '0')"sv, "(i64[s0], 1, '0')"sv};
constexpr std::array kGatherListCalls{"([f32[2, 3], bf16[4]], 1, '0')"sv};
constexpr std::array kReduceCalls{"(f32[2, 3]{1, 2}, 'sum', '0')"sv, "(i64[s0], 'max', '0')"sv};
constexpr std::array kReduceListCalls{"([f32[2, 3], f32[4]], 'sum', '0')"sv};
constexpr std::array kExchangeCalls{"(f32[4, 3], [4], [4], '0')"sv, "(i64[s0], [s0], [s0], '0')"sv};
constexpr std::array kBroadcastCalls{"(f32[2, 3], 0, '0')"sv};
constexpr std::array kTransferCalls{"([], [], [], [], '0')"sv};  // One rank has no peer.
constexpr std::array kPeerCalls{"(f32[2, 3], 0, 0, '0')"sv};  // Refused when run: the rank itself.
constexpr std::array kScatterCalls{"(f32[4, 3], 'sum', 1, '0')"sv};
constexpr std::array kScatterListCalls{"([f32[4, 3], f32[2]], 'sum', 1, '0')"sv};

constexpr std::array kPackCalls{"([f32[2, 3], f32[4]], 1, f32)"sv,
                                "([f32[4, 3]{1, 4}, f16[s0], f32[2]], 1, bf16)"sv,
                                "([f32[4, 3], i64[2, 2]], 2, f32)"sv};

constexpr std::array kOps{
    start("_c10d_functional.all_gather_into_tensor(Tensor input, int group_size, str group_name) "
          "-> Tensor",
          "Starts to gather the operands of all ranks along the first dimension.\n"
          "C2: a group has ranks.",
          all_gather_meta, "all_gather", kGatherCalls),
    start("_c10d_functional.all_gather_into_tensor_coalesced(Tensor[] inputs, int group_size, str "
          "group_name) -> Tensor[]",
          "all_gather_into_tensor of several tensors at once.\nC2: a group has ranks.",
          all_gather_list_meta, "all_gather", kGatherListCalls),
    writer("_c10d_functional.all_gather_into_tensor_out(Tensor input, int group_size, str "
           "group_name, *, Tensor(a!) out) -> Tensor(a!)",
           "all_gather_into_tensor to given memory.\n"
           "C2: a group has ranks. C5: out has the type of the result.",
           written_gather_meta, "_c10d_functional.all_gather_into_tensor"),
    start("_c10d_functional.all_reduce(Tensor input, str reduce_op, str group_name) -> Tensor",
          "Starts to reduce the operands of all ranks, elementwise.\n"
          "C1: reduce_op is sum, avg, product, min, max, band, bor or bxor.",
          all_reduce_meta, "all_reduce", kReduceCalls, true),
    start("_c10d_functional.all_reduce_coalesced(Tensor[] inputs, str reduce_op, str group_name) "
          "-> Tensor[]",
          "all_reduce of several tensors at once.\nC1: reduce_op is one of all_reduce's.",
          all_reduce_list_meta, "all_reduce", kReduceListCalls),
    writer("_c10d_functional.all_reduce_coalesced_(Tensor(a!)[] inputs, str reduce_op, str "
           "group_name) -> Tensor(a!)[]",
           "all_reduce of several tensors at once, in place.\n"
           "C1: reduce_op is one of all_reduce's.",
           written_list_meta, "_c10d_functional.all_reduce_coalesced"),
    start("_c10d_functional.all_to_all_single(Tensor input, SymInt[] output_split_sizes, SymInt[] "
          "input_split_sizes, str group_name) -> Tensor",
          "Starts to send rows to every rank and to receive rows from every rank.\n"
          "C4: tensors have rows, in numbers that are not negative.",
          all_to_all_meta, "all_to_all", kExchangeCalls),
    OpDef{.schema =
              "_c10d_functional.batch_p2p_ops(str[] op_list, int[] peer_list, int[] tag_list, "
              "Tensor[] tensors, str group_name) -> Tensor[]",
          .doc = "isend or irecv of each tensor.\n"
                 "C6: every tensor has a kind, isend or irecv, a peer and a tag.",
          .meta = decomposed_types,
          .impl = Decompose{transfer_nodes},
          .traits = Trait::collective_start,
          .samples = {.calls = kTransferCalls}},
    start("_c10d_functional.broadcast(Tensor input, int src, str group_name) -> Tensor",
          "Starts to give the operand of one rank to all ranks.", broadcast_meta, "broadcast",
          kBroadcastCalls, true),
    start("_c10d_functional.irecv(Tensor tensor, int src, int tag, str group_name) -> Tensor",
          "Starts to receive a tensor of the operand's type from a rank.", receive_meta, "receive",
          kPeerCalls),
    start(
        "_c10d_functional.isend(Tensor tensor, int dst, int tag, str group_name) -> Tensor",
        "Starts to send a tensor to a rank; the result is empty, and waiting for it waits for the "
        "transfer.",
        send_meta, "send", kPeerCalls),
    start(
        "_c10d_functional.reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, str "
        "group_name) -> Tensor",
        "Starts to reduce the operands of all ranks, elementwise, and to give every rank its part "
        "along the first dimension.\n"
        "C1: reduce_op is one of all_reduce's. C2: a group has ranks. C3: ranks get equal parts.",
        reduce_scatter_meta, "reduce_scatter", kScatterCalls),
    start("_c10d_functional.reduce_scatter_tensor_coalesced(Tensor[] inputs, str reduce_op, int "
          "group_size, str group_name) -> Tensor[]",
          "reduce_scatter_tensor of several tensors at once.\n"
          "C1: reduce_op is one of all_reduce's. C2: a group has ranks. C3: ranks get equal parts.",
          reduce_scatter_list_meta, "reduce_scatter", kScatterListCalls),
    writer("_c10d_functional.reduce_scatter_tensor_out(Tensor input, str reduce_op, int "
           "group_size, str group_name, *, Tensor(a!) out) -> Tensor(a!)",
           "reduce_scatter_tensor to given memory.\n"
           "C1: reduce_op is one of all_reduce's. C2: a group has ranks. C3: ranks get equal "
           "parts. C5: out has the type of the result.",
           written_scatter_meta, "_c10d_functional.reduce_scatter_tensor"),
    OpDef{.schema = "_c10d_functional.wait_tensor(Tensor tensor) -> Tensor",
          .doc = "The result of a collective, once it is there.",
          .meta = wait_meta,
          .impl = Library{"wait"},
          .traits = Trait::collective_wait},
    OpDef{.schema = "_c10d_functional.wait_tensors(Tensor[] tensors) -> Tensor[]",
          .doc = "wait_tensor of each tensor.\nC1: lists are of one length, and not empty.",
          .meta = each_types,
          .impl = Decompose{each_nodes},
          .traits = Trait::collective_wait,
          .stands_for = "_c10d_functional.wait_tensor"},
    differentiable("_c10d_functional_autograd.all_gather_into_tensor(Tensor input, int group_size, "
                   "str group_name) -> Tensor",
                   "_c10d_functional.all_gather_into_tensor", kGatherCalls),
    differentiable("_c10d_functional_autograd.all_to_all_single(Tensor input, SymInt[] "
                   "output_split_sizes, SymInt[] input_split_sizes, str group_name) -> Tensor",
                   "_c10d_functional.all_to_all_single", kExchangeCalls),
    differentiable(
        "_c10d_functional_autograd.reduce_scatter_tensor(Tensor input, str reduce_op, int "
        "group_size, str group_name) -> Tensor",
        "_c10d_functional.reduce_scatter_tensor", kScatterCalls),
    OpDef{.schema = "litz.pack(Tensor[] tensors, SymInt rows, ScalarType dtype) -> Tensor",
          .doc = "The elements of several tensors, converted: row 0 of all, then row 1, and so on, "
                 "of as many rows as the tensors are divided into.\n"
                 "C7: there is a tensor, and its first dimension can be divided.",
          .meta = pack_meta,
          .impl = LoopNest{pack},
          .samples = {.calls = kPackCalls}},
};

}  // namespace

std::span<const OpDef> collective_ops() { return kOps; }

}  // namespace litz::ops

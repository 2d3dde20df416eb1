// One collective as one rank starts it, and what the ranks of a group compute together.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "types/tensor.h"

namespace litz::distributed {

enum class CollectiveKind : uint8_t {
  all_gather,      ///< The operands of all ranks, one after the other along dimension 0.
  all_reduce,      ///< The reduction of the operands of all ranks.
  all_to_all,      ///< Rows of every rank's operand, by receiver.
  broadcast,       ///< The operand of rank `peer`.
  receive,         ///< The operand that rank `peer` sends to this one.
  reduce_scatter,  ///< This rank's part, along dimension 0, of the reduction.
  send,            ///< To rank `peer`.
};

std::string_view name(CollectiveKind kind);

enum class Reduction : uint8_t { sum, avg, product, min, max, bit_and, bit_or, bit_xor };

/// The reduction of PyTorch's name ("sum", "avg", "product", "min", "max", "band", "bor", "bxor");
/// throws Error{unsupported} for others.
Reduction parse_reduction(std::string_view text);
/// PyTorch's name.
std::string_view name(Reduction reduction);

/// Ranks are positions in the group. Operands must not be written, nor results read or written,
/// before the collective is waited for.
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string group;
  std::optional<int64_t> group_size;  ///< As the program states it.
  Reduction reduction = Reduction::sum;
  int64_t peer = 0;  ///< broadcast, send, receive.
  int64_t tag = 0;   ///< send, receive: pairs have equal tags.
  /// all_to_all: rows for each rank, and from each rank.
  std::vector<int64_t> sent;
  std::vector<int64_t> received;
  std::vector<Tensor> operands;  ///< Several are one coalesced collective.
  std::vector<Tensor> results;   ///< One per operand; all_reduce, broadcast: may be the operand.
};

/// What must be the same on all ranks of a group, for messages: "all_reduce sum of f32[2, 3]".
std::string signature(const Collective& collective);

/// The rows of dimension 0 from `begin`. Throws Error for rows that it lacks.
Tensor rows(const Tensor& tensor, int64_t begin, int64_t count);

/// all_to_all: `stated` rows for each rank or from each rank, equal shares of the tensor if there
/// are none. Throws Error unless there is one number for each rank.
std::vector<int64_t> row_shares(const std::vector<int64_t>& stated, const Tensor& tensor,
                                size_t ranks);

/// Reduces tensors of equal types, from the first to the last, into new memory. Throws Error for
/// reductions that the dtype cannot have.
Tensor reduced(std::span<const Tensor> terms, Reduction reduction);

/// Computes the results of all ranks of a group, given by rank. Reductions go from rank 0 to the
/// last, so that sums are the same in every run; halves are summed in f32 and rounded once. The
/// signatures must be equal. Throws Error for operands that the kind or the reduction cannot have.
void combine(std::span<const Collective* const> ranks);

/// Copies what is sent; requires equal types.
void transfer(const Collective& send, const Collective& receive);

}  // namespace litz::distributed

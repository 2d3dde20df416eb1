#include "distributed/mpi/posted_collective.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "support/check.h"

namespace litz::distributed::mpi {
namespace {

/// Below, one stage with all operands takes less time than two with slices.
constexpr int64_t kSmallBytes = 16384;

int64_t bytes_of(const Tensor& tensor) { return tensor.numel() * item_size(tensor.dtype()); }

Tensor flat(const Tensor& contiguous) {
  return contiguous.view({contiguous.numel()}, {1}, contiguous.offset());
}

/// MPI counts rows in an int.
std::vector<int> counts(const std::vector<int64_t>& rows) {
  std::vector<int> counts;
  int64_t sum = 0;
  for (const int64_t each : rows) {
    sum += each;
    require(each >= 0 && sum <= std::numeric_limits<int>::max(), ErrorCode::limit_exceeded,
            "all_to_all over MPI must move less than 2^31 rows, and no negative numbers:", each);
    counts.push_back(static_cast<int>(each));
  }
  return counts;
}

void fill(Tensor& result, const Tensor& elements) {
  require(elements.numel() == result.numel() && elements.dtype() == result.dtype(),
          "a collective must have results for all elements:", to_string(result), elements.numel());
  result.copy_from(elements.view(result.sizes(), contiguous_strides(result.sizes()), 0));
}

bool shares_memory(const Tensor& a, const Tensor& b) { return a.storage() == b.storage(); }

}  // namespace

void require_mpi(const MpiFunctions& functions, int code, const std::string& doing) {
  if (code == 0) return;
  char text[256] = {};
  functions.error_text(code, text, sizeof text);
  fail(ErrorCode::io, "MPI must do its part;", doing + ":", text);
}

PostedCollective::PostedCollective(const MpiFunctions& functions, const Channels& channels,
                                   Collective collective)
    : functions_(functions),
      channels_(channels),
      collective_(std::move(collective)),
      parts_(collective_.operands.size()) {}

void PostedCollective::begin() {
  for (size_t i = 0; i < parts_.size(); ++i) post(i);
}

void PostedCollective::require_success(int code) const {
  require_mpi(functions_, code, signature(collective_));
}

Request* PostedCollective::add_request() { return &requests_.emplace_back(nullptr); }

/// Operands that a result overlaps are copied: MPI must not read what it writes.
Tensor PostedCollective::to_send(size_t i) const {
  const Tensor& operand = collective_.operands[i];
  const bool overlaps = std::ranges::any_of(
      collective_.results, [&](const Tensor& result) { return shares_memory(result, operand); });
  return overlaps ? operand.clone() : operand.contiguous();
}

Tensor PostedCollective::to_receive(size_t i) const {
  const Tensor& result = collective_.results[i];
  return result.is_contiguous() ? result : Tensor::empty(result.dtype(), result.sizes());
}

void PostedCollective::post(size_t i) {
  Part& part = parts_[i];
  const auto peer = static_cast<int>(collective_.peer);
  constexpr int64_t kMostTag = 32767;  // MPI promises no more.
  require(collective_.tag >= 0 && collective_.tag <= kMostTag, ErrorCode::limit_exceeded,
          "a tag over MPI must be a number up to 32767:", collective_.tag);
  const auto tag = static_cast<int>(collective_.tag);
  switch (collective_.kind) {
    case CollectiveKind::all_gather:
      return post_gather(part, i);
    case CollectiveKind::all_reduce:
      return post_reduction(part, i);
    case CollectiveKind::all_to_all:
      return post_exchange(part, i);
    case CollectiveKind::broadcast:
      return post_broadcast(part, i);
    case CollectiveKind::reduce_scatter:
      return post_scatter(part, i);
    case CollectiveKind::receive:
      part.received = to_receive(i);
      return require_success(functions_.receive(channels_.first, part.received.mutable_data(),
                                                bytes_of(part.received), peer, tag, add_request()));
    case CollectiveKind::send:
      part.sent = to_send(i);
      return require_success(functions_.send(channels_.first, part.sent.data(), bytes_of(part.sent),
                                             peer, tag, add_request()));
  }
}

void PostedCollective::post_gather(Part& part, size_t i) {
  part.sent = to_send(i);
  part.received = to_receive(i);
  require(part.received.numel() == part.sent.numel() * static_cast<int64_t>(channels_.ranks) &&
              part.received.dtype() == part.sent.dtype(),
          "all_gather must have a result for all operands:", to_string(part.sent),
          to_string(part.received));
  require_success(functions_.all_gather(channels_.first, part.sent.data(),
                                        part.received.mutable_data(), bytes_of(part.sent),
                                        add_request()));
}

void PostedCollective::post_reduction(Part& part, size_t i) {
  const auto ranks = static_cast<int64_t>(channels_.ranks);
  part.sent = flat(to_send(i));
  const DType dtype = part.sent.dtype();
  const int64_t numel = part.sent.numel();
  if (bytes_of(part.sent) <= kSmallBytes) {
    part.received = Tensor::empty(dtype, {ranks, numel});
    return require_success(functions_.all_gather(channels_.first, part.sent.data(),
                                                 part.received.mutable_data(), bytes_of(part.sent),
                                                 add_request()));
  }
  has_second_stage_ = part.is_sliced = true;
  const int64_t slice = (numel + ranks - 1) / ranks;
  if (slice * ranks != numel) {
    const Tensor padded = Tensor::zeros(dtype, {slice * ranks});
    rows(padded, 0, numel).copy_from(part.sent);
    part.sent = padded;
  }
  part.received = Tensor::empty(dtype, {ranks, slice});
  require_success(functions_.all_to_all(channels_.first, part.sent.data(),
                                        part.received.mutable_data(), slice * item_size(dtype),
                                        add_request()));
}

void PostedCollective::post_scatter(Part& part, size_t i) {
  const auto ranks = static_cast<int64_t>(channels_.ranks);
  const Tensor& operand = collective_.operands[i];
  require(operand.rank() > 0 && operand.sizes()[0] % ranks == 0,
          "reduce_scatter must have as many rows for every rank:", signature(collective_), ranks);
  part.sent = flat(to_send(i));
  part.received = Tensor::empty(operand.dtype(), {ranks, part.sent.numel() / ranks});
  require_success(functions_.all_to_all(channels_.first, part.sent.data(),
                                        part.received.mutable_data(), bytes_of(part.sent) / ranks,
                                        add_request()));
}

void PostedCollective::post_exchange(Part& part, size_t i) {
  part.sent = to_send(i);
  part.received = to_receive(i);
  const auto sent = row_shares(collective_.sent, part.sent, channels_.ranks);
  const auto received = row_shares(collective_.received, part.received, channels_.ranks);
  int64_t row = item_size(part.sent.dtype());
  for (size_t d = 1; d < part.sent.rank(); ++d) row *= part.sent.sizes()[d];
  const std::vector<int> sent_counts = counts(sent);
  const std::vector<int> received_counts = counts(received);
  // Throws for rows that the tensors lack.
  for (const auto& [tensor, all] : {std::pair{&part.sent, &sent}, {&part.received, &received}}) {
    int64_t sum = 0;
    for (const int64_t each : *all) sum += each;
    rows(*tensor, 0, sum);
  }
  require_success(functions_.all_to_all_rows(channels_.first, part.sent.data(), sent_counts.data(),
                                             part.received.mutable_data(), received_counts.data(),
                                             row, add_request()));
}

void PostedCollective::post_broadcast(Part& part, size_t i) {
  require(collective_.peer >= 0 && collective_.peer < static_cast<int64_t>(channels_.ranks),
          "broadcast must come from a rank of the group:", collective_.peer, channels_.ranks);
  part.received = to_receive(i);
  if (collective_.peer == static_cast<int64_t>(channels_.own)) {
    part.received.copy_from(collective_.operands[i].clone());
  }
  require_success(functions_.broadcast(channels_.first, part.received.mutable_data(),
                                       bytes_of(part.received), static_cast<int>(collective_.peer),
                                       add_request()));
}

bool PostedCollective::has_arrived() {
  while (!requests_.empty()) {
    int is_done = 0;
    require_success(functions_.test(requests_.back(), &is_done));
    if (is_done == 0) return false;
    requests_.pop_back();
  }
  return true;
}

Tensor PostedCollective::reduced_terms(const Part& part) const {
  std::vector<Tensor> terms;
  const std::vector<int64_t>& sizes = part.received.sizes();
  for (int64_t rank = 0; rank < sizes[0]; ++rank) {
    terms.push_back(part.received.view({sizes[1]}, {1}, part.received.offset() + rank * sizes[1]));
  }
  return reduced(terms, collective_.reduction);
}

void PostedCollective::begin_second_stage() {
  has_second_stage_ = false;
  for (Part& part : parts_) {
    if (!part.is_sliced) continue;
    part.sent = reduced_terms(part);
    part.whole = Tensor::empty(part.sent.dtype(), {part.received.numel()});
    require_success(functions_.all_gather(channels_.second, part.sent.data(),
                                          part.whole.mutable_data(), bytes_of(part.sent),
                                          add_request()));
  }
}

void PostedCollective::fill_results() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (collective_.kind == CollectiveKind::send) continue;
    Tensor result = collective_.results[i];
    if (part.is_sliced) {
      fill(result, rows(part.whole, 0, result.numel()));
    } else if (collective_.kind == CollectiveKind::all_reduce ||
               collective_.kind == CollectiveKind::reduce_scatter) {
      fill(result, reduced_terms(part));
    } else if (!shares_memory(part.received, result)) {
      result.copy_from(part.received);
    }
  }
}

}  // namespace litz::distributed::mpi

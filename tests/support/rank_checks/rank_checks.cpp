#include "rank_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "support/check.h"
#include "types/fill.h"

namespace litz::testing_ranks {
namespace {

using distributed::Collective;
using distributed::CollectiveKind;
using distributed::Reduction;

class Checker {
 public:
  Checker(distributed::Communicator& rank, const RankChecks& checks)
      : rank_(rank), checks_(checks), ranks_(rank.group_size(checks.group)) {}

  RankOutcome run() {
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      const std::vector<DType>& chosen = checks_.dtypes;
      if (chosen.empty() || std::ranges::count(chosen, dtype) > 0) check_dtype(dtype);
    }
    return std::move(outcome_);
  }

 private:
  using Describe = std::function<Collective(int64_t rank)>;

  /// Differs by rank, place and dtype; sums of floats are rounded.
  Tensor operand(DType dtype, std::vector<int64_t> sizes, int64_t rank) {
    const auto seed = static_cast<uint64_t>(1000 * rank) + static_cast<uint64_t>(outcome_.checked);
    if (is_floating(dtype) || is_complex(dtype)) {
      return fill_floats(dtype, std::move(sizes), seed, 3, 0.5);
    }
    return fill_integers(dtype, std::move(sizes), seed, dtype == DType::bool_ ? 2 : 100);
  }

  Collective described(CollectiveKind kind, DType dtype, std::vector<int64_t> sizes,
                       std::vector<int64_t> result, int64_t rank) {
    Collective collective{.kind = kind, .group = checks_.group};
    collective.operands = {operand(dtype, std::move(sizes), rank)};
    collective.results = {Tensor::zeros(dtype, std::move(result))};
    return collective;
  }

  void check_dtype(DType dtype) {
    const auto ranks = static_cast<int64_t>(ranks_);
    const int64_t rows = checks_.rows;
    const int64_t columns = checks_.columns;
    check([&](int64_t rank) {
      return described(CollectiveKind::all_gather, dtype, {rows, columns}, {ranks * rows, columns},
                       rank);
    });
    check([&](int64_t rank) {
      return described(CollectiveKind::all_gather, dtype, {}, {ranks}, rank);
    });
    for (int64_t root = 0; root < ranks; ++root) {
      check([&](int64_t rank) {
        Collective collective =
            described(CollectiveKind::broadcast, dtype, {rows, columns}, {rows, columns}, rank);
        collective.peer = root;
        return collective;
      });
    }
    check_exchanges(dtype);
    for (int i = 0; i <= static_cast<int>(Reduction::bit_xor); ++i) {
      check_reduction(dtype, static_cast<Reduction>(i));
    }
    check_transfers(dtype);
  }

  void check_exchanges(DType dtype) {
    const auto ranks = static_cast<int64_t>(ranks_);
    const int64_t columns = checks_.columns;
    check([&](int64_t rank) {
      return described(CollectiveKind::all_to_all, dtype, {2 * ranks, columns},
                       {2 * ranks, columns}, rank);
    });
    // Rank i sends (i + j) % 3 rows to rank j; some send none.
    check([&](int64_t rank) {
      std::vector<int64_t> rows;
      int64_t sum = 0;
      for (int64_t other = 0; other < ranks; ++other) {
        rows.push_back((rank + other) % 3);
        sum += rows.back();
      }
      Collective collective =
          described(CollectiveKind::all_to_all, dtype, {sum, columns}, {sum, columns}, rank);
      collective.sent = rows;
      collective.received = rows;
      return collective;
    });
  }

  void check_reduction(DType dtype, Reduction reduction) {
    const auto ranks = static_cast<int64_t>(ranks_);
    const int64_t rows = checks_.rows;
    const int64_t columns = checks_.columns;
    const auto reducing = [&](Collective collective) {
      collective.reduction = reduction;
      return collective;
    };
    check([&](int64_t rank) {
      return reducing(
          described(CollectiveKind::all_reduce, dtype, {rows, columns}, {rows, columns}, rank));
    });
    check([&](int64_t rank) {
      return reducing(described(CollectiveKind::reduce_scatter, dtype, {rows * ranks, columns},
                                {rows, columns}, rank));
    });
    // A coalesced one; the first result is its operand.
    check([&](int64_t rank) {
      Collective collective =
          reducing(described(CollectiveKind::all_reduce, dtype, {rows}, {rows}, rank));
      collective.results = collective.operands;
      collective.operands.push_back(operand(dtype, {columns, rows}, rank + 7));
      collective.results.push_back(Tensor::zeros(dtype, {columns, rows}));
      return collective;
    });
  }

  /// Ranks in pairs; an odd one stays alone.
  void check_transfers(DType dtype) {
    const int64_t own = own_position();
    const int64_t peer = own ^ 1;
    ++outcome_.checked;
    if (peer >= static_cast<int64_t>(ranks_)) return;
    const std::vector<int64_t> sizes{checks_.rows, checks_.columns};
    Collective sent{.kind = CollectiveKind::send, .group = checks_.group, .peer = peer, .tag = 3};
    sent.operands = {placed(operand(dtype, sizes, own))};
    sent.results = sent.operands;
    Collective got{.kind = CollectiveKind::receive, .group = checks_.group, .peer = peer, .tag = 3};
    got.operands = {placed(Tensor::zeros(dtype, sizes))};
    got.results = got.operands;
    const Tensor result = got.results[0];
    const Tensor sending = sent.results[0];
    const std::string text = distributed::signature(sent);
    // Who sends first and who receives first must not matter to an engine that starts at once.
    if (own < peer) {
      rank_.start(std::move(sent));
      rank_.start(std::move(got));
    } else {
      rank_.start(std::move(got));
      rank_.start(std::move(sent));
    }
    rank_.wait(result);
    rank_.wait(sending);
    compare(text, operand(dtype, sizes, peer), from_device(result));
  }

  int64_t own_position() {
    Collective collective{.kind = CollectiveKind::all_gather, .group = checks_.group};
    collective.operands = {placed(Tensor::scalar_int(DType::i64, rank_.rank()))};
    collective.results = {placed(Tensor::zeros(DType::i64, {static_cast<int64_t>(ranks_)}))};
    const Tensor result = collective.results[0];
    rank_.start(std::move(collective));
    rank_.wait(result);
    const Tensor ranks = from_device(result);
    for (int64_t i = 0; i < ranks.numel(); ++i) {
      if (ranks.int_at({i}) == rank_.rank()) return i;
    }
    return -1;
  }

  Tensor placed(const Tensor& tensor) const {
    return checks_.to_device ? checks_.to_device(tensor) : tensor;
  }

  Tensor from_device(const Tensor& tensor) const {
    return checks_.to_host ? checks_.to_host(tensor) : tensor;
  }

  void check(const Describe& describe) {
    std::vector<Collective> all;
    std::vector<const Collective*> pointers;
    for (size_t i = 0; i < ranks_; ++i) all.push_back(describe(static_cast<int64_t>(i)));
    const auto position =
        static_cast<size_t>(position_ < 0 ? position_ = own_position() : position_);
    Collective own = describe(static_cast<int64_t>(position));
    for (const Collective& each : all) pointers.push_back(&each);
    const std::string text = distributed::signature(own);
    ++outcome_.checked;
    try {
      distributed::combine(pointers);
    } catch (const Error&) {
      return;  // No engine has to.
    }
    std::vector<Tensor> operands;
    for (Tensor& operand : own.operands) operands.push_back(placed(operand));
    for (size_t i = 0; i < own.results.size(); ++i) {
      const bool is_operand = own.results[i].storage() == own.operands[i].storage();
      own.results[i] = is_operand ? operands[i] : placed(own.results[i]);
    }
    own.operands = operands;
    const std::vector<Tensor> results = own.results;
    try {
      rank_.start(std::move(own));
      for (const Tensor& result : results) rank_.wait(result);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      outcome_.refused.push_back(text);
      return;
    }
    for (size_t i = 0; i < results.size(); ++i) {
      compare(text, all[position].results[i], from_device(results[i]));
    }
  }

  void compare(const std::string& text, const Tensor& expected, const Tensor& got) {
    const Tensor a = expected.contiguous();
    const Tensor b = got.contiguous();
    const auto bytes = static_cast<size_t>(a.numel() * item_size(a.dtype()));
    if (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0) return;
    if (checks_.rounding > 0 && is_close(a, b)) return;
    outcome_.failures.push_back(text + ": expected " + to_string(a) + ", got " + to_string(b));
  }

  bool is_close(const Tensor& a, const Tensor& b) const {
    const Tensor x = a.to(DType::c128);
    const Tensor y = b.to(DType::c128);
    const auto* const first = reinterpret_cast<const std::complex<double>*>(x.data());
    const auto* const second = reinterpret_cast<const std::complex<double>*>(y.data());
    for (int64_t i = 0; i < x.numel(); ++i) {
      const double most = checks_.rounding * (1 + std::abs(first[i])) * static_cast<double>(ranks_);
      if (!(std::abs(first[i] - second[i]) <= most)) return false;
    }
    return true;
  }

  distributed::Communicator& rank_;
  const RankChecks& checks_;
  size_t ranks_;
  int64_t position_ = -1;
  RankOutcome outcome_;
};

}  // namespace

RankOutcome check_ranks(distributed::Communicator& rank, const RankChecks& checks) {
  return Checker(rank, checks).run();
}

}  // namespace litz::testing_ranks

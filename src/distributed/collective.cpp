#include "distributed/collective.h"

#include <array>
#include <sstream>

#include "support/check.h"

namespace litz::distributed {
namespace {

constexpr std::array<std::string_view, 7> kKindNames{
    "all_gather", "all_reduce", "all_to_all", "broadcast", "receive", "reduce_scatter", "send"};

constexpr std::array<std::string_view, 8> kReductionNames{"sum", "avg",  "product", "min",
                                                          "max", "band", "bor",     "bxor"};

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

bool has_peer(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::send ||
         kind == CollectiveKind::receive;
}

}  // namespace

std::string_view name(CollectiveKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::string_view name(Reduction reduction) {
  return kReductionNames[static_cast<size_t>(reduction)];
}

Reduction parse_reduction(std::string_view text) {
  for (size_t i = 0; i < kReductionNames.size(); ++i) {
    if (kReductionNames[i] == text) return static_cast<Reduction>(i);
  }
  fail(ErrorCode::unsupported,
       "a reduction must be sum, avg, product, min, max, band, bor or bxor:", text);
}

std::string signature(const Collective& collective) {
  std::ostringstream out;
  out << name(collective.kind);
  if (reduces(collective.kind)) out << ' ' << name(collective.reduction);
  if (has_peer(collective.kind)) out << " rank " << collective.peer;
  const char* separator = " of ";
  for (const Tensor& operand : collective.operands) {
    out << separator << litz::name(operand.dtype()) << '[';
    separator = ", ";
    for (size_t d = 0; d < operand.rank(); ++d) {
      // Ranks may send each other different numbers of rows.
      const bool varies = d == 0 && collective.kind == CollectiveKind::all_to_all;
      out << (d == 0 ? "" : ", ") << (varies ? "_" : std::to_string(operand.sizes()[d]));
    }
    out << ']';
  }
  return std::move(out).str();
}

}  // namespace litz::distributed

#include "compiler/collective_agreement.h"

#include <string_view>

#include "ir/collectives.h"

namespace litz::compiler {
namespace {

bool is_transfer(std::string_view signature) {
  return signature.starts_with("_c10d_functional.isend") ||
         signature.starts_with("_c10d_functional.irecv");
}

std::string text_of(const std::string& signature) {
  constexpr std::string_view kExchange = "_c10d_functional.all_to_all_single";
  return signature.starts_with(kExchange) ? std::string(kExchange) : signature;
}

}  // namespace

distributed::Starts collective_starts(const ir::Graph& main) {
  distributed::Starts starts;
  for (const auto& [group, all] : ir::collective_order(main)) {
    // A group with transfers only is compared too: another rank may start more.
    std::vector<std::string>& texts = starts[group];
    for (const ir::CollectiveStart& start : all) {
      if (!is_transfer(start.signature)) texts.push_back(text_of(start.signature));
    }
  }
  return starts;
}

}  // namespace litz::compiler

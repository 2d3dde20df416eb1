#include <set>
#include <unordered_set>

#include "artifact/program_fields.h"

namespace litz::artifact {
namespace {

/// A stream that only looks at expressions.
class SymbolCollector {
 public:
  template <typename T, typename... More>
  void operator()(const char* /*name*/, const T& value, const More&... more) {
    visit(value);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
  }

  void symbol(const char* /*name*/, SymbolId id) { found_.insert(id); }

  void symbols(const char* /*name*/, const std::vector<SymbolId>& ids) {
    found_.insert(ids.begin(), ids.end());
  }

  template <typename T>
  void visit(const T& value) {
    if constexpr (std::is_class_v<T>) fields(*this, value);
  }

  void visit(const Expr& expr) {
    if (expr.is_constant() || !seen_.insert(expr).second) return;
    for (const SymbolId symbol : free_symbols(expr)) found_.insert(symbol);
  }

  void visit(const std::string& /*text*/) {}

  void visit(const std::complex<double>& /*number*/) {}

  void visit(std::monostate /*nothing*/) {}

  template <typename T>
  void visit(const std::vector<T>& list) {
    if constexpr (std::is_class_v<T>) {
      for (const T& item : list) visit(item);
    }
  }

  template <typename T>
  void visit(const std::optional<T>& value) {
    if (value) visit(*value);
  }

  template <typename... Kinds>
  void visit(const std::variant<Kinds...>& value) {
    std::visit([&](const auto& content) { visit(content); }, value);
  }

  std::vector<SymbolId> take() const { return {found_.begin(), found_.end()}; }

 private:
  std::unordered_set<Expr> seen_;
  std::set<SymbolId> found_;
};

}  // namespace

std::vector<SymbolId> symbols_of(const LaunchList& list, std::span<const KernelCode> kernels) {
  SymbolCollector collector;
  collector.visit(list);
  for (const Launch& launch : list.launches) {
    const auto* const work = std::get_if<KernelLaunch>(&launch.work);
    if (work != nullptr) collector.visit(kernels[static_cast<size_t>(work->kernel)].phases);
  }
  return collector.take();
}

}  // namespace litz::artifact

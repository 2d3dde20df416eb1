#include "runtime/program/control_flow.h"

#include <utility>

#include "runtime/program/laid_out.h"
#include "support/check.h"
#include "support/random_keys.h"

namespace litz::runtime {
namespace {

std::vector<Value> joined(std::vector<Value> first, const std::vector<Value>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Tensor& scanned(const Value& value) {
  const auto* tensor = std::get_if<Tensor>(&value);
  require(tensor != nullptr && tensor->defined(), "an operand to be scanned must be a tensor");
  return *tensor;
}

/// Entry i along dimension 0; with `keeps_dim`, as a dimension of size 1.
Tensor entry(const Tensor& tensor, int64_t i, bool keeps_dim) {
  std::vector<int64_t> sizes = tensor.sizes();
  std::vector<int64_t> strides = tensor.strides();
  const int64_t offset = tensor.offset() + i * strides[0];
  if (keeps_dim) {
    sizes[0] = 1;
  } else {
    sizes.erase(sizes.begin());
    strides.erase(strides.begin());
  }
  return tensor.view(std::move(sizes), std::move(strides), offset);
}

int64_t entry_count(const std::vector<Value>& xs) {
  require(!xs.empty(), "a scan needs something to scan over");
  const Tensor& first = scanned(xs[0]);
  require(first.rank() > 0, "a scanned tensor needs a dimension");
  for (const Value& x : xs) {
    const Tensor& tensor = scanned(x);
    require(tensor.rank() > 0 && tensor.sizes()[0] == first.sizes()[0],
            "scanned tensors must have one length:", first.sizes()[0]);
  }
  return first.sizes()[0];
}

/// Rebinds the key for each iteration, and restores it at the end.
class IterationKeys {
 public:
  explicit IterationKeys(const LoopKey& key) : bindings_(key.bindings), symbol_(key.symbol) {
    if (symbol_) around_ = bindings_.find(*symbol_).value_or(0);
  }

  ~IterationKeys() {
    if (symbol_) bindings_.set(*symbol_, around_);
  }

  IterationKeys(const IterationKeys&) = delete;
  IterationKeys& operator=(const IterationKeys&) = delete;

  void begin_next() {
    if (!symbol_) return;
    bindings_.set(*symbol_, sub_key(around_, kIterations + iteration_++));
  }

 private:
  Bindings& bindings_;
  std::optional<SymbolId> symbol_;
  int64_t around_ = 0;
  int64_t iteration_ = 0;
};

}  // namespace

bool truth(const Value& value, const DeviceStream& where) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer != 0;
  const auto* tensor = std::get_if<Tensor>(&value);
  require(tensor != nullptr, "a condition must be a bool or a tensor with one element");
  return std::get<bool>(element_value(*tensor, ExprDomain::boolean, where));
}

std::vector<Value> run_while(std::vector<Value> carried, const std::vector<Value>& additional,
                             const LoopKey& key, const DeviceStream& where, const CallChild& call) {
  IterationKeys keys(key);
  while (true) {
    keys.begin_next();
    const std::vector<Value> condition = call(0, joined(carried, additional));
    require(condition.size() == 1, ErrorCode::corrupt,
            "a loop has one condition:", condition.size());
    if (!truth(condition[0], where)) return carried;
    carried = call(1, joined(std::move(carried), additional));
  }
}

std::vector<Value> run_over_entries(Scan scan, const LoopKey& key, const DeviceStream& where,
                                    std::string_view what, const CallChild& call) {
  std::vector<Value> carried = std::move(scan.carried);
  const size_t carries = carried.size();
  const int64_t count = entry_count(scan.xs);
  // A combine function may be written for entries that keep their dimension.
  const bool keeps_dim =
      scan.entry_type != nullptr && scan.entry_type->rank() == scanned(scan.xs[0]).rank();
  std::vector<Tensor> stacks;
  stacks.reserve(scan.stacked.size());
  for (const TensorType* const type : scan.stacked) {
    stacks.push_back(type != nullptr ? allocate(*type, key.bindings, where) : Tensor());
  }
  IterationKeys keys(key);
  for (int64_t k = 0; k < count; ++k) {
    keys.begin_next();
    std::vector<Value> entries;
    entries.reserve(scan.xs.size());
    for (const Value& x : scan.xs) entries.emplace_back(entry(scanned(x), k, keeps_dim));
    if (scan.is_associative && k == 0) {
      carried = std::move(entries);
    } else {
      carried = call(0, joined(joined(std::move(carried), entries), scan.additional));
    }
    require(carried.size() >= carries, ErrorCode::corrupt,
            "a combine function must give the next carry:", carried.size());
    const size_t stacked = scan.is_associative ? 0 : carries;
    for (size_t i = stacked; i < carried.size(); ++i) {
      require(i - stacked < stacks.size(), ErrorCode::corrupt,
              "a scan must have a result for each stack:", what);
      Tensor& stack = stacks[i - stacked];
      if (!stack.defined()) continue;
      where.device.copy(where.stream, entry(stack, k, keeps_dim), scanned(carried[i]));
    }
    if (!scan.is_associative) carried.resize(carries);
  }
  std::vector<Value> results;
  for (size_t i = 0; i < carries; ++i) results.push_back(std::move(carried[i]));
  for (Tensor& stack : stacks) {
    if (stack.defined()) {
      results.emplace_back(std::move(stack));
    } else {
      results.emplace_back();
    }
  }
  return results;
}

}  // namespace litz::runtime

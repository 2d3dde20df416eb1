// Compiled functions of litz/compile.h: one program for each signature of calls.

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "compiler/api/operator_calls.h"
#include "support/check.h"
#include "support/hash.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/compile.h"

namespace litz {
inline namespace v1 {
namespace detail {
namespace {

/// A function would otherwise fill memory with programs for arguments that always differ.
constexpr size_t kMostPrograms = 256;

/// What must be equal for calls of one program. The tensors' geometries are those of the first call.
struct Signature {
  std::string values;
  std::vector<size_t> firsts;  ///< See first_equals.
  std::vector<OwnDType> dtypes;
  std::vector<Geometry> geometries;

  bool fits(std::span<const Tensor> tensors, std::span<const size_t> their_firsts,
            std::string_view their_values) const {
    if (their_values != values || !std::ranges::equal(their_firsts, firsts)) return false;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const OwnTensor& tensor = TensorAccess::own(tensors[i]);
      if (tensor.dtype() != dtypes[i] || tensor.sizes() != geometries[i].sizes ||
          tensor.strides() != geometries[i].strides) {
        return false;
      }
    }
    return true;
  }
};

/// One program of a function, with what it captured.
struct FunctionProgram {
  Signature signature;
  compiler::TracedProgram program;
  std::vector<OwnTensor> captured;
  std::shared_ptr<const void> tree;
};

uint64_t hash_of(std::span<const Tensor> tensors, std::span<const size_t> firsts,
                 std::string_view values) {
  Hasher hash;
  hash.add(values);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const OwnTensor& tensor = TensorAccess::own(tensors[i]);
    hash.add(firsts[i]).add(static_cast<int>(tensor.dtype()));
    for (const int64_t size : tensor.sizes()) hash.add(size);
    for (const int64_t stride : tensor.strides()) hash.add(stride);
  }
  return hash.value();
}

std::shared_ptr<FunctionProgram> traced_program(std::span<const Tensor> tensors,
                                                std::vector<size_t> firsts, std::string_view values,
                                                const TracedBody& body,
                                                const compiler::Options& options) {
  std::shared_ptr<const void> tree;
  TracedFunction traced = trace_function(
      tensors,
      [&](std::span<const Tensor> arguments) {
        TracedResult result = body(arguments);
        tree = std::move(result.tree);
        return std::move(result.tensors);
      },
      firsts);
  Signature signature{std::string(values), std::move(firsts), {}, {}};
  for (const Tensor& tensor : tensors) {
    const OwnTensor& own = TensorAccess::own(tensor);
    signature.dtypes.push_back(own.dtype());
    signature.geometries.push_back({own.sizes(), own.strides()});
  }
  std::vector<OwnTensor> captured;
  for (const trace::Origin& origin : traced.origins) {
    if (const auto* tensor = std::get_if<OwnTensor>(&origin)) captured.push_back(*tensor);
  }
  return std::make_shared<FunctionProgram>(FunctionProgram{
      std::move(signature), compiler::TracedProgram(std::move(traced.program), options),
      std::move(captured), std::move(tree)});
}

compiler::Options function_options(const Options& options) {
  compiler::Options own = own_options(options);
  if (options.pool == nullptr && options.threads == 0) own.pool = compiler::traced_options().pool;
  return own;
}

}  // namespace

struct FunctionPrograms::Impl {
  compiler::Options options;
  std::mutex mutex;
  std::unordered_multimap<uint64_t, std::shared_ptr<FunctionProgram>> programs;

  /// The program of a signature, made now if it is new.
  std::shared_ptr<FunctionProgram> find(std::span<const Tensor> tensors, std::vector<size_t> firsts,
                                        std::string_view values, const TracedBody& body) {
    const uint64_t hash = hash_of(tensors, firsts, values);
    const std::lock_guard lock(mutex);
    for (auto [known, end] = programs.equal_range(hash); known != end; ++known) {
      if (known->second->signature.fits(tensors, firsts, values)) return known->second;
    }
    require(programs.size() < kMostPrograms, OwnErrorCode::limit_exceeded,
            "a compiled function must be called with at most", kMostPrograms,
            "different signatures: pad its arguments to a few sizes");
    auto program = traced_program(tensors, std::move(firsts), values, body, options);
    programs.emplace(hash, program);
    return program;
  }
};

FunctionPrograms::FunctionPrograms(const Options& options) : impl_(std::make_unique<Impl>()) {
  raising([&] { impl_->options = function_options(options); });
}

FunctionPrograms::~FunctionPrograms() = default;
FunctionPrograms::FunctionPrograms(FunctionPrograms&&) noexcept = default;
FunctionPrograms& FunctionPrograms::operator=(FunctionPrograms&&) noexcept = default;

size_t FunctionPrograms::count() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->programs.size();
}

TracedResult FunctionPrograms::call(std::span<const Tensor> tensors, std::string_view values,
                                    const TracedBody& body) {
  return raising([&]() -> TracedResult {
    const std::vector<size_t> firsts = first_equals(tensors);
    const auto function = impl_->find(tensors, firsts, values, body);
    std::vector<OwnTensor> inputs;
    inputs.reserve(tensors.size() + function->captured.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (firsts[i] == i) inputs.push_back(TensorAccess::own(tensors[i]));
    }
    inputs.insert(inputs.end(), function->captured.begin(), function->captured.end());
    function->program.require_apart(inputs);
    return {shown_tensors(function->program.run(inputs)), function->tree};
  });
}

bool is_tracing() { return current_tracer() != nullptr; }

}  // namespace detail
}  // namespace v1
}  // namespace litz

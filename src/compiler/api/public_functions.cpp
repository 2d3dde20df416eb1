// Compiled functions of litz/compile.h: one program for each signature of calls.

#include <map>
#include <mutex>

#include "compiler/api/operator_calls.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/compile.h"

namespace litz {
inline namespace v1 {
namespace detail {
namespace {

/// A function would otherwise fill memory with programs for arguments that always differ.
constexpr size_t kMostPrograms = 256;

/// One program of a function, with what it captured.
struct FunctionProgram {
  compiler::TracedProgram program;
  std::vector<OwnTensor> captured;
  std::shared_ptr<const void> tree;
};

std::string signature_of(std::span<const Tensor> tensors, std::span<const size_t> firsts,
                         std::string_view values) {
  std::string text(values);
  const auto add = [&](const std::vector<int64_t>& list) {
    for (const int64_t value : list) text += std::to_string(value) + ',';
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    const OwnTensor& tensor = TensorAccess::own(tensors[i]);
    text += ';';
    text += std::to_string(firsts[i]);
    text += name(tensor.dtype());
    add(tensor.sizes());
    text += '/';
    add(tensor.strides());
  }
  return text;
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
  std::map<std::string, std::shared_ptr<FunctionProgram>> programs;
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
    const std::string signature = signature_of(tensors, firsts, values);
    std::shared_ptr<FunctionProgram> function;
    {
      const std::lock_guard lock(impl_->mutex);
      std::shared_ptr<FunctionProgram>& known = impl_->programs[signature];
      if (known == nullptr) {
        if (impl_->programs.size() > kMostPrograms) {
          impl_->programs.erase(signature);
          fail(OwnErrorCode::limit_exceeded, "a compiled function must be called with at most",
               kMostPrograms, "different signatures: pad its arguments to a few sizes");
        }
        std::shared_ptr<const void> tree;
        const auto traced_body = [&](std::span<const Tensor> arguments) {
          TracedResult result = body(arguments);
          tree = std::move(result.tree);
          return std::move(result.tensors);
        };
        try {
          TracedFunction traced = trace_function(tensors, traced_body, firsts);
          std::vector<OwnTensor> captured;
          for (const trace::Origin& origin : traced.origins) {
            if (const auto* tensor = std::get_if<OwnTensor>(&origin)) captured.push_back(*tensor);
          }
          known = std::make_shared<FunctionProgram>(
              FunctionProgram{compiler::TracedProgram(std::move(traced.program), impl_->options),
                              std::move(captured), std::move(tree)});
        } catch (...) {
          impl_->programs.erase(signature);
          throw;
        }
      }
      function = known;
    }
    std::vector<OwnTensor> inputs;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (firsts[i] == i) inputs.push_back(TensorAccess::own(tensors[i]));
    }
    inputs.insert(inputs.end(), function->captured.begin(), function->captured.end());
    TracedResult result{{}, function->tree};
    for (OwnTensor& tensor : function->program.run(inputs)) {
      result.tensors.push_back(TensorAccess::shown(std::move(tensor)));
    }
    return result;
  });
}

bool is_tracing() { return current_tracer() != nullptr; }

}  // namespace detail
}  // namespace v1
}  // namespace litz

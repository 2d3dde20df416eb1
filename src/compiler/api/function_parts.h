// A call of a function that cannot be one program, because its code reads what it computes: the code runs
// again in each call, and what it states between two reads is one program, which earlier calls may have
// made. Include it after public_support.h.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/api/program_cache.h"

// After the library's own names.
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {

/// Thrown through a function whose trace must begin again with numbers for sizes, before any part of it
/// has run.
struct NeedsNumbers {};

class FunctionParts final : public Breaker {
 public:
  /// `arguments` are those of the call that is traced. Parts go to `programs`.
  FunctionParts(std::span<const OwnTensor> arguments, compiler::ProgramCache& programs,
                const compiler::Options& options)
      : arguments_(arguments), programs_(programs), options_(options) {}

  std::shared_ptr<FunctionTracer> end_part(const std::shared_ptr<FunctionTracer>& tracer,
                                           const std::string& reason) override;

  /// Why the function has parts: one reason for each end of a part; empty if it has had none.
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  std::span<const OwnTensor> arguments_;
  compiler::ProgramCache& programs_;
  const compiler::Options& options_;
  std::vector<std::string> reasons_;
};

}  // namespace v1
}  // namespace litz

// Compiled functions of litz/compile.h.

#include <mutex>
#include <unordered_map>

#include "compiler/api/operator_calls.h"
#include "compiler/api/program_cache.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/text.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/function_parts.h"
#include "compiler/api/function_programs.h"
#include "compiler/api/public_size.h"
#include "compiler/api/recorded_functions.h"
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

/// Traces of one function with fewer and fewer symbols: each kept one is a step forward.
constexpr int kMostTraces = 64;

uint64_t bit_of(const Tensor& tensor, int64_t dim) {
  const int64_t rank = tensor.dim();
  require(-rank <= dim && dim < rank, OwnErrorCode::invalid_argument,
          "dimension out of range: a tensor of", rank, "dimensions has no", dim);
  const int64_t d = dim < 0 ? dim + rank : dim;
  return d < 64 ? uint64_t{1} << d : 0;
}

}  // namespace

void mark_dynamic(Tensor& tensor, int64_t dim) {
  raising([&] { TensorAccess::marks(tensor).dynamic |= bit_of(tensor, dim); });
}

void mark_static(Tensor& tensor, int64_t dim) {
  raising([&] { TensorAccess::marks(tensor).fixed |= bit_of(tensor, dim); });
}

void graph_break(std::string_view reason) {
  raising([&] {
    if (current_tracer() == nullptr) return;
    require(
        end_current_part(std::string(reason)), OwnErrorCode::unsupported,
        "a function that is differentiated, or compiled as a whole, must not be broken:", reason);
  });
}

namespace detail {
namespace {

/// What a call and its program must have in common for the program to be found at once.
struct ExactCall {
  CallKind kind;
  std::vector<Geometry> geometries;

  bool fits(std::span<const Tensor> tensors, std::span<const size_t> firsts,
            std::string_view values) const {
    if (values != kind.values || !std::ranges::equal(firsts, kind.firsts)) return false;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const OwnTensor& tensor = TensorAccess::own(tensors[i]);
      if (tensor.dtype() != kind.dtypes[i] || tensor.device() != kind.devices[i] ||
          tensor.sizes() != geometries[i].sizes || tensor.strides() != geometries[i].strides) {
        return false;
      }
    }
    return true;
  }
};

struct KnownCall {
  ExactCall call;
  std::shared_ptr<FunctionProgram> program;  ///< Null: the family's function runs in parts.
  CallFamily* family = nullptr;
  Bindings sizes;
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

compiler::Options function_options(const Options& options) {
  compiler::Options own = own_options(options);
  if (options.pool == nullptr && options.threads == 0) own.pool = compiler::traced_options().pool;
  return own;
}

/// Runs what a function in parts stated last: its results then are tensors with elements.
void end_last_part(TracedResult& result) {
  end_current_part("the function returns");
  for (Tensor& tensor : result.tensors) tensor = TensorAccess::shown(TensorAccess::own(tensor));
}

/// The different tensors of a call: the arguments of its program.
std::vector<OwnTensor> different(std::span<const Tensor> tensors, std::span<const size_t> firsts) {
  std::vector<OwnTensor> arguments;
  arguments.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (firsts[i] == i) arguments.push_back(TensorAccess::own(tensors[i]));
  }
  return arguments;
}

}  // namespace

struct LITZ_HIDDEN FunctionPrograms::Impl {
  explicit Impl(const CompileOptions& given)
      : options(given),
        run(function_options(given.run)),
        parts(given.most_programs),
        recorded(given.most_programs) {}

  const CompileOptions options;
  const compiler::Options run;
  compiler::ProgramCache parts;
  RecordedFunctions recorded;
  mutable std::mutex mutex;
  std::unordered_multimap<uint64_t, KnownCall> known;
  std::vector<std::unique_ptr<CallFamily>> families;
  std::vector<std::string> recompiles;
  size_t program_count = 0;

  /// A call that is being answered.
  struct Request {
    std::span<const Tensor> tensors;
    std::vector<size_t> firsts;
    std::string_view values;
    const TracedBody& body;
  };

  /// The program for a call, or null if the function runs in parts; and its family.
  struct Found {
    std::shared_ptr<FunctionProgram> program;
    CallFamily* family = nullptr;
    Bindings sizes;
    std::optional<TracedResult> result;  ///< If the search has answered the call.
  };

  Found find(const Request& request);
  Found search(const Request& request);
  CallFamily& family_of(const Request& request);
  std::string reason_for(const CallFamily& family, const Request& request) const;
  Found add_program(CallFamily& family, const Request& request);
  /// One trace. Returns nothing if the trace must be made again with fewer symbols.
  std::optional<Found> trace(CallFamily& family, const Request& request);
  TracedResult run_in_parts(CallFamily& family, const Request& request);
  TracedResult run_program(const Found& found, const Request& request) const;
  TracedResult call(const Request& request);
};

FunctionPrograms::Impl::Found FunctionPrograms::Impl::find(const Request& request) {
  const uint64_t hash = hash_of(request.tensors, request.firsts, request.values);
  const std::lock_guard lock(mutex);
  for (auto [entry, end] = known.equal_range(hash); entry != end; ++entry) {
    const KnownCall& call = entry->second;
    if (call.call.fits(request.tensors, request.firsts, request.values)) {
      return {call.program, call.family, call.sizes, std::nullopt};
    }
  }
  Found found = search(request);
  if (found.family != nullptr) {
    if (known.size() >= 4 * options.most_programs) known.clear();
    ExactCall call{found.family->kind, {}};
    for (const Tensor& tensor : request.tensors) {
      const OwnTensor& own = TensorAccess::own(tensor);
      call.geometries.push_back({own.sizes(), own.strides()});
    }
    known.emplace(hash, KnownCall{std::move(call), found.program, found.family, found.sizes});
  }
  return found;
}

FunctionPrograms::Impl::Found FunctionPrograms::Impl::search(const Request& request) {
  CallFamily& family = family_of(request);
  if (!family.breaks.empty()) return {nullptr, &family, {}, std::nullopt};
  for (const auto& program : family.programs) {
    if (auto sizes = program->fit(request.tensors)) {
      return {program, &family, std::move(*sizes), std::nullopt};
    }
  }
  return add_program(family, request);
}

CallFamily& FunctionPrograms::Impl::family_of(const Request& request) {
  CallKind kind(request.tensors, request.firsts, request.values);
  for (const auto& family : families) {
    if (family->kind == kind) return *family;
  }
  families.push_back(
      std::make_unique<CallFamily>(std::move(kind), request.tensors, options.dynamic));
  return *families.back();
}

std::string FunctionPrograms::Impl::reason_for(const CallFamily& family,
                                               const Request& request) const {
  if (!family.programs.empty()) return family.programs.back()->misfit(request.tensors);
  const CallKind& kind = family.kind;
  const CallKind& other = families.front()->kind;
  if (kind.values != other.values) return "a value that is no tensor differs";
  if (kind.dtypes != other.dtypes) return "a dtype differs";
  if (kind.devices != other.devices) return "a device differs";
  if (kind.ranks != other.ranks) return "a number of dimensions differs";
  return "other arguments are the same tensor";
}

FunctionPrograms::Impl::Found FunctionPrograms::Impl::add_program(CallFamily& family,
                                                                  const Request& request) {
  if (program_count > 0 || families.size() > 1) {
    const std::string reason = reason_for(family, request);
    require(options.new_program != NewProgram::refuse, OwnErrorCode::unsupported,
            "a compiled function must not need another program:", reason);
    if (options.new_program == NewProgram::run_eagerly) {
      return {nullptr, nullptr, {}, request.body(request.tensors)};
    }
    recompiles.push_back(reason);
  }
  require(program_count < options.most_programs, OwnErrorCode::limit_exceeded,
          "a compiled function must be called with at most", options.most_programs,
          "different signatures: pad its arguments to a few sizes");
  family.note_sizes(request.tensors, options.dynamic);
  for (int i = 0; i < kMostTraces; ++i) {
    if (auto found = trace(family, request)) return std::move(*found);
  }
  fail(OwnErrorCode::internal, "a function must be traced within", kMostTraces, "traces");
}

std::optional<FunctionPrograms::Impl::Found> FunctionPrograms::Impl::trace(CallFamily& family,
                                                                           const Request& request) {
  const auto sizes = family.is_dynamic() ? std::make_shared<trace::CallSizes>() : nullptr;
  const auto tracer = std::make_shared<FunctionTracer>(compiler::program_ops(), sizes);
  std::vector<TensorType> types;
  for (size_t i = 0; i < request.tensors.size(); ++i) {
    const OwnTensor& tensor = TensorAccess::own(request.tensors[i]);
    types.push_back(sizes == nullptr ? trace::type_of(tensor)
                                     : sizes->type_of(tensor, family.open_sizes(i)));
  }
  const std::vector<OwnTensor> arguments = different(request.tensors, request.firsts);
  FunctionParts in_parts(arguments, parts, run);
  TracedResult result;
  std::vector<ir::Argument> outputs;
  try {
    const TraceScope scope(tracer, options.full_graph ? nullptr : &in_parts, records_gradients());
    result = request.body(traced_arguments(tracer, types, request.firsts));
    if (in_parts.reasons().empty()) {
      for (const Tensor& tensor : result.tensors) outputs.emplace_back(value_in(tracer, tensor));
    } else {
      end_last_part(result);
    }
  } catch (const NeedsNumbers&) {
    family.fix_all("the function has parts");
    return std::nullopt;
  } catch (const Error& error) {
    // What an operator cannot do with symbols, it may do with numbers.
    if (sizes == nullptr) throw;
    family.fix_all(error.what());
    return std::nullopt;
  }
  if (!in_parts.reasons().empty()) {
    family.breaks = in_parts.reasons();
    ++family.calls_in_parts;
    return Found{nullptr, &family, {}, std::move(result)};
  }
  auto program = std::make_shared<FunctionProgram>(std::move(types));
  try {
    program->program.emplace(tracer->finish(std::move(outputs)), run);
  } catch (const OwnError& error) {
    if (sizes == nullptr) throw;
    family.fix_all(error.what());
    return std::nullopt;
  }
  if (sizes != nullptr) {
    if (family.fix(sizes->fixed_sizes(), request.tensors)) return std::nullopt;
    program->guards = sizes->guards();
  }
  for (const trace::Origin& origin : tracer->origins()) {
    if (const auto* tensor = std::get_if<OwnTensor>(&origin)) program->captured.push_back(*tensor);
  }
  program->captures_variables =
      std::ranges::any_of(tracer->owners(), [](const auto& owner) { return owner != nullptr; });
  program->tree = std::move(result.tree);
  Found found{program, &family, program->fit(request.tensors).value(), std::nullopt};
  family.programs.push_back(std::move(program));
  ++program_count;
  return found;
}

TracedResult FunctionPrograms::Impl::run_in_parts(CallFamily& family, const Request& request) {
  ++family.calls_in_parts;
  const auto tracer = std::make_shared<FunctionTracer>(compiler::program_ops());
  std::vector<TensorType> types;
  for (const Tensor& tensor : request.tensors) {
    types.push_back(trace::type_of(TensorAccess::own(tensor)));
  }
  const std::vector<OwnTensor> arguments = different(request.tensors, request.firsts);
  FunctionParts in_parts(arguments, parts, run);
  const TraceScope scope(tracer, &in_parts, records_gradients());
  TracedResult result = request.body(traced_arguments(tracer, types, request.firsts));
  end_last_part(result);
  return result;
}

TracedResult FunctionPrograms::Impl::run_program(const Found& found, const Request& request) const {
  FunctionProgram& program = *found.program;
  program.calls.fetch_add(1, std::memory_order_relaxed);
  std::vector<OwnTensor> inputs = different(request.tensors, request.firsts);
  inputs.insert(inputs.end(), program.captured.begin(), program.captured.end());
  program.program->require_apart(inputs);
  return {shown_tensors(program.program->run(inputs, found.sizes)), program.tree};
}

TracedResult FunctionPrograms::Impl::call(const Request& request) {
  Found found = find(request);
  if (found.result) return std::move(*found.result);
  if (found.program == nullptr) return run_in_parts(*found.family, request);
  if (found.program->captures_variables && records_gradients()) throw CapturesVariable();
  return run_program(found, request);
}

FunctionPrograms::FunctionPrograms(const CompileOptions& options) {
  raising([&] { impl_ = std::make_unique<Impl>(options); });
}

FunctionPrograms::~FunctionPrograms() = default;
FunctionPrograms::FunctionPrograms(FunctionPrograms&&) noexcept = default;
FunctionPrograms& FunctionPrograms::operator=(FunctionPrograms&&) noexcept = default;

size_t FunctionPrograms::count() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->program_count;
}

FunctionReport FunctionPrograms::report() const {
  const std::lock_guard lock(impl_->mutex);
  FunctionReport report;
  for (const auto& family : impl_->families) {
    for (const auto& program : family->programs) report.programs.push_back(program->report());
    if (!family->breaks.empty()) {
      report.parts.push_back({family->text(), family->breaks, family->calls_in_parts});
    } else if (!family->why_fixed.empty()) {
      report.fixed.push_back(family->why_fixed);
    }
  }
  report.part_programs = impl_->parts.made();
  report.recompiles = impl_->recompiles;
  return report;
}

TracedResult FunctionPrograms::call(std::span<const Tensor> tensors, std::string_view values,
                                    const TracedBody& body) {
  return raising([&]() -> TracedResult {
    const Impl::Request request{tensors, first_equals(tensors), values, body};
    const bool records = records_gradients();
    const bool is_recorded = records && std::ranges::any_of(tensors, [](const Tensor& tensor) {
                               return TensorAccess::variable(tensor) != nullptr;
                             });
    if (!is_recorded) {
      try {
        return impl_->call(request);
      } catch (const CapturesVariable&) {
        check(records, "only calls that are recorded need that");
      }
    }
    return impl_->recorded.call(tensors, request.firsts, values, body, impl_->run);
  });
}

bool is_tracing() { return current_tracer() != nullptr; }

}  // namespace detail

std::string to_string(const FunctionReport& report) {
  std::string text;
  for (const FunctionReport::Program& program : report.programs) {
    text += "program for (" + program.arguments + "): " + std::to_string(program.calls) +
            " calls, captures " + std::to_string(program.captured) + " tensors\n";
    for (const std::string& guard : program.guards) text += "  needs " + guard + "\n";
  }
  for (const FunctionReport::Parts& parts : report.parts) {
    text += "in " + std::to_string(parts.breaks.size()) + " parts for (" + parts.arguments +
            "): " + std::to_string(parts.calls) + " calls\n";
    for (size_t i = 0; i < parts.breaks.size(); ++i) {
      text += "  part " + std::to_string(i) + " ends: " + parts.breaks[i] + "\n";
    }
  }
  if (report.part_programs > 0) {
    text += std::to_string(report.part_programs) + " programs of parts\n";
  }
  for (const std::string& reason : report.fixed)
    text += "sizes are not left open: " + reason + "\n";
  for (const std::string& reason : report.recompiles) text += "recompiled: " + reason + "\n";
  return text;
}

}  // namespace v1
}  // namespace litz

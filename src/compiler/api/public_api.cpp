// The public API of litz/litz.h over the compiler.

#include "compiler/empty_sizes.h"
#include "compiler/graph_file.h"
#include "compiler/operator_library.h"
#include "compiler/placement.h"
#include "compiler/stored_program.h"
#include "runtime/placement.h"
#include "support/check.h"
#include "support/whole_file.h"

// After the library's own names.
#include <memory>
#include <utility>

#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {
namespace {

using compiler::Leaf;

}  // namespace

Executable::Impl& Executable::impl() const {
  if (impl_ == nullptr) throw std::logic_error("a program that was moved from cannot be used");
  return *impl_;
}

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

const std::vector<std::string>& Executable::input_names() const { return impl().names; }

Leaf Executable::Impl::own(const Value& value) {
  return std::visit(
      [](const auto& held) -> Leaf {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, Tensor>) {
          return own(held);
        } else {
          return held;
        }
      },
      value);
}

std::vector<Value> Executable::Impl::run(runtime::ProgramCalls& calls,
                                         std::span<const Value> inputs,
                                         const CallLimit* limit) const {
  const Limited limited(limit);
  CallList<Leaf> given(inputs.size());
  for (const Value& input : inputs) given.add(own(input));
  std::vector<Value> values;
  for (const Leaf& leaf : executable->run(calls, given.get())) values.push_back(shown_value(leaf));
  return values;
}

Value Executable::Impl::shown_value(const Leaf& leaf) {
  if (const auto* tensor = std::get_if<OwnTensor>(&leaf)) {
    if (tensor->defined() && tensor->device() != Device{}) return shown(*tensor);
    const bool as_is =
        tensor->is_contiguous() && tensor->offset() == 0 && tensor->storage()->is_writable();
    return shown(as_is ? *tensor : tensor->clone());
  }
  if (const auto* integer = std::get_if<int64_t>(&leaf)) return *integer;
  if (const auto* real = std::get_if<double>(&leaf)) return *real;
  if (const auto* flag = std::get_if<bool>(&leaf)) return *flag;
  if (const auto* text = std::get_if<std::string>(&leaf)) return *text;
  return {};
}

Result<std::vector<Value>> Executable::run(std::span<const Value> inputs) {
  return guarded<std::vector<Value>>(
      [&] { return impl().run(impl().executable->calls(), inputs); });
}

Result<std::vector<Value>> Executable::run(std::span<const Value> inputs, const CallLimit& limit) {
  return guarded<std::vector<Value>>(
      [&] { return impl().run(impl().executable->calls(), inputs, &limit); });
}

Result<void> Executable::prepare(std::span<const Value> inputs) {
  return guarded_void([&] {
    CallList<Leaf> given(inputs.size());
    for (const Value& input : inputs) given.add(Impl::own(input));
    impl().executable->prepare(given.get());
  });
}

Result<std::vector<ProfileEntry>> Executable::profile(std::span<const Value> inputs, int calls) {
  return guarded<std::vector<ProfileEntry>>([&] {
    require(calls >= 1, "a profile must be of one call at least:", calls);
    CallList<Leaf> given(inputs.size());
    for (const Value& input : inputs) given.add(Impl::own(input));
    std::vector<double> seconds;
    std::vector<std::string> labels;
    for (int i = 0; i < calls; ++i) labels = impl().executable->run_timed(given.get(), seconds);
    std::vector<ProfileEntry> entries;
    for (size_t i = 0; i < labels.size(); ++i) {
      entries.push_back({std::move(labels[i]), seconds[i] / calls});
    }
    return entries;
  });
}

size_t Executable::region_count() const { return impl().executable->regions().size(); }

Result<Executable> Executable::region(size_t i) const {
  return guarded<Executable>([&] {
    // The region uses threads of the program around it, which must therefore live as long.
    auto both = std::make_shared<
        std::pair<std::shared_ptr<compiler::Executable>, std::shared_ptr<compiler::Executable>>>(
        impl().executable, impl().executable->region(i));
    compiler::Executable* region = both->second.get();
    return Executable(Impl::make(std::shared_ptr<compiler::Executable>(std::move(both), region)));
  });
}

Result<size_t> Executable::save(const std::string& path) const {
  return guarded<size_t>([&] {
    const std::vector<std::byte> bytes = impl().executable->to_bytes();
    write_whole_file(path, bytes);
    return bytes.size();
  });
}

Result<std::vector<std::byte>> Executable::save() const {
  return guarded<std::vector<std::byte>>([&] { return impl().executable->to_bytes(); });
}

Threads::Threads(int count, std::span<const int> cpus) {
  if (count < 0 || count > ThreadPool::kMostThreads) {
    throw std::invalid_argument("the number of threads is 0, for one for each CPU, to " +
                                std::to_string(ThreadPool::kMostThreads));
  }
  try {
    impl_ = std::make_unique<Impl>(Impl{std::make_shared<ThreadPool>(count, cpus)});
  } catch (const OwnError& error) {
    throw std::invalid_argument(error.what());
  }
}

Threads::~Threads() = default;

int Threads::count() const { return impl_->pool->threads(); }

namespace {

compiler::ExecutorKind own_executor(Executor executor) {
  switch (executor) {
    case Executor::interpreter:
      return compiler::ExecutorKind::interpreter;
    case Executor::cpu:
      return compiler::ExecutorKind::cpu;
  }
  fail(OwnErrorCode::invalid_argument,
       "an executor must be one of enum Executor:", static_cast<int>(executor));
}

}  // namespace

namespace {

/// Weights are used in place.
void require_aligned(std::span<const std::byte> bytes) {
  require(!bytes.empty(), OwnErrorCode::corrupt, "a file in memory must have bytes");
  require(reinterpret_cast<uintptr_t>(bytes.data()) % 64 == 0,
          "a file in memory must begin at a multiple of 64");
}

}  // namespace

namespace {

runtime::ResultPlace own_place(ResultPlace place) {
  static_assert(static_cast<int>(ResultPlace::device) ==
                static_cast<int>(runtime::ResultPlace::device));
  require(place <= ResultPlace::device,
          "a place of results must be one of enum ResultPlace:", static_cast<int>(place));
  return static_cast<runtime::ResultPlace>(place);
}

}  // namespace

compiler::Options own_options(const Options& options) {
  compiler::Options how;
  how.executor = own_executor(options.executor);
  if (!options.device.empty()) how.device = runtime::parse_placement(options.device);
  how.results = own_place(options.results);
  how.threads = options.threads;
  how.pool = OptionsAccess::pool(options);
  how.communicator = OptionsAccess::communicator(options);
  how.graphs = OptionsAccess::graphs(options);
  if (how.graphs && options.device.empty()) how.device = how.graphs->device()->device();
  how.use_cache = options.use_cache;
  how.cache_directory = options.cache_directory;
  how.cache_bytes = options.cache_bytes;
  how.seed = options.seed;
  how.memory_budget = options.memory_budget;
  how.regional = options.regional;
  how.cuda_graphs = options.cuda_graphs;
  how.keep_code = options.regional || options.cuda_graphs;  // So that `save` has it.
  how.region_failure =
      options.region_fallback ? compiler::RegionFailure::run_plain : compiler::RegionFailure::raise;
  how.copies_file = options.copy_file;
  for (const std::string& key : options.trusted_keys) {
    how.trusted_keys.push_back(parse_public_key(key));
  }
  return how;
}

namespace {

compiler::OpenOptions opening(const Options& options) {
  return {.model = options.model,
          .verify_checksums = options.verify_checksums,
          .copies = options.copy_file};
}

compiler::Options options_of_load(const Options& options) {
  require(options.trusted_keys.empty(),
          "trusted keys are for load_compiled: exported programs are not signed");
  require(!options.region_fallback || options.regional || options.cuda_graphs,
          "region_fallback is about regions, which `regional` or `cuda_graphs` ask for");
  return own_options(options);
}

/// The options of a program that is compiled already.
compiler::Options options_of_load_compiled(const Options& options) {
  require(!options.regional && !options.cuda_graphs && !options.region_fallback,
          "regional, cuda_graphs and region_fallback are about compiling, which is done");
  require(options.model.empty(),
          "a compiled file has one program, so `model` must be empty:", options.model);
  return own_options(options);
}

}  // namespace

Result<Executable> load(const std::string& path, const Options& options) {
  return guarded<Executable>([&] {
    const compiler::Options how = options_of_load(options);
    compiler::OpenedFile opened = compiler::open_file(path, opening(options));
    return Executable(Executable::Impl::make(std::make_shared<compiler::Executable>(
        std::move(opened.program), how,
        compiler::Surroundings{.read_again = std::move(opened.read_again)})));
  });
}

Result<Executable> load_compiled(const std::string& path, const Options& options) {
  return guarded<Executable>([&] {
    return Executable(Executable::Impl::make(std::make_shared<compiler::Executable>(
        compiler::load_program(path, options_of_load_compiled(options)))));
  });
}

Result<Executable> load(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const Options& options) {
  return guarded<Executable>([&] {
    require_aligned(bytes);
    const compiler::Options how = options_of_load(options);
    return Executable(Executable::Impl::make(std::make_shared<compiler::Executable>(
        compiler::open_program(bytes, owner, opening(options)), how,
        compiler::Surroundings{.read_again = compiler::read_again(bytes, owner, options.model)})));
  });
}

Result<Executable> load_compiled(std::span<const std::byte> bytes,
                                 std::shared_ptr<const void> owner, const Options& options) {
  return guarded<Executable>([&] {
    require_aligned(bytes);
    return Executable(Executable::Impl::make(std::make_shared<compiler::Executable>(
        compiler::load_program(bytes, owner, options_of_load_compiled(options)))));
  });
}

void set_log(LogLevel level, std::function<void(LogLevel, std::string_view)> sink) {
  static_assert(static_cast<int>(LogLevel::off) == static_cast<int>(OwnLogLevel::off));
  if (level > LogLevel::off) throw std::invalid_argument("a level must be one of enum LogLevel");
  set_log_level(static_cast<OwnLogLevel>(level));
  if (!sink) return set_log_sink({});
  set_log_sink([sink = std::move(sink)](OwnLogLevel of, std::string_view message) {
    sink(static_cast<LogLevel>(of), message);
  });
}

Result<size_t> register_operators(const std::string& path) {
  return guarded<size_t>([&] { return compiler::register_operators(path); });
}

Result<size_t> register_operators(const litz_operator_library& library) {
  return guarded<size_t>([&] { return compiler::register_operators(library, "this program"); });
}

const char* version() { return LITZ_VERSION; }

}  // namespace v1
}  // namespace litz

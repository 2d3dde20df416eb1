// A program that is ready to run: kernels compiled for this processor, or interpreted.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/program.h"
#include "compiler/leaf.h"
#include "ir/program.h"
#include "passes/bucketing/bucketing.h"
#include "passes/overlap/join_overlapped.h"
#include "passes/pass_driver.h"
#include "runtime/device.h"
#include "runtime/program/result_place.h"
#include "runtime/test_modes.h"
#include "support/signing.h"
#include "types/tensor.h"

namespace litz {
class ThreadPool;
}  // namespace litz

namespace litz::distributed {
class Communicator;
}  // namespace litz::distributed

namespace litz::runtime {
class ProgramCalls;
}

namespace litz::runtime::trees {
class Context;
}

namespace litz::compiler {

class KernelStore;

enum class ExecutorKind : uint8_t {
  // The names are those of machine::kExecutors.
  interpreter,  ///< The reference: slow, needs no code generation.
  cpu,          ///< Kernels compiled to machine code.
};

/// The executor of that name; throws Error{invalid_argument} listing the names otherwise.
ExecutorKind parse_executor(std::string_view text);

/// What to do with a region that cannot be compiled.
enum class RegionFailure : uint8_t {
  raise,     ///< Throw its error.
  run_plain  ///< Warn, and run it operator by operator like the code outside of regions.
};

struct Options {
  ExecutorKind executor = ExecutorKind::cpu;
  /// Threads that compile and run, including the caller, at most ThreadPool::kMostThreads; 0: one
  /// per CPU. Results do not depend on the number, so fewer work if the system starts fewer.
  int threads = 0;
  /// Where the program runs: on the host, on an NVIDIA card, or on a simulated device (runtime/sim);
  /// the last two need ExecutorKind::cpu. Nothing: on the host, with a log warning if it was
  /// exported elsewhere.
  std::optional<Device> device;
  runtime::ResultPlace results = runtime::ResultPlace::automatic;
  /// The processor that code is generated for: "host", another that this machine can run, or an
  /// architecture of NVIDIA's such as "sm_90". For a card, "host" is the architecture of the card.
  std::string target = "host";
  /// Off: the program is compiled to be stored, so the device that it is for need not be here.
  bool runs = true;
  /// Seeds random numbers: call i of an Executable draws the same numbers for the same seed and i,
  /// whatever the other options are. Each Executable counts its calls from 0, in the order in which
  /// they begin.
  uint64_t seed = 0;
  /// Runs the graph verifier between passes.
  bool verify = false;
  /// Runs the inference pipeline over the imported program.
  bool optimize = true;
  /// How the inference pipeline runs. Observers of its passes also observe the import pipeline.
  passes::DriverOptions passes;
  /// Refuses inputs that a recorded guard excludes: the program may contain constants or branches
  /// that are wrong for them. Off only to repeat what an exporter ran without checking.
  bool enforce_guards = true;
  /// Rewrites the lowered program into fewer kernels with the same results.
  bool fuse = true;
  /// The rank that starts collectives. Null: a world of one rank. Calls of a program with
  /// collectives return when all that they started is done. All ranks must compile a program for
  /// any of them to be done: they compare the order of its collectives.
  std::shared_ptr<distributed::Communicator> communicator;
  /// What the backward part of a training program may keep, from 0 (only inputs) to 1 (what repeating
  /// cheap operators leaves): autodiff/saved_values.h. Nothing: it keeps everything but what
  /// checkpointed regions compute.
  std::optional<double> memory_budget;
  /// Joins collectives before the inference pipeline. Nothing: they stay as they are.
  std::optional<passes::BucketOptions> buckets;
  /// Orders nodes so that computation hides collectives, after the inference pipeline. Ranks of a
  /// communicator agree on prices first. Nothing: nodes keep their order.
  std::optional<passes::JoinOptions> overlap;
  /// Stores compiled kernels on disk for later programs (CacheSettings::from_environment). Off by
  /// default, so that only programs started by users leave files behind; `litz run` and litz::load
  /// set it.
  bool use_cache = false;
  /// Replace what the environment says about the cache, unless empty and 0.
  std::string cache_directory;
  uint64_t cache_bytes = 0;
  /// Threads that several programs share. Null: the program has `threads` of its own.
  std::shared_ptr<ThreadPool> pool;
  /// Records what passes and fusion did, for `Executable::report`. An operator without an
  /// implementation then fails the call that reaches it instead of the whole program.
  bool keep_report = false;
  /// Keeps the code of kernels as bytes, so that saving the program does not compile again.
  bool keep_code = false;
  /// Compiles annotated regions (passes/regions.h), each as a program of its own with its own
  /// options. Everything else runs operator by operator, without optimising passes and fusion; an
  /// operator without an implementation fails the call that reaches it.
  bool regional = false;
  RegionFailure region_failure = RegionFailure::raise;
  /// Replays what a CUDA graph can record as launch lists, unchanged from the export; the rest runs
  /// operator by operator. PyTorch's back end "cudagraphs" does the same; this works on any device.
  /// Needs compiled kernels, and excludes `regional`.
  bool cuda_graphs = false;
  /// The context whose device, memory and steps the program shares with others (runtime/trees), which
  /// excludes test modes. Null: the program is alone.
  std::shared_ptr<runtime::trees::Context> graphs;
  /// Keeps graphs of launches for later calls. Off: every call makes them anew, for comparison.
  bool keeps_graphs = true;
  /// For load_program: one of these keys must have signed the file. Empty: any file is loaded.
  std::vector<PublicKey> trusted_keys;
  /// For load_program: copies the file to memory instead of mapping it.
  bool copies_file = false;
  /// Called when a phase of compiling begins ("fusing"), and during long ones, from any thread: what
  /// a progress line shows. Not called after the constructor of the Executable.
  std::function<void(std::string_view)> on_phase;
  /// Runs launches in test modes. Calls then run one after the other and take many times as long;
  /// profiles have no step times.
  runtime::TestModes test_modes;
};

/// The values of symbols, by name.
using SizesByName = std::map<std::string, int64_t>;

/// Reads a program again with these sizes in place of symbols. Throws Error if it cannot have them.
using ReadAgain = std::function<ir::Program(const SizesByName&)>;

/// What a program shares with the one around it, and what was already done to it.
struct Surroundings {
  ThreadPool* pool = nullptr;      ///< Null: its own pool, if it uses several threads.
  KernelStore* kernels = nullptr;  ///< Replaces the cache; used only while preparing.
  bool passes_ran = false;         ///< The program is already the result of the passes.
  ReadAgain read_again;            ///< For sizes of 0 (empty_sizes.h); null: those are refused.
};

/// The launches of one call outside of control flow.
struct LaunchCounts {
  int64_t kernels = 0;
  int64_t interpreted = 0;  ///< How many of the kernels are interpreted.
  int64_t library_calls = 0;
};

/// The total time of calls and of their steps.
struct Profile {
  int64_t calls = 0;
  double seconds = 0;  ///< Whole calls, including work outside of steps.
  /// By plan and step. Steps of child plans also count in the step that runs the plan.
  std::vector<std::vector<double>> step_seconds;
};

struct CompileReport;
struct ReportedRegion;

/// Holds parameters and buffers with their current contents, and the lowered program. `run` is
/// thread-safe. Buffer state carries over between the calls of one Executable. Calls of a program
/// that changes buffers run one after the other, so that no update is lost; others run in parallel.
class Executable {
 public:
  Executable(ir::Program program, const Options& options)
      : Executable(std::move(program), options, Surroundings{}) {}

  /// Region i of an annotated program (Options::regional) as a program: the only part that is
  /// compiled. Throws Error{invalid_argument} if there is none.
  static std::shared_ptr<Executable> compile_region(ir::Program program, const Options& options,
                                                    size_t i);

  /// A program that was compiled before. Only the options about running calls apply: threads, seed,
  /// guards, test modes.
  Executable(artifact::Program program, const Options& options);
  /// What `surroundings` names must outlive the Executable.
  Executable(ir::Program program, const Options& options, const Surroundings& surroundings);
  ~Executable();
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;

  /// Runs on flat user inputs in order (pytree leaves) and writes mutated inputs in place. Tensors are
  /// on the host or on the program's device. Throws Error for inputs that do not fit: count, dtype,
  /// rank, sizes, ranges, guards.
  std::vector<Leaf> run(std::span<const Leaf> inputs);

  /// A copy on the program's device, which calls need not copy there.
  Tensor on_device(const Tensor& tensor) const;

  /// The device that it runs on.
  Device device() const;

  /// Returns when the work of all calls is done.
  void finish() const;

  /// The memory of its device that the process uses, except on the host.
  runtime::DeviceMemoryUse memory_use() const;

  /// Runs with the buffers of `calls`, which `new_calls` made.
  std::vector<Leaf> run(runtime::ProgramCalls& calls, std::span<const Leaf> inputs);

  /// Like run, and writes the outputs to `into`: see runtime::ProgramCalls::run_into.
  void run_into(runtime::ProgramCalls& calls, std::span<const Leaf> inputs, std::span<Leaf> into);

  /// Calls with buffers of their own, which hold what they held when the program was loaded. They
  /// share code and constant weights with the program, which must outlive them.
  std::unique_ptr<runtime::ProgramCalls> new_calls() const;

  /// The calls of `run`, with the program's buffers.
  runtime::ProgramCalls& calls() const;

  /// Runs as a part of another program's call: draws random numbers under its key
  /// (ops/random_streams.h).
  std::vector<Leaf> run_under_key(std::span<const Leaf> inputs, int64_t key);

  /// Prepares for inputs of these sizes as their first call would, if the program runs as launch
  /// lists.
  void prepare(std::span<const Leaf> inputs);

  /// Like run, and adds to the profile. No other thread may run the program meanwhile.
  std::vector<Leaf> run_profiled(std::span<const Leaf> inputs, Profile& profile);

  /// Like run, and adds the seconds of each launch to `seconds`. Returns the labels of launches, in
  /// order. Throws Error{unsupported} for programs that run step by step.
  std::vector<std::string> run_timed(std::span<const Leaf> inputs, std::vector<double>& seconds);

  /// runtime::TestModes::fault: the nth device call from now throws Error{io} (1 is the next; each region
  /// counts by itself); 0: none does. The error reaches the caller of that run. Later calls behave
  /// as if the failed one had not happened, except for what it wrote in place: inputs, and buffers
  /// that the program updates.
  void fail_call(int64_t n);

  /// The inputs and outputs as callers see them.
  const artifact::Signature& signature() const;

  /// The program as passes left it; null for one that was compiled before.
  const ir::Program* program() const;

  /// The complete compiled program; null for a program that runs from its plans.
  const artifact::Program* compiled() const;

  /// The devices of its tensors at export, in order of first use.
  const std::vector<Device>& exported_on() const;

  /// A description of the compiled program (compile_report.h), with the sizes of a call with these
  /// inputs and, if given, times. Needs Options::keep_report.
  CompileReport report(std::span<const Leaf> inputs, const Profile* profile = nullptr) const;

  /// Excludes the launches of regions.
  LaunchCounts launch_counts() const;

  /// What Options::regional compiled or Options::cuda_graphs recorded, in the order of the calls.
  std::span<const ReportedRegion> regions() const;
  /// Region i as a program. Its inputs are the region's operands that are not weights, then the
  /// sizes that none of these operands has. It stays valid as long as this program.
  std::shared_ptr<Executable> region(size_t i) const;

  /// Makes library calls pack constant weights now instead of in the first call, so that they are
  /// saved with the program. Calls between lists pack nothing. Does nothing for code of another
  /// processor than this one.
  void pack_constants();

  /// The program as a file for load_program (stored_program.h): code, weights, constants packed so
  /// far, signature, and buffers with their current contents. Throws Error{unsupported} for kernels
  /// without code. Programs with regions need Options::keep_code.
  std::vector<std::byte> to_bytes() const;

 private:
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::compiler

// One kind of processor as the compiler sees it: its machine, its code generator and the device
// that runs the code. This interface hides all differences between processors.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "artifact/kernel_code.h"
#include "artifact/program.h"
#include "fusion/fusion.h"
#include "loops/kernel.h"
#include "machine/machine.h"
#include "runtime/device.h"
#include "schedule/schedule.h"
#include "support/hash.h"
#include "support/thread_pool.h"

namespace litz::compiler {

/// Readable forms of generated code.
enum class CodeText : uint8_t {
  generated,  ///< The input of the code generator: LLVM IR before optimisation, CUDA text.
  assembly,
};

/// Thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const machine::Machine& machine() const = 0;
  /// The target that compiled programs record.
  virtual artifact::CodeTarget target() const = 0;
  /// For people: "znver4".
  virtual std::string processor() const = 0;
  /// For people: "512-bit vectors".
  virtual std::string features() const = 0;

  /// True if the host can call the code itself.
  virtual bool runs_on_host() const { return true; }

  // --- Kernels

  /// Why a kernel cannot be compiled ("complex numbers"); nothing when it can.
  virtual std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel) const = 0;
  /// Adds everything besides the kernel that decides its code, for keys of stored code.
  virtual void add_to_key(Hasher& hasher) const = 0;
  virtual fusion::AccessPrice access_price() const = 0;
  /// Builds expressions in the kernel's pool, so one thread at a time may call it.
  virtual schedule::Schedule schedule(loops::Kernel kernel) const = 0;

  /// Compiles kernels one after the other, on one thread.
  class Compiler {
   public:
    virtual ~Compiler() = default;
    /// Code with one entry point per phase, named `prefix` plus the phase's number. The kernel must
    /// not have a reason_not_compiled.
    virtual artifact::KernelCode compile(const schedule::Schedule& schedule,
                                         const std::string& prefix) = 0;
    virtual std::string text(const schedule::Schedule& schedule, CodeText kind) = 0;
  };

  virtual std::unique_ptr<Compiler> make_compiler() const = 0;

  // --- Running

  /// The device that `where` names, or the default one. `pool` must outlive it; null: only the
  /// calling thread works. Throws Error{unsupported} for a device that does not run this code.
  virtual std::shared_ptr<runtime::GraphDevice> make_device(std::optional<Device> where,
                                                            ThreadPool* pool) const = 0;
};

/// The back end of a target by name: one of machine::target_names, or an architecture of NVIDIA's
/// such as "sm_90". Throws Error{invalid_argument} for others, and Error{unsupported} in a build
/// without the code generator.
std::shared_ptr<const Backend> backend_for(std::string_view target);

/// False in a build without LLVM: such a build interprets programs, and runs programs compiled
/// elsewhere.
bool has_code_generator();

/// The machine that interpreted programs are written for, on any processor.
machine::Machine interpreted_machine();

// A null back end means that programs are interpreted:

machine::Machine machine_of(const Backend* backend);
/// What fusion has to know about the layers around it.
fusion::FusionOptions fusion_options(const Backend* backend, bool verify = false);

}  // namespace litz::compiler

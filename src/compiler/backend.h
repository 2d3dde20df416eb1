// One kind of processor as the compiler sees it: what its machine is, how kernels become code for it,
// and where that code runs. All that differs between processors is behind this interface.

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

/// Code as people read it.
enum class CodeText : uint8_t {
  generated,  ///< What the code generator is given: LLVM IR before it is optimised.
  assembly,
};

/// Thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const machine::Machine& machine() const = 0;
  /// What compiled programs say that they were made for.
  virtual artifact::CodeTarget target() const = 0;
  /// For people: "znver4".
  virtual std::string processor() const = 0;
  /// For people: "512-bit vectors".
  virtual std::string features() const = 0;

  // --- Kernels

  /// Why a kernel cannot be compiled ("complex numbers"); nothing when it can.
  virtual std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel) const = 0;
  /// Adds all that decides the code of a kernel besides the kernel, for keys of stored code.
  virtual void add_to_key(Hasher& hasher) const = 0;
  virtual fusion::AccessPrice access_price() const = 0;
  /// Builds expressions in the pool of the kernel, so on one thread at a time.
  virtual schedule::Schedule schedule(loops::Kernel kernel) const = 0;

  /// Compiles kernels one after the other, by one thread.
  class Compiler {
   public:
    virtual ~Compiler() = default;
    /// Code with one entry point per phase, named `prefix` and the phase's number. The kernel must have
    /// no reason_not_compiled.
    virtual artifact::KernelCode compile(const schedule::Schedule& schedule,
                                         const std::string& prefix) = 0;
    virtual std::string text(const schedule::Schedule& schedule, CodeText kind) = 0;
  };

  virtual std::unique_ptr<Compiler> make_compiler() const = 0;

  // --- Running

  /// The device that `where` names, or the usual one. `pool` must outlive it; null: the caller alone.
  /// Throws Error{unsupported} for a device that does not run this code.
  virtual std::shared_ptr<runtime::GraphDevice> make_device(std::optional<Device> where,
                                                            ThreadPool* pool) const = 0;
};

/// The back end of a target by name (machine::target_names). Throws Error{invalid_argument} for others,
/// and Error{unsupported} in a build without a code generator.
std::shared_ptr<const Backend> backend_for(std::string_view target);

/// False in a build without LLVM: programs are interpreted there, and compiled ones are run.
bool has_code_generator();

/// The host, or the simulated device where `where` names it: what runs compiled programs in any build.
std::shared_ptr<runtime::GraphDevice> make_host_device(std::optional<Device> where,
                                                       ThreadPool* pool);

/// What programs are written for that are interpreted, on any processor.
machine::Machine interpreted_machine();

// Of a back end, or of programs that are interpreted where it is null:

machine::Machine machine_of(const Backend* backend);
/// What fusion has to know of the layers around it.
fusion::FusionOptions fusion_options(const Backend* backend, bool verify = false);

}  // namespace litz::compiler

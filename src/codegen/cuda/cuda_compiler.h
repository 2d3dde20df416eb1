// Compiles scheduled kernels for NVIDIA devices: CUDA text, then a module for one architecture.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "artifact/kernel_code.h"
#include "loops/kernel.h"
#include "schedule/schedule.h"

namespace litz::codegen {

/// Stored code is reused while this number stays the same. Raise it with every change to block
/// schedules, the text or its prelude that changes the code of some kernel.
inline constexpr int kCudaGeneratorVersion = 12;

/// Why a kernel cannot be compiled for blocks of threads ("a sort"); nothing when it can.
std::optional<std::string> reason_not_compiled_for_cuda(const loops::Kernel& kernel);

/// A whole CUDA program with one function per phase, named `prefix` and the phase's number.
/// Scheduled by schedule::make_block_schedule.
std::string cuda_text(const schedule::Schedule& schedule, const std::string& prefix);

/// Compiles the text of a kernel for an architecture such as "sm_90". Thread-safe. Throws
/// Error{unsupported} without the run-time compiler.
artifact::KernelCode compile_for_cuda(const schedule::Schedule& schedule, const std::string& prefix,
                                      std::string_view architecture);

}  // namespace litz::codegen

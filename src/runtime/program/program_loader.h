// Loads compiled programs from files, for the processor that this runs on.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "artifact/program.h"
#include "support/signing.h"

namespace litz::runtime {

/// Identifies this library's version and the interface that compiled programs rely on: its
/// functions, by name and order of arguments, and the calling convention of kernels. Files of other
/// builds are refused.
std::string build_name();

/// True if the bytes begin like a compiled program, even a damaged one.
bool is_compiled_program(std::span<const std::byte> bytes);

/// Returns why code of this target does not run here; empty if it does.
std::string reason_not_runnable(const artifact::CodeTarget& target);

/// Reads a compiled program, whose bytes `keeper` owns; weights are views of them. If keys are given,
/// one of them must have signed the file: it is verified before anything behind the frame is looked
/// at. Throws Error{corrupt} "Invalid header" for other files, Error{corrupt} for damaged ones,
/// Error{untrusted} for signatures, and Error{unsupported} for another format, build or processor.
artifact::Program load_program(std::span<const std::byte> bytes,
                               const std::shared_ptr<const void>& keeper,
                               std::span<const PublicKey> trusted = {});

/// Maps a file and reads it. With `copies`, or if keys are given, the file is copied to memory instead,
/// so that nothing that happens to it later matters: the bytes that were verified are those that run.
artifact::Program load_program(const std::string& path, std::span<const PublicKey> trusted = {},
                               bool copies = false);

}  // namespace litz::runtime

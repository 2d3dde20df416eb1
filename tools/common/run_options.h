// Options that `litz run` and `litz-run` share: what a call gets, and where it runs.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/test_modes.h"
#include "types/tensor_type.h"

namespace litz::tools {

/// The help of --input for commands that run programs.
inline constexpr const char* kInputHelp =
    "FILE.npz|.npy|.safetensors, SIZES:DTYPE[:FILL] such as 2x3:f32:rand, or a number; repeat for "
    "several inputs";

struct CallSettings {
  int threads = 0;
  int64_t seed = 0;
  std::string device;  ///< Empty: the default device.
  bool copy_file = false;
};

/// --threads, --seed, --copy-file and --device; `devices` lists the last one's values.
void add_call_options(CLI::App& command, CallSettings& settings, const std::string& devices);
/// --device alone.
void add_device_option(CLI::App& command, std::string& device, const std::string& devices);
/// Parses a device option; nullopt if it is left out.
std::optional<Device> device_option(const std::string& text);

void add_test_mode_option(CLI::App& command, std::string& text);
/// Parses a test mode option. Throws Error for `fault` without a number.
runtime::TestModes test_mode_option(const std::string& text);

/// --operators: calls `add` with each file as soon as it is read, before the program is loaded.
void add_operators_option(CLI::App& command, std::function<void(const std::string& path)> add);

}  // namespace litz::tools

// Texts that repeat a failure of a pass without the program that it was found with.
//
// The text is the module before the pass, under a header that tells litz-check what to run. It has
// no weights: litz-check generates them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace litz::compiler {

enum class ReproducedFailure : uint8_t {
  error,         ///< The pass throws, or its result does not verify.
  wrong_results  ///< The program computes other results afterwards.
};

struct PassReproducer {
  ReproducedFailure failure = ReproducedFailure::error;
  std::string_view pass;
  std::string_view module_before;
  std::string_view message;          ///< What went wrong; may have several lines.
  uint64_t edit_limit = UINT64_MAX;  ///< Rewrites that the pass may make; UINT64_MAX: any.
};

/// The text of a .ir file that litz-check refuses as long as the pass fails.
std::string reproducer_text(const PassReproducer& reproducer);

/// Names of all passes up to this one: "inline-wrappers,decompose".
std::string pipeline_until(std::string_view pass);

}  // namespace litz::compiler

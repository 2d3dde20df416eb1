// Marks parts of compiled functions as regions, which can be compiled alone.
//
//   litz::region("blocks", [&] { return attention(x); })
//
// With Options::regional (CompileOptions::run), only regions are compiled and all else runs operator by
// operator; without it, marks change nothing.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "litz/compile.h"

namespace litz {
inline namespace v1 {

struct RegionOptions {
  /// Regions of one id are compiled together where nothing between them depends on both.
  std::string id;
  /// Options of this region by name, as JSON: {{"fuse", "false"}}. Litz has executor ("cpu", "interpreter"),
  /// target, threads, fuse, optimize and verify; those of PyTorch's compiler are accepted.
  std::map<std::string, std::string> options = {};
};

namespace detail {

/// Marks the operators that this thread states during its life.
class LITZ_API RegionScope {
 public:
  /// Throws Error for options that a region has not.
  explicit RegionScope(const RegionOptions& options);
  ~RegionScope();
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;
};

}  // namespace detail

/// Calls a function of no arguments, whose operators become a region of the function being compiled.
template <typename F>
decltype(auto) region(const RegionOptions& options, F&& function) {
  const detail::RegionScope scope(options);
  return std::forward<F>(function)();
}

template <typename F>
decltype(auto) region(std::string_view id, F&& function) {
  return region(RegionOptions{.id = std::string(id)}, std::forward<F>(function));
}

}  // namespace v1
}  // namespace litz

// Reads what an annotation says about compiling a region: which nodes belong together, and the
// options.
//
//   compile_with_inductor = {"inductor_configs": {"max_autotune": true, "threads": 2},
//                            "inductor_region": 1}
//
// The annotation marks a node whatever its value is; only an object says more. Options of PyTorch's
// compiler are accepted by name and type. Litz's own options are
//
//   executor  "cpu", "interpreter"       fuse      true, false
//   target    "host", "avx2", ...        optimize  true, false
//   threads   0 to 1024; 0: one per CPU  verify    true, false
//
// PyTorch's `cpp.threads` sets `threads`; its other options have no effect here, but nodes that
// differ in them belong to different regions.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace litz::passes {

inline constexpr std::string_view kRegionAnnotation = "compile_with_inductor";

/// Options by name, values as canonical JSON.
using RegionConfig = std::map<std::string, std::string, std::less<>>;

/// Only nodes with equal keys may be compiled together.
struct RegionKey {
  std::string id;  ///< Empty: none.
  RegionConfig config;
  bool is_backward = false;

  auto operator<=>(const RegionKey&) const = default;
};

/// "{fuse: false, max_autotune: true}", preceded by "region 1 " and followed by " backward" if set.
std::string to_string(const RegionKey& key);

/// The key as an annotation's value.
std::string annotation_value(const RegionKey& key);

/// The key from the node's annotations; nothing for an unmarked node. Throws
/// Error{invalid_argument} for unknown options and wrong types, with a note that names the node and
/// its source location.
std::optional<RegionKey> region_key(const ir::Node& node);

/// The key that an annotation's value describes. Throws the same error, without the note.
RegionKey parse_region_key(std::string_view value);

/// The value for nodes of a region inside another: the inner one's id and options, and the outer
/// one's options that the inner one leaves open. For Graph::annotate and tracers.
std::string nested_region(std::string_view outer, std::string_view inner);

/// Copies the marks of a call to a node of the body that replaces it: the node's own options win. A
/// bad value stays, so that reading the node's key reports it.
void inherit_region(const ir::Node& call, ir::Node& node);

/// The meaning of a key's options; unset: as for the rest of the program.
struct RegionOptions {
  std::optional<std::string> executor;
  std::optional<std::string> target;
  std::optional<int> threads;
  std::optional<bool> fuse;
  std::optional<bool> optimize;
  std::optional<bool> verify;
};

RegionOptions region_options(const RegionKey& key);

}  // namespace litz::passes

// What an annotation says about how a region is compiled: which regions are one, and the options.
//
//   compile_with_inductor = {"inductor_configs": {"max_autotune": true, "threads": 2},
//                            "inductor_region": 1}
//
// The annotation marks a node whatever its value; only an object says more. Options of
// PyTorch's compiler are accepted by name and type. Those of Litz are
//
//   executor  "cpu", "interpreter"       fuse      true, false
//   target    "host", "avx2", ...        optimize  true, false
//   threads   0 to 1024; 0: one a CPU    verify    true, false
//
// `cpp.threads` of PyTorch means `threads`; its other options have no effect here, but nodes that
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

/// Nodes with equal keys may be compiled together, others not.
struct RegionKey {
  std::string id;  ///< Empty: none was given.
  RegionConfig config;
  bool is_backward = false;

  auto operator<=>(const RegionKey&) const = default;
};

/// "{fuse: false, max_autotune: true}", with "region 1 " before it and " backward" behind it.
std::string to_string(const RegionKey& key);

/// The same as an annotation's value.
std::string annotation_value(const RegionKey& key);

/// The key that the node's annotations give it; nothing for a node that is not marked. Throws
/// Error{invalid_argument} for options that do not exist or have the wrong type, with a note that
/// names the node and its place in the source.
std::optional<RegionKey> region_key(const ir::Node& node);

/// The key that an annotation's value stands for. Throws the same, without the note.
RegionKey parse_region_key(std::string_view value);

/// The value for nodes of a region inside of another: the options and the id of the inner one,
/// and those of the outer one that it leaves open. For Graph::annotate and tracers.
std::string nested_region(std::string_view outer, std::string_view inner);

/// Hands the marks of a call over to a node of the body that takes its place: the node's own options
/// win. A bad value stays as it is, for whoever asks for the node's key.
void inherit_region(const ir::Node& call, ir::Node& node);

/// What a key's options mean here; unset: as for the rest of the program.
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

// Facts that users and tracers attach to a node, by key, and the rules for copying each key.
//
// One table declares the keys: the type of their values, how the values of several replaced nodes
// merge, whether nodes that differ in them may be merged, and whether the backward node of an
// annotated node gets them. Undeclared keys (a user's own) are opaque: copies of a node keep them,
// but merging several nodes drops them, with a debug line.
//
// Types, source lines, modules and history are not annotations but fields of values and nodes.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace litz::ir {

/// Values by key, in the form that the key's type requires.
using Annotations = std::map<std::string, std::string, std::less<>>;

enum class AnnotationType : uint8_t {
  text,      ///< Anything.
  word,      ///< Letters, digits, `_`, `.`, `-`; one of the key's choices if it has some.
  words,     ///< Words separated by ", ", each once.
  boolean,   ///< "true" or "false".
  integer,   ///< A decimal number of 64 bits.
  integers,  ///< Integers separated by ", ".
  real,      ///< A decimal number, "inf" or "nan".
  json,      ///< A JSON value.
};

/// How a key merges when several nodes become one. Nodes without the key are ignored.
enum class MergeRule : uint8_t {
  inherit,   ///< The first value.
  unite,     ///< The words of all, in order of first appearance.
  drop,      ///< Nothing: the value described one node.
  conflict,  ///< The common value; different values are an error.
};

struct AnnotationKey {
  std::string_view name;
  AnnotationType type = AnnotationType::text;
  MergeRule merge = MergeRule::inherit;
  bool keeps_apart = false;  ///< Nodes that differ in it must not be merged as equal.
  bool backward = false;     ///< The node's gradient nodes also get it.
  bool printable = true;     ///< Part of the text form.
  std::string_view doc;
  std::string_view choices = "";  ///< Words separated by spaces; empty: any.
};

/// All declared keys, sorted by name.
std::span<const AnnotationKey> annotation_keys();
/// Null for opaque keys.
const AnnotationKey* find_annotation_key(std::string_view name);

/// Why the value does not fit the key; empty if it does. Opaque keys accept any value.
std::string annotation_error(std::string_view key, std::string_view value);

/// The annotations of a node that replaces nodes with these. A single source is copied completely.
/// Throws Error{invalid_argument} if values conflict under MergeRule::conflict.
Annotations merge_annotations(std::span<const Annotations* const> sources);

/// False if some key keeps nodes with these annotations apart (common subexpressions).
bool may_share_node(const Annotations& a, const Annotations& b);

/// The annotations that gradient nodes inherit from the differentiated node. Includes opaque keys,
/// which belong to users.
Annotations backward_annotations(const Annotations& forward);

/// True if the text form shows the key.
bool is_printable(std::string_view key);

}  // namespace litz::ir

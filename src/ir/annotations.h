// What users and tracers say about a node, by key, and the rules by which each key travels.
//
// Keys are declared in one table: the type of their values, what becomes of them when several nodes
// are replaced by one, whether nodes that differ in them may be merged, and whether the backward
// node of an annotated node gets them. Keys that nobody declared (a user's own) are opaque: copies
// of a node keep them, but when several nodes become one they are dropped, with a debug line.
//
// Not here: types, source lines, modules and history have fields of their own on values and nodes.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace litz::ir {

/// Values by key, in the spelling that the key's type demands.
using Annotations = std::map<std::string, std::string, std::less<>>;

enum class AnnotationType : uint8_t {
  text,      ///< Anything.
  word,      ///< Letters, digits, `_`, `.`, `-`; one of the key's choices where it has some.
  words,     ///< Words separated by ", ", each once.
  boolean,   ///< "true" or "false".
  integer,   ///< A decimal number of 64 bits.
  integers,  ///< Integers separated by ", ".
  real,      ///< A decimal number, "inf" or "nan".
  json,      ///< A JSON value.
};

/// What several nodes that become one leave of a key. A node without the key has no opinion.
enum class MergeRule : uint8_t {
  inherit,   ///< The value of the first that has one.
  unite,     ///< The words of all, in order of first appearance.
  drop,      ///< Nothing: it described one node.
  conflict,  ///< The value that all agree on; different values are an error.
};

struct AnnotationKey {
  std::string_view name;
  AnnotationType type = AnnotationType::text;
  MergeRule merge = MergeRule::inherit;
  bool keeps_apart = false;  ///< Nodes that differ in it must not be merged as equal.
  bool backward = false;     ///< The gradient nodes of the node get it, too.
  bool printable = true;     ///< Part of the text form.
  std::string_view doc;
  std::string_view choices = "";  ///< Of words, separated by spaces; empty: any.
};

/// All declared keys, sorted by name.
std::span<const AnnotationKey> annotation_keys();
/// Null for opaque keys.
const AnnotationKey* find_annotation_key(std::string_view name);

/// Why the value does not fit the key, or empty. Any value fits an opaque key.
std::string annotation_error(std::string_view key, std::string_view value);

/// What a node that replaces nodes with these annotations gets. One source is copied whole. Throws
/// Error{invalid_argument} when keys disagree that must not.
Annotations merge_annotations(std::span<const Annotations* const> sources);

/// False when some key keeps nodes with these annotations apart (common subexpressions).
bool may_share_node(const Annotations& a, const Annotations& b);

/// The part that gradient nodes take over from the node that they differentiate. Opaque keys are
/// users' and go along.
Annotations backward_annotations(const Annotations& forward);

/// The part that the text form shows.
bool is_printable(std::string_view key);

}  // namespace litz::ir

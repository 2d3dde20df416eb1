// The table of annotation keys and its consequences. See annotations.h.

#include "ir/annotations.h"

#include <algorithm>
#include <array>
#include <vector>

#include "support/check.h"
#include "support/json.h"
#include "support/log.h"
#include "support/text.h"

namespace litz::ir {
namespace {

using enum AnnotationType;

// Sorted by name.
constexpr std::array kKeys{
    AnnotationKey{.name = "ac_graph_id",
                  .type = integer,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .doc = "The activation checkpoint region that the node belongs to."},
    AnnotationKey{.name = "backward",
                  .type = word,
                  .merge = MergeRule::inherit,
                  .doc = "The node belongs to the backward part of a program: it depends on "
                         "cotangents, or repeats a node of the forward part for those that do.",
                  .choices = "gradient recomputed"},
    AnnotationKey{.name = "bucket_lines",
                  .doc = "The source lines of the collectives that a bucketed one stands for."},
    AnnotationKey{.name = "bucket_sources",
                  .type = words,
                  .merge = MergeRule::unite,
                  .doc = "The collectives that a bucketed one stands for."},
    AnnotationKey{.name = "collective_role",
                  .type = word,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .doc = "What the collective is for; without it, its neighbours tell.",
                  .choices = "parameter_gather gradient_scatter other"},
    AnnotationKey{.name = "compile_with_inductor",
                  .type = json,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .backward = true,
                  .doc = "The node belongs to a region compiled on its own, with these options."},
    AnnotationKey{.name = "donated",
                  .type = integers,
                  .merge = MergeRule::drop,
                  .keeps_apart = true,
                  .doc = "Operands, by position, whose memory the node may reuse: nobody reads "
                         "them afterwards."},
    AnnotationKey{
        .name = "exported_name",
        .merge = MergeRule::drop,
        .printable = false,
        .doc = "The name in the exported program of a node that has not exactly one result."},
    AnnotationKey{.name = "fwd_nn_module_stack",
                  .merge = MergeRule::inherit,
                  .printable = false,
                  .doc = "Modules around the forward node that a gradient node belongs to."},
    AnnotationKey{.name = "memory_budget",
                  .type = real,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .doc = "Share of the activations between 0 and 1 that the region may save."},
    AnnotationKey{.name = "nested_region_config",
                  .type = json,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .doc = "Options of the child graph that the node calls."},
    AnnotationKey{.name = "partition",
                  .type = integer,
                  .merge = MergeRule::drop,
                  .doc = "Number of the set of nodes that was proposed with the node in it."},
    AnnotationKey{.name = "partitioner_tag",
                  .type = word,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .doc = "Which side of a joint graph the node must be on.",
                  .choices = "is_forward is_backward must_be_in_forward must_be_in_backward"},
    AnnotationKey{.name = "random_stream",
                  .type = integer,
                  .merge = MergeRule::inherit,
                  .keeps_apart = true,
                  .doc = "The stream of random numbers that the node draws from."},
    AnnotationKey{.name = "recompute",
                  .type = word,
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .doc = "Whether the backward pass saves the node's results or repeats it.",
                  .choices = "must_save must_recompute prefer_save prefer_recompute"},
    AnnotationKey{.name = "region",
                  .merge = MergeRule::conflict,
                  .keeps_apart = true,
                  .backward = true,
                  .doc = "The region that the node belongs to; regions are compiled on their own."},
    AnnotationKey{.name = "seq_nr",
                  .type = integer,
                  .merge = MergeRule::inherit,
                  .backward = true,
                  .doc = "Pairs gradient nodes with the forward node that they belong to."},
};

static_assert(std::ranges::is_sorted(kKeys, {}, &AnnotationKey::name));

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

std::vector<std::string_view> elements(std::string_view list) {
  if (list.empty()) return {};
  std::vector<std::string_view> parts = split(list, ',');
  for (std::string_view& part : parts) part = trim(part);
  return parts;
}

bool is_json(std::string_view text) {
  try {
    JsonDocument::parse(text, "annotation");
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool fits(AnnotationType type, std::string_view value) {
  switch (type) {
    case text:
      return true;
    case word:
      return is_word(value);
    case words: {
      std::vector<std::string_view> parts = elements(value);
      if (!std::ranges::all_of(parts, is_word)) return false;
      std::ranges::sort(parts);
      return std::ranges::adjacent_find(parts) == parts.end();
    }
    case boolean:
      return value == "true" || value == "false";
    case integer:
      return parse_int(value).has_value();
    case integers:
      return std::ranges::all_of(elements(value),
                                 [](std::string_view part) { return parse_int(part).has_value(); });
    case real:
      return parse_double(value).has_value();
    case json:
      return is_json(value);
  }
  return false;
}

std::string_view spelling(AnnotationType type) {
  switch (type) {
    case text:
      return "text";
    case word:
      return "a word";
    case words:
      return "words separated by commas, each once";
    case boolean:
      return "true or false";
    case integer:
      return "an integer";
    case integers:
      return "integers separated by commas";
    case real:
      return "a number";
    case json:
      return "a JSON value";
  }
  return "";
}

void unite(std::string& value, std::string_view more) {
  std::vector<std::string_view> all = elements(value);
  for (const std::string_view part : elements(more)) {
    if (std::ranges::find(all, part) == all.end()) all.push_back(part);
  }
  value = join(all, ", ");
}

}  // namespace

std::span<const AnnotationKey> annotation_keys() { return kKeys; }

const AnnotationKey* find_annotation_key(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kKeys, name, {}, &AnnotationKey::name);
  return found != kKeys.end() && found->name == name ? found : nullptr;
}

std::string annotation_error(std::string_view key, std::string_view value) {
  if (key.empty()) return "an annotation must have a key";
  const AnnotationKey* declared = find_annotation_key(key);
  if (declared == nullptr) return "";
  const auto expected = [&](std::string_view what) {
    return "annotation " + std::string(key) + " must be " + std::string(what) + ": " + quote(value);
  };
  if (!fits(declared->type, value)) return expected(spelling(declared->type));
  if (declared->choices.empty()) return "";
  const std::vector<std::string_view> choices = split(declared->choices, ' ');
  if (std::ranges::find(choices, value) != choices.end()) return "";
  return expected("one of " + join(choices, ", "));
}

Annotations merge_annotations(std::span<const Annotations* const> sources) {
  if (sources.empty()) return {};
  if (sources.size() == 1) return *sources.front();
  Annotations merged;
  std::vector<std::string_view> dropped;
  for (const Annotations* source : sources) {
    for (const auto& [key, value] : *source) {
      const AnnotationKey* declared = find_annotation_key(key);
      if (declared == nullptr) dropped.push_back(key);
      if (declared == nullptr || declared->merge == MergeRule::drop) continue;
      const auto [known, fresh] = merged.try_emplace(key, value);
      if (fresh) continue;
      if (declared->merge == MergeRule::unite) unite(known->second, value);
      require(declared->merge != MergeRule::conflict || known->second == value,
              "nodes that are merged must agree on the annotation", key, "-", known->second, "and",
              value);
    }
  }
  if (!dropped.empty() && log_enabled(LogLevel::debug)) {
    std::ranges::sort(dropped);
    dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
    log(LogLevel::debug, "annotations of merged nodes are dropped: " + join(dropped, ", "));
  }
  return merged;
}

bool may_share_node(const Annotations& a, const Annotations& b) {
  return std::ranges::all_of(kKeys, [&](const AnnotationKey& key) {
    if (!key.keeps_apart) return true;
    const auto left = a.find(key.name);
    const auto right = b.find(key.name);
    if (left == a.end() || right == b.end()) return left == a.end() && right == b.end();
    return left->second == right->second;
  });
}

Annotations backward_annotations(const Annotations& forward) {
  Annotations backward;
  for (const auto& [key, value] : forward) {
    const AnnotationKey* declared = find_annotation_key(key);
    if (declared == nullptr || declared->backward) backward.emplace(key, value);
  }
  return backward;
}

bool is_printable(std::string_view key) {
  const AnnotationKey* declared = find_annotation_key(key);
  return declared == nullptr || declared->printable;
}

}  // namespace litz::ir

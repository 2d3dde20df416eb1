#include "import/pytree.h"

#include <optional>

#include "support/check.h"
#include "support/json.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

constexpr const char* kDocument = "tree spec";
constexpr int kMaxDepth = 256;

// The keys of a container's children if its context lists them; otherwise positions are used.
std::vector<std::string> child_keys(const JsonValue& node) {
  std::vector<std::string> keys;
  const JsonValue* context = node.get("context");
  if (context == nullptr) return keys;
  std::optional<JsonDocument> parsed;
  const JsonValue* list = context;
  if (context->is_object()) list = context->get("dict_context");
  if (list != nullptr && list->is_string()) {
    try {
      parsed.emplace(JsonDocument::parse(list->as_string(), kDocument));
      list = &parsed->root();
    } catch (const Error&) {
      return keys;  // A type name or other plain text.
    }
  }
  if (list == nullptr || !list->is_array()) return keys;
  // Dataclasses list their fields in an inner list.
  std::span<const JsonValue> items = list->as_array();
  if (!items.empty() && items.front().is_array()) items = items.front().as_array();
  for (const JsonValue& item : items) {
    if (item.is_string()) {
      keys.push_back("['" + std::string(item.as_string()) + "']");
    } else if (item.is_int()) {
      keys.push_back("[" + std::to_string(item.as_int()) + "]");
    } else {
      return {};
    }
  }
  return keys;
}

class LeafNamer {
 public:
  void walk(const JsonValue& node, const std::string& name, int depth) {
    require(depth < kMaxDepth, ErrorCode::limit_exceeded,
            "J2: containers may nest at most 256 deep in a tree spec");
    const JsonValue* type = node.get("type", kDocument);
    if (type == nullptr) {
      leaves_.push_back(name);
      return;
    }
    const auto children = node.at("children_spec", kDocument).as_array(kDocument);
    const std::vector<std::string> keys = child_keys(node);
    for (size_t i = 0; i < children.size(); ++i) {
      const std::string key =
          keys.size() == children.size() ? keys[i] : "[" + std::to_string(i) + "]";
      walk(children[i], name + key, depth + 1);
    }
  }

  std::vector<std::string> take() { return std::move(leaves_); }

 private:
  std::vector<std::string> leaves_;
};

const JsonValue& spec_root(const JsonDocument& document) {
  const JsonValue& version = document.root().at(size_t{0}, kDocument);
  require(version.is_int() && version.as_int() == 1, ErrorCode::unsupported,
          "J7: the version of a tree spec must be 1");
  return document.root().at(size_t{1}, kDocument);
}

}  // namespace

std::vector<std::string> input_leaf_names(std::string_view spec,
                                          const std::vector<std::string>& forward_names) {
  const JsonDocument document = JsonDocument::parse(spec, kDocument);
  const JsonValue& root = spec_root(document);
  const auto parts = root.at("children_spec", kDocument).as_array(kDocument);
  require(parts.size() == 2, ErrorCode::corrupt,
          "J5: an input spec must hold positional and keyword arguments:", parts.size());
  LeafNamer namer;
  const auto positional = parts[0].at("children_spec", kDocument).as_array(kDocument);
  for (size_t i = 0; i < positional.size(); ++i) {
    // Arguments beyond the names belong to *args, which is the last name.
    std::string name = "arg" + std::to_string(i);
    if (i < forward_names.size()) name = forward_names[i];
    namer.walk(positional[i], name, 0);
  }
  const auto keywords = parts[1].at("children_spec", kDocument).as_array(kDocument);
  const std::vector<std::string> keys = child_keys(parts[1]);
  for (size_t i = 0; i < keywords.size(); ++i) {
    std::string name = "kwarg" + std::to_string(i);
    if (i < keys.size() && keys[i].size() > 4) name = keys[i].substr(2, keys[i].size() - 4);
    namer.walk(keywords[i], name, 0);
  }
  return namer.take();
}

std::vector<std::string> output_leaf_names(std::string_view spec) {
  const JsonDocument document = JsonDocument::parse(spec, kDocument);
  const JsonValue& root = spec_root(document);
  LeafNamer namer;
  namer.walk(root, "", 0);
  std::vector<std::string> names = namer.take();
  if (names.size() == 1 && names[0].empty()) names[0] = "out";
  return names;
}

}  // namespace litz::import_

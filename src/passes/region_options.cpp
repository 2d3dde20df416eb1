// Annotations of regions: a table of Litz's options, one of PyTorch's, and the values that they
// take.

#include "passes/region_options.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ir/printer.h"
#include "machine/cpu_targets.h"
#include "machine/executors.h"
#include "passes/inductor_options.h"
#include "support/check.h"
#include "support/json.h"
#include "support/json_writer.h"
#include "support/text.h"
#include "support/thread_pool.h"

namespace litz::passes {
namespace {

constexpr std::string_view kConfigs = "inductor_configs";
constexpr std::string_view kRegionId = "inductor_region";
constexpr int64_t kMostThreads = ThreadPool::kMostThreads;
// PyTorch's spelling of `threads`.
constexpr std::string_view kCppThreads = "cpp.threads";

struct OwnOption {
  std::string_view name;
  InductorType type;
  std::vector<std::string_view> (*choices)() = nullptr;  ///< The valid texts.
};

constexpr std::array kOwnOptions{
    OwnOption{"executor", InductorType::text, machine::executor_names},
    OwnOption{"fuse", InductorType::flag},
    OwnOption{"optimize", InductorType::flag},
    OwnOption{"target", InductorType::text, machine::target_names},
    OwnOption{"threads", InductorType::integer},
    OwnOption{"verify", InductorType::flag},
};

const OwnOption* find_own(std::string_view name) {
  const auto* found = std::ranges::find(kOwnOptions, name, &OwnOption::name);
  return found == kOwnOptions.end() ? nullptr : found;
}

std::string compact(const JsonValue& value) {
  JsonWriter out;
  return out.value(value).take();
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view wanted,
                               const JsonValue& value) {
  const std::string message = "Invalid inductor config value for key '" + std::string(name) +
                              "' in regional_inductor annotation: it must be " +
                              std::string(wanted) + ", but is " + compact(value);
  fail(ErrorCode::invalid_argument, message.c_str());
}

[[noreturn]] void refuse_name(std::string_view name, std::string_view what,
                              std::span<const std::string_view> known) {
  std::string message = "Invalid inductor " + std::string(what) + " '" + std::string(name) +
                        "' in regional_inductor annotation";
  if (const auto near = closest(name, known)) {
    message += ": did you mean '" + std::string(*near) + "'?";
  }
  fail(ErrorCode::invalid_argument, message.c_str());
}

std::string_view spelling(InductorType type) {
  switch (type) {
    case InductorType::flag:
      return "true or false";
    case InductorType::integer:
      return "an integer";
    case InductorType::real:
      return "a number";
    case InductorType::text:
      return "a text";
    case InductorType::anything:
      return "a value";
  }
  return "";
}

bool fits(InductorType type, const JsonValue& value) {
  switch (type) {
    case InductorType::flag:
      return value.is_bool();
    case InductorType::integer:
      return value.is_int();
    case InductorType::real:
      return value.is_real() || value.is_int();
    case InductorType::text:
      return value.is_string();
    case InductorType::anything:
      return true;
  }
  return false;
}

void require_own(const OwnOption& option, const JsonValue& value) {
  if (!fits(option.type, value)) refuse_value(option.name, spelling(option.type), value);
  if (option.type == InductorType::integer &&
      (value.as_int() < 0 || value.as_int() > kMostThreads)) {
    refuse_value(option.name, "an integer from 0 to " + std::to_string(kMostThreads), value);
  }
  if (option.choices == nullptr) return;
  const std::vector<std::string_view> choices = option.choices();
  if (std::ranges::find(choices, value.as_string()) == choices.end()) {
    refuse_value(option.name, "one of " + join(choices, ", "), value);
  }
}

/// The value as canonical JSON.
std::string checked(std::string_view name, const JsonValue& value) {
  if (const OwnOption* own = find_own(name)) {
    require_own(*own, value);
    return compact(value);
  }
  const std::optional<InductorOption> known = find_inductor_option(name);
  if (!known) {
    std::vector<std::string_view> names = inductor_option_names();
    for (const OwnOption& own : kOwnOptions) names.push_back(own.name);
    refuse_name(name, "config key", names);
  }
  if (value.is_null() && known->is_optional) return "null";
  if (!fits(known->type, value)) {
    refuse_value(name, std::string(spelling(known->type)) + (known->is_optional ? " or None" : ""),
                 value);
  }
  // 1 and 1.0 are the same number.
  if (known->type == InductorType::real) return format_double(value.as_double());
  return compact(value);
}

std::string id_text(const JsonValue& id) {
  if (id.is_string()) return std::string(id.as_string());
  if (!id.is_int()) refuse_value(kRegionId, "a text or an integer", id);
  return std::to_string(id.as_int());
}

}  // namespace

RegionKey parse_region_key(std::string_view value) {
  const JsonDocument document = JsonDocument::parse(value, kRegionAnnotation);
  RegionKey key;
  if (!document.root().is_object()) return key;
  constexpr std::array known{kConfigs, kRegionId};
  for (const JsonMember& member : document.root().as_object()) {
    if (member.key == kRegionId) {
      key.id = id_text(member.value);
    } else if (member.key == kConfigs) {
      if (!member.value.is_object()) refuse_value(kConfigs, "an object of options", member.value);
      for (const JsonMember& option : member.value.as_object()) {
        key.config.emplace(option.key, checked(option.key, option.value));
      }
    } else if (closest(member.key, known)) {
      refuse_name(member.key, "entry", known);
    }  // Other entries belong to users.
  }
  return key;
}

std::optional<RegionKey> region_key(const ir::Node& node) {
  const ir::Annotations& annotations = node.annotations();
  const auto marked = annotations.find(kRegionAnnotation);
  const auto id = annotations.find("region");
  if (marked == annotations.end() && id == annotations.end()) return std::nullopt;
  try {
    RegionKey key;
    if (marked != annotations.end()) key = parse_region_key(marked->second);
    if (key.id.empty() && id != annotations.end()) key.id = id->second;
    const auto tag = annotations.find("partitioner_tag");
    key.is_backward = tag != annotations.end() && tag->second.ends_with("backward");
    return key;
  } catch (Error& error) {
    error.add_note("in the annotation of " + ir::node_context(node));
    throw;
  }
}

std::string to_string(const RegionKey& key) {
  std::string text;
  if (!key.id.empty()) text += "region " + key.id + " ";
  std::vector<std::string> options;
  options.reserve(key.config.size());
  for (const auto& [name, value] : key.config) options.push_back(name + ": " + value);
  text += "{" + join(options, ", ") + "}";
  return text + (key.is_backward ? " backward" : "");
}

std::string annotation_value(const RegionKey& key) {
  JsonWriter out;
  out.begin_object();
  if (!key.config.empty()) {
    out.key(kConfigs).begin_object();
    for (const auto& [name, value] : key.config) {
      out.key(name).value(JsonDocument::parse(value, name).root());
    }
    out.end_object();
  }
  if (!key.id.empty()) out.member(kRegionId, key.id);
  return out.end_object().take();
}

std::string nested_region(std::string_view outer, std::string_view inner) {
  const RegionKey around = parse_region_key(outer);
  RegionKey key = parse_region_key(inner);
  if (key.id.empty()) key.id = around.id;
  key.config.insert(around.config.begin(), around.config.end());
  return annotation_value(key);
}

namespace {

/// The result of nested_region, or the invalid one of the two.
std::string nested_or_bad(const std::string& outer, const std::string& inner) {
  for (const std::string* value : {&outer, &inner}) {
    try {
      parse_region_key(*value);
    } catch (const Error&) {
      return *value;
    }
  }
  return nested_region(outer, inner);
}

}  // namespace

void inherit_region(const ir::Node& call, ir::Node& node) {
  const ir::Annotations& around = call.annotations();
  const auto mark = around.find(kRegionAnnotation);
  const auto id = around.find("region");
  if (mark == around.end() && id == around.end()) return;
  ir::Annotations own = node.annotations();
  if (mark != around.end()) {
    const auto [found, is_new] = own.insert(*mark);
    if (!is_new) found->second = nested_or_bad(mark->second, found->second);
  }
  if (id != around.end()) own.insert(*id);
  node.graph().set_annotations(&node, std::move(own));
}

RegionOptions region_options(const RegionKey& key) {
  const auto text = [&](std::string_view name) -> std::optional<std::string> {
    const auto found = key.config.find(name);
    return found == key.config.end() ? std::nullopt : unquote(found->second);
  };
  const auto flag = [&](std::string_view name) -> std::optional<bool> {
    const auto found = key.config.find(name);
    return found == key.config.end() ? std::nullopt : std::optional(found->second == "true");
  };
  RegionOptions options;
  options.executor = text("executor");
  options.target = text("target");
  for (const std::string_view name : {kCppThreads, std::string_view("threads")}) {
    const auto found = key.config.find(name);
    if (found == key.config.end()) continue;
    // PyTorch's -1 means all CPUs.
    const int64_t threads = parse_int(found->second).value_or(0);
    options.threads = static_cast<int>(std::clamp<int64_t>(threads, 0, kMostThreads));
  }
  options.fuse = flag("fuse");
  options.optimize = flag("optimize");
  options.verify = flag("verify");
  return options;
}

}  // namespace litz::passes

#include "import/node_metadata.h"

#include <optional>
#include <string_view>

#include "ir/streams.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/log.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

std::optional<std::string_view> text_member(const JsonValue& metadata, std::string_view key) {
  if (!metadata.is_object()) return std::nullopt;
  const JsonValue* value = metadata.get(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->as_string();
}

struct Frame {
  std::string_view file;
  int line = 0;
};

// A line of a traceback: `File "layer.py", line 41, in forward`.
std::optional<Frame> parse_frame(std::string_view line) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  line = trim(line);
  if (!line.starts_with(kFile)) return std::nullopt;
  line.remove_prefix(kFile.size());
  const size_t end = line.find(kLine);
  if (end == std::string_view::npos) return std::nullopt;
  Frame frame{line.substr(0, end), 0};
  line.remove_prefix(end + kLine.size());
  const auto number = parse_int(line.substr(0, line.find_first_not_of("0123456789")));
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  frame.line = static_cast<int>(*number);
  return frame;
}

// Generated code and PyTorch's own files do not help users.
bool is_users_code(std::string_view file) {
  return !file.starts_with('<') && !file.starts_with("torch/") &&
         file.find("site-packages/torch/") == std::string_view::npos;
}

// Entries are `key,path,type`, separated by semicolons; the last is the innermost module.
std::string_view innermost_module(std::string_view stack) {
  const std::string_view entry = stack.substr(stack.rfind(';') + 1);  // npos + 1 == 0
  const size_t first = entry.find(',');
  if (first == std::string_view::npos) return {};
  const std::string_view rest = entry.substr(first + 1);
  const std::string_view path = rest.substr(0, rest.find(','));
  return path.starts_with('_') ? std::string_view() : path;
}

}  // namespace

ir::Location read_location(const JsonValue& metadata) {
  ir::Location location;
  if (const auto trace = text_member(metadata, "stack_trace")) {
    location.stack_trace = std::string(*trace);
    std::optional<Frame> best;
    for (const std::string_view line : split(*trace, '\n')) {
      const auto frame = parse_frame(line);
      if (frame && (!best || is_users_code(frame->file) || !is_users_code(best->file))) {
        best = frame;
      }
    }
    if (best) {
      location.file = std::string(best->file);
      location.line = best->line;
    }
  }
  if (const auto stack = text_member(metadata, "nn_module_stack")) {
    location.module_path = std::string(innermost_module(*stack));
  }
  return location;
}

namespace {

/// The value in the form that the key's type requires: text unquoted, JSON with its quotes.
std::string annotation_text(std::string_view key, const JsonValue& value) {
  const ir::AnnotationKey* declared = ir::find_annotation_key(key);
  const bool keeps_quotes = declared != nullptr && declared->type == ir::AnnotationType::json;
  if (value.is_string() && !keeps_quotes) return std::string(value.as_string());
  JsonWriter out;
  out.value(value);
  return out.take();
}

std::string context(const JsonValue& metadata) {
  const std::string place = describe(read_location(metadata));
  return place.empty() ? place : " (" + place + ")";
}

}  // namespace

ir::Annotations read_annotations(const JsonValue& metadata) {
  ir::Annotations annotations;
  const auto custom = text_member(metadata, "custom");
  if (!custom) return annotations;
  try {
    const JsonDocument document = JsonDocument::parse(*custom, "custom");
    for (const JsonMember& member : document.root().as_object()) {
      if (member.key.starts_with("_torchdynamo_")) continue;  // A tracer's internal mark.
      if (member.key == ir::kStreamAnnotation)
        continue;  // The importer numbers streams
                   // itself.
      std::string value = annotation_text(member.key, member.value);
      // A user's key may coincide with a declared one and have another meaning.
      const std::string error = ir::annotation_error(member.key, value);
      if (error.empty()) {
        annotations.emplace(member.key, std::move(value));
      } else {
        log(LogLevel::warning, "the annotation " + quote(member.key) +
                                   " of a node is left out: " + error + context(metadata));
      }
    }
  } catch (const Error& error) {
    annotations.clear();
    log(LogLevel::warning,
        std::string("the annotations of a node are left out: ") + error.what() + context(metadata));
  }
  return annotations;
}

std::string describe(const ir::Location& location) {
  if (!location.file.empty()) {
    const std::string_view file = location.file;
    return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(location.line);
  }
  return location.module_path;
}

}  // namespace litz::import_

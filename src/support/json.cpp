// The parser. simdjson checks the grammar and the encoding, and unescapes strings into a buffer
// that the document owns. One recursive walk over its result then checks the limits and builds the
// tree in an arena. Lookup in large objects uses a sorted order stored after their members, which
// also finds duplicate keys.

#include "support/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "support/arena.h"
#include "support/text.h"

namespace litz {
namespace {

namespace dom = simdjson::dom;

// Up to this many members a linear scan beats a binary search and needs no extra memory.
constexpr uint32_t kIndexedObject = 8;

// The sorted order of an indexed object follows its members in memory.
const uint32_t* order_of(const JsonMember* members, uint32_t count) {
  return reinterpret_cast<const uint32_t*>(members + count);
}

}  // namespace

struct JsonDocument::Storage {
  dom::parser parser;  // Owns the strings.
  Arena arena;
  JsonValue root;
};

/// Converts simdjson's tape to our tree.
class JsonTreeBuilder {
 public:
  /// `may_hold_surrogates`: the text has \uDxxx escapes, the only way to a lone surrogate.
  JsonTreeBuilder(Arena& arena, std::string_view origin, const JsonOptions& options,
                  bool may_hold_surrogates)
      : arena_(arena),
        origin_(origin),
        options_(options),
        may_hold_surrogates_(may_hold_surrogates) {}

  JsonValue build(dom::element element) {
    JsonValue value;
    switch (element.type()) {
      case dom::element_type::ARRAY:
        return build_array(element.get_array().value_unsafe());
      case dom::element_type::OBJECT:
        return build_object(element.get_object().value_unsafe());
      case dom::element_type::INT64:
        value.kind_ = JsonKind::integer;
        value.integer_ = element.get_int64().value_unsafe();
        return value;
      case dom::element_type::UINT64:
        value.kind_ = JsonKind::real;
        value.beyond_int64_ = true;
        value.real_ = static_cast<double>(element.get_uint64().value_unsafe());
        return value;
      case dom::element_type::DOUBLE:
        value.kind_ = JsonKind::real;
        value.real_ = element.get_double().value_unsafe();
        return value;
      case dom::element_type::STRING: {
        const std::string_view text = checked(element.get_string().value_unsafe());
        value.kind_ = JsonKind::string;
        value.string_ = text.data();
        value.size_ = static_cast<uint32_t>(text.size());
        return value;
      }
      case dom::element_type::BOOL:
        value.kind_ = JsonKind::boolean;
        value.boolean_ = element.get_bool().value_unsafe();
        return value;
      case dom::element_type::NULL_VALUE:
        return value;
    }
    return value;
  }

 private:
  JsonValue build_array(dom::array array) {
    const size_t count = counted(array.size());
    const std::span<JsonValue> elements = arena_.make_array<JsonValue>(count);
    size_t i = 0;
    for (const dom::element element : array) elements[i++] = build(element);
    JsonValue value;
    value.kind_ = JsonKind::array;
    value.size_ = static_cast<uint32_t>(count);
    value.elements_ = elements.data();
    return value;
  }

  JsonValue build_object(dom::object object) {
    const size_t count = counted(object.size());
    const bool indexed = count > kIndexedObject;
    const size_t bytes = count * sizeof(JsonMember) + (indexed ? count * sizeof(uint32_t) : 0);
    JsonMember* const members =
        count == 0 ? nullptr
                   : static_cast<JsonMember*>(arena_.allocate(bytes, alignof(JsonMember)));
    size_t i = 0;
    for (const auto [key, element] : object) {
      new (members + i) JsonMember{checked(key), build(element)};
      ++i;
    }
    if (indexed) {
      index_members(members, count);
    } else {
      refuse_duplicates(members, count);
    }
    JsonValue value;
    value.kind_ = JsonKind::object;
    value.size_ = static_cast<uint32_t>(count);
    value.members_ = members;
    return value;
  }

  void index_members(JsonMember* members, size_t count) {
    uint32_t* const order = reinterpret_cast<uint32_t*>(members + count);
    for (uint32_t i = 0; i < count; ++i) order[i] = i;
    const auto key = [members](uint32_t i) { return members[i].key; };
    std::ranges::sort(order, order + count, {}, key);
    uint32_t* const twin = std::ranges::adjacent_find(order, order + count, {}, key);
    if (twin != order + count) fail_duplicate(key(*twin));
  }

  void refuse_duplicates(const JsonMember* members, size_t count) {
    for (size_t i = 1; i < count; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (members[i].key == members[j].key) fail_duplicate(members[i].key);
      }
    }
  }

  std::string_view checked(std::string_view text) {
    require(text.size() <= options_.max_string_bytes, ErrorCode::limit_exceeded,
            "JSON J2: a string must not exceed the limit in bytes:", origin_, text.size(),
            options_.max_string_bytes);
    require(text.find('\0') == std::string_view::npos, ErrorCode::corrupt,
            "JSON J1: a string must not contain NUL:", origin_);
    if (may_hold_surrogates_) {
      require(is_valid_utf8(text), ErrorCode::corrupt,
              "JSON J1: escaped surrogates must come in pairs:", origin_);
    }
    return text;
  }

  size_t counted(size_t count) {
    require(count <= options_.max_elements, ErrorCode::limit_exceeded,
            "JSON J2: an array or object must not exceed the limit in elements:", origin_, count,
            options_.max_elements);
    return count;
  }

  [[noreturn]] void fail_duplicate(std::string_view key) {
    fail(ErrorCode::corrupt, "JSON J3: keys of one object must differ:", origin_, quote(key));
  }

  Arena& arena_;
  std::string_view origin_;
  const JsonOptions& options_;
  bool may_hold_surrogates_;
};

namespace {

bool has_surrogate_escape(std::string_view text) {
  for (size_t at = text.find("\\u"); at != std::string_view::npos; at = text.find("\\u", at + 2)) {
    if (at + 2 < text.size() && (text[at + 2] == 'd' || text[at + 2] == 'D')) return true;
  }
  return false;
}

// Puts the bare tokens of old writers in quotes, outside strings only.
std::string quote_bare_nonfinite(std::string_view text) {
  static constexpr std::string_view kTokens[] = {"NaN", "Infinity", "-Infinity"};
  std::string out;
  out.reserve(text.size() + 64);
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      if (c == '"') in_string = false;
      continue;
    }
    const std::string_view rest = text.substr(i);
    const auto* token = std::ranges::find_if(
        kTokens, [rest](std::string_view candidate) { return rest.starts_with(candidate); });
    if (token != std::end(kTokens)) {
      out += '"';
      out += *token;
      out += '"';
      i += token->size() - 1;
      continue;
    }
    in_string = c == '"';
    out += c;
  }
  return out;
}

void require_parsed(simdjson::error_code error, std::string_view origin,
                    const JsonOptions& options) {
  switch (error) {
    case simdjson::SUCCESS:
      return;
    case simdjson::DEPTH_ERROR:
      fail(ErrorCode::limit_exceeded,
           "JSON J2: nesting must not exceed the limit in levels:", origin, options.max_depth);
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      fail(ErrorCode::out_of_memory, "JSON J2: a document must fit into memory:", origin);
    case simdjson::UTF8_ERROR:
      fail(ErrorCode::corrupt, "JSON J1: text must be valid UTF-8:", origin);
    case simdjson::STRING_ERROR:
      fail(ErrorCode::corrupt, "JSON J1: strings must have valid escapes and code points:", origin);
    case simdjson::UNESCAPED_CHARS:
      fail(ErrorCode::corrupt, "JSON J1: strings must not contain control characters:", origin);
    case simdjson::UNCLOSED_STRING:
      fail(ErrorCode::corrupt, "JSON J1: strings must end with a quote:", origin);
    case simdjson::NUMBER_ERROR:
      fail(ErrorCode::corrupt, "JSON J4: numbers must follow the grammar and be finite:", origin);
    case simdjson::EMPTY:
      fail(ErrorCode::corrupt, "JSON: a document must not be empty:", origin);
    default:
      fail(ErrorCode::corrupt, "JSON: a document must be well formed and complete:", origin);
  }
}

}  // namespace

std::string_view name(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "a boolean";
    case JsonKind::integer:
      return "an integer";
    case JsonKind::real:
      return "a number with a fraction";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "nothing";
}

std::string JsonPath::text() const {
  if (parent_ == nullptr) return std::string(key_);
  const bool below_root = parent_->parent_ == nullptr;
  std::string text = parent_->text();
  if (index_ >= 0) return text + "[" + std::to_string(index_) + "]";
  text += below_root ? ": " : ".";
  text += key_;
  return text;
}

std::ostream& operator<<(std::ostream& out, const JsonPath& path) { return out << path.text(); }

JsonDocument::JsonDocument(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}

JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

const JsonValue& JsonDocument::root() const { return storage_->root; }

JsonDocument JsonDocument::parse(std::string_view text, std::string_view origin,
                                 const JsonOptions& options) {
  // simdjson counts at most 2^24 - 1 elements; above that its counts saturate.
  check(options.max_elements < (1U << 24),
        "the element limit must be below 2^24:", options.max_elements);
  require(text.size() <= options.max_bytes, ErrorCode::limit_exceeded,
          "JSON J2: a document must not exceed the limit in bytes:", origin, text.size(),
          options.max_bytes);
  auto storage = std::make_unique<Storage>();
  require_parsed(storage->parser.allocate(std::max<size_t>(text.size(), 32), options.max_depth),
                 origin, options);
  dom::element root;
  simdjson::error_code error = storage->parser.parse(text.data(), text.size()).get(root);
  std::string rewritten;
  if (error != simdjson::SUCCESS && options.allow_bare_nonfinite) {
    rewritten = quote_bare_nonfinite(text);
    error = storage->parser.parse(rewritten).get(root);
  }
  require_parsed(error, origin, options);
  JsonTreeBuilder builder(storage->arena, origin, options, has_surrogate_escape(text));
  storage->root = builder.build(root);
  return JsonDocument(std::move(storage));
}

JsonDocument JsonDocument::parse(std::span<const std::byte> bytes, std::string_view origin,
                                 const JsonOptions& options) {
  return parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), origin,
               options);
}

void JsonValue::fail_kind(std::string_view wanted, const JsonPath& path) const {
  fail(ErrorCode::corrupt, "JSON: value must be", std::string(wanted) + ", not",
       std::string(name(kind_)) + ":", path);
}

bool JsonValue::as_bool(const JsonPath& path) const {
  if (kind_ != JsonKind::boolean) fail_kind("a boolean", path);
  return boolean_;
}

int64_t JsonValue::as_int(const JsonPath& path) const {
  if (kind_ != JsonKind::integer) {
    require(!beyond_int64_, ErrorCode::corrupt,
            "JSON J4: integer must fit into 64 bits with sign:", path);
    fail_kind("an integer", path);
  }
  return integer_;
}

double JsonValue::as_double(const JsonPath& path) const {
  if (kind_ == JsonKind::real) return real_;
  if (kind_ == JsonKind::integer) return static_cast<double>(integer_);
  if (kind_ == JsonKind::string) {
    const std::string_view text(string_, size_);
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  }
  fail_kind("a number", path);
}

std::string_view JsonValue::as_string(const JsonPath& path) const {
  if (kind_ != JsonKind::string) fail_kind("a string", path);
  return {string_, size_};
}

std::span<const JsonValue> JsonValue::as_array(const JsonPath& path) const {
  if (kind_ != JsonKind::array) fail_kind("an array", path);
  return {elements_, size_};
}

std::span<const JsonMember> JsonValue::as_object(const JsonPath& path) const {
  if (kind_ != JsonKind::object) fail_kind("an object", path);
  return {members_, size_};
}

const JsonValue* JsonValue::find(std::string_view key, const JsonPath& path) const {
  const std::span<const JsonMember> members = as_object(path);
  if (size_ <= kIndexedObject) {
    const auto found = std::ranges::find(members, key, &JsonMember::key);
    return found == members.end() ? nullptr : &found->value;
  }
  const uint32_t* const order = order_of(members_, size_);
  const auto key_of = [members](uint32_t i) { return members[i].key; };
  const uint32_t* const found = std::ranges::lower_bound(order, order + size_, key, {}, key_of);
  if (found == order + size_ || key_of(*found) != key) return nullptr;
  return &members[*found].value;
}

const JsonValue* JsonValue::get(std::string_view key, const JsonPath& path) const {
  const JsonValue* const value = find(key, path);
  return value != nullptr && value->is_null() ? nullptr : value;
}

const JsonValue& JsonValue::at(std::string_view key, const JsonPath& path) const {
  const JsonValue* const value = find(key, path);
  require(value != nullptr, ErrorCode::corrupt, "JSON: object must have the key:", path / key);
  return *value;
}

const JsonValue& JsonValue::at(size_t index, const JsonPath& path) const {
  const std::span<const JsonValue> elements = as_array(path);
  require(index < elements.size(), ErrorCode::corrupt,
          "JSON: array must have the element:", path / index, elements.size());
  return elements[index];
}

const JsonMember& JsonValue::as_union(const JsonPath& path) const {
  const std::span<const JsonMember> members = as_object(path);
  require(members.size() == 1, ErrorCode::corrupt,
          "JSON J5: union must have exactly one key:", path, members.size());
  return members.front();
}

}  // namespace litz

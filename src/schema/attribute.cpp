// Compares, hashes and prints attributes.

#include "schema/attribute.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "support/text.h"

namespace litz::ir {
namespace {

constexpr uint64_t kQuietNan = 0x7ff8000000000000;

// The shortest text that reads back as the same double and does not look like an integer.
std::string real_text(double value) {
  if (std::isnan(value)) {
    const auto bits = std::bit_cast<uint64_t>(value);
    if (bits == kQuietNan) return "nan";
    char hex[24];
    const auto end = std::to_chars(hex, hex + sizeof hex, bits, 16).ptr;
    return "nan(0x" + std::string(hex, end) + ")";
  }
  return format_double(value);
}

struct AttributeText {
  std::string operator()(std::monostate) const { return "none"; }

  std::string operator()(const Expr& value) const { return scalar_text(value); }

  std::string operator()(const std::complex<double>& value) const {
    return "complex(" + real_text(value.real()) + ", " + real_text(value.imag()) + ")";
  }

  std::string operator()(const Scalars& values) const {
    std::string text = "[";
    for (const Expr& value : values) {
      if (text.size() > 1) text += ", ";
      text += scalar_text(value);
    }
    return text + "]";
  }

  std::string operator()(const std::string& text) const { return quoted(text); }

  std::string operator()(const Strings& values) const {
    std::string text = "[";
    for (const std::string& value : values) {
      if (text.size() > 1) text += ", ";
      text += quoted(value);
    }
    return text + "]";
  }

  std::string operator()(DType dtype) const { return std::string(name(dtype)); }

  std::string operator()(Layout) const { return "strided"; }

  std::string operator()(const Device& device) const { return to_string(device); }

  std::string operator()(MemoryFormat format) const { return std::string(name(format)); }

  std::string operator()(const GraphRef& graph) const { return "@#" + std::to_string(graph.id); }

  std::string operator()(const OpRef& op) const { return "op(" + op.name + ")"; }
};

struct AttributeHash {
  Hasher& hash;

  void operator()(std::monostate) const {}

  void operator()(const Expr& value) const { hash.add(value.hash()); }

  void operator()(const std::complex<double>& value) const {
    hash.add(value.real());
    hash.add(value.imag());
  }

  void operator()(const Scalars& values) const {
    for (const Expr& value : values) hash.add(value.hash());
  }

  void operator()(const std::string& text) const { hash.add(text); }

  void operator()(const Strings& values) const {
    for (const std::string& value : values) hash.add(value);
  }

  void operator()(DType dtype) const { hash.add(static_cast<int>(dtype)); }

  void operator()(Layout layout) const { hash.add(static_cast<int>(layout)); }

  void operator()(const Device& device) const {
    hash.add(static_cast<int>(device.kind));
    hash.add(device.index);
  }

  void operator()(MemoryFormat format) const { hash.add(static_cast<int>(format)); }

  void operator()(const GraphRef& graph) const { hash.add(graph.id); }

  void operator()(const OpRef& op) const { hash.add(op.name); }
};

bool is_identical(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

}  // namespace

Attribute::Attribute() = default;
Attribute::Attribute(const Attribute& other) = default;
Attribute::Attribute(Attribute&& other) noexcept = default;
Attribute& Attribute::operator=(const Attribute& other) = default;
Attribute& Attribute::operator=(Attribute&& other) noexcept = default;
Attribute::~Attribute() = default;

bool is_identical(const Attribute& a, const Attribute& b) {
  const auto* first = std::get_if<std::complex<double>>(&a);
  const auto* second = std::get_if<std::complex<double>>(&b);
  if (first == nullptr || second == nullptr) return a == b;
  return is_identical(first->real(), second->real()) && is_identical(first->imag(), second->imag());
}

void add_to(Hasher& hash, const Attribute& attribute) {
  hash.add(attribute.index());
  std::visit(AttributeHash{hash}, attribute);
}

std::string scalar_text(const Expr& value) {
  if (!value.is_constant()) return to_string(value);
  switch (value.domain()) {
    case ExprDomain::integer:
      return std::to_string(value.constant());
    case ExprDomain::real:
      return real_text(value.real_constant());
    case ExprDomain::boolean:
      return value.boolean_constant() ? "true" : "false";
  }
  return {};
}

std::string quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append(1, '\\').append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string to_string(const Attribute& attribute) { return std::visit(AttributeText{}, attribute); }

}  // namespace litz::ir

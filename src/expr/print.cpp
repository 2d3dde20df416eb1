// Prints expressions as Python-like infix text that parse_expr reads back to the same Expr.
//
//   2*s0 + 1    (s0 + 1)//2    mod(s0, 3)    max(1, u0)    s0 == 4 and u0 <= 7    0.5*to_real(s0)
//
// Modulus is a function here, because `%` marks names in the text forms of the IRs.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include "expr/node.h"
#include "expr/parse_functions.h"

namespace litz {
namespace {

// Shared parts print once per use, so a hostile program could make the text explode.
constexpr uint32_t kMaxPrintedTree = 1'000'000;

// The binding strength of a text's outermost operator.
enum Precedence {
  kOr = 1,
  kAnd,
  kNot,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kNegation,
  kPower,
  kAtom,
};

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  // Shows the domain: 2.0 is not 2.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// True if a bare name reads back as this symbol.
bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return is_letter(name.front()) && std::ranges::all_of(name, is_part) && name != "and" &&
         name != "or" && name != "not" && !find_text_constant(name);
}

class Printer {
 public:
  std::string take() { return std::move(text_); }

  void print(Expr a, int least) {
    const int own = precedence(a);
    if (own < least) text_ += '(';
    print_bare(a);
    if (own < least) text_ += ')';
  }

 private:
  static int constant_precedence(Expr a) {
    const bool negative = a.domain() == ExprDomain::integer
                              ? a.constant() < 0
                              : a.domain() == ExprDomain::real && std::signbit(a.real_constant()) &&
                                    !std::isnan(a.real_constant());
    return negative ? kNegation : kAtom;
  }

  static int precedence(Expr a) {
    switch (a.kind()) {
      case ExprKind::constant:
        return constant_precedence(a);
      case ExprKind::add:
        return kSum;
      case ExprKind::mul:
        return a.domain() == ExprDomain::integer && a.operands()[0].is(-1) &&
                       a.operands().size() == 2
                   ? kNegation
                   : kProduct;
      case ExprKind::floor_div:
      case ExprKind::true_div:
        return kProduct;
      case ExprKind::pow:
        return kPower;
      case ExprKind::shift_left:
      case ExprKind::shift_right:
        return kShift;
      case ExprKind::bit_and:
        return kBitAnd;
      case ExprKind::bit_or:
        return kBitOr;
      case ExprKind::bit_xor:
        return kBitXor;
      case ExprKind::eq:
      case ExprKind::ne:
      case ExprKind::lt:
      case ExprKind::le:
        return kComparison;
      case ExprKind::logical_and:
        return kAnd;
      case ExprKind::logical_or:
        return kOr;
      case ExprKind::logical_not:
        return kNot;
      default:
        return kAtom;
    }
  }

  void print_constant(Expr a) {
    switch (a.domain()) {
      case ExprDomain::integer:
        text_ += std::to_string(a.constant());
        break;
      case ExprDomain::real:
        text_ += real_text(a.real_constant());
        break;
      case ExprDomain::boolean:
        text_ += a.boolean_constant() ? "true" : "false";
        break;
    }
  }

  void print_name(const std::string& name) {
    if (is_plain_name(name)) {
      text_ += name;
      return;
    }
    const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
    text_ += "Symbol(";
    text_ += quote + name + quote + ")";
  }

  void print_binary(Expr a, const char* symbol, int left, int right) {
    print(a.operands()[0], left);
    text_ += symbol;
    print(a.operands()[1], right);
  }

  void print_chain(Expr a, const char* symbol, int least) {
    bool first = true;
    for (const Expr& operand : a.operands()) {
      if (!first) text_ += symbol;
      first = false;
      print(operand, least);
    }
  }

  void print_sum(Expr a) {
    if (a.domain() == ExprDomain::real) {
      print_binary(a, " + ", kSum, kProduct);
      return;
    }
    bool first = true;
    for (const Term& term : terms_of(a)) {
      const bool negative = term.coefficient < 0;
      if (first) {
        text_ += negative ? "-" : "";
      } else {
        text_ += negative ? " - " : " + ";
      }
      print_magnitude(term, first && negative ? kNegation : kProduct);
      first = false;
    }
  }

  // Prints the term without its sign; a single monomial must bind at least as tightly as `least`.
  void print_magnitude(const Term& term, int least) {
    const uint64_t magnitude = term.coefficient < 0 ? -static_cast<uint64_t>(term.coefficient)
                                                    : static_cast<uint64_t>(term.coefficient);
    if (term.is_constant()) {
      text_ += std::to_string(magnitude);
      return;
    }
    // -(a + b)*(c + d) would read back as the product of -a - b and c + d.
    const bool negated_sum = term.coefficient == -1 && leads_with_sum(term.monomial);
    if (magnitude != 1 || negated_sum) text_ += std::to_string(magnitude) + "*";
    if (term.monomial.kind() == ExprKind::mul) {
      print_factors(term.monomial);
    } else {
      print(term.monomial, magnitude != 1 ? kNegation : least);
    }
  }

  static bool leads_with_sum(Expr monomial) {
    const Factor first = factors_of(monomial).front();
    return is_integer_sum(first.atom);
  }

  // A power that only its neighbours keep unexpanded is written out: alone it would be expanded.
  void print_factors(Expr monomial) {
    bool first = true;
    for (const Expr& factor : monomial.operands()) {
      const bool split = is_expanding_power(factor);
      const int64_t copies = split ? factor.operands()[1].constant() : 1;
      for (int64_t i = 0; i < copies; ++i) {
        if (!first) text_ += '*';
        first = false;
        print(split ? factor.operands()[0] : factor, kNegation);
      }
    }
  }

  void print_product(Expr a) {
    if (a.domain() == ExprDomain::real) {
      print_binary(a, "*", kProduct, kNegation);
    } else {
      const Term term = terms_of(a).front();
      if (term.coefficient < 0) text_ += '-';
      print_magnitude(term, kNegation);
    }
  }

  void print_call(Expr a) {
    text_ += name(a.kind());
    text_ += '(';
    print_chain(a, ", ", kOr);
    text_ += ')';
  }

  void print_bare(Expr a) {
    switch (a.kind()) {
      case ExprKind::constant:
        print_constant(a);
        return;
      case ExprKind::symbol:
        print_name(a.pool()->symbol(a.symbol()).name);
        return;
      case ExprKind::add:
        print_sum(a);
        return;
      case ExprKind::mul:
        print_product(a);
        return;
      case ExprKind::floor_div:
        print_binary(a, "//", kProduct, kNegation);
        return;
      case ExprKind::true_div:
        print_binary(a, "/", kProduct, kNegation);
        return;
      case ExprKind::pow:
        print_binary(a, "**", kAtom, kNegation);
        return;
      case ExprKind::shift_left:
        print_binary(a, " << ", kShift, kSum);
        return;
      case ExprKind::shift_right:
        print_binary(a, " >> ", kShift, kSum);
        return;
      case ExprKind::bit_and:
        print_binary(a, " & ", kBitAnd, kShift);
        return;
      case ExprKind::bit_or:
        print_binary(a, " | ", kBitOr, kBitXor);
        return;
      case ExprKind::bit_xor:
        print_binary(a, " ^ ", kBitXor, kBitAnd);
        return;
      case ExprKind::eq:
        print_binary(a, " == ", kBitOr, kBitOr);
        return;
      case ExprKind::ne:
        print_binary(a, " != ", kBitOr, kBitOr);
        return;
      case ExprKind::lt:
        print_binary(a, " < ", kBitOr, kBitOr);
        return;
      case ExprKind::le:
        print_binary(a, " <= ", kBitOr, kBitOr);
        return;
      case ExprKind::logical_and:
        print_chain(a, " and ", kNot);
        return;
      case ExprKind::logical_or:
        print_chain(a, " or ", kAnd);
        return;
      case ExprKind::logical_not:
        text_ += "not ";
        print(a.operands()[0], kNot);
        return;
      default:
        print_call(a);
        return;
    }
  }

  std::string text_;
};

}  // namespace

std::string to_string(Expr a) {
  if (!a.is_constant() && a.node()->tree_size > kMaxPrintedTree) {
    fail(ErrorCode::limit_exceeded,
         "an expression must be small enough to print, tree size:", a.node()->tree_size);
  }
  Printer printer;
  printer.print(a, kOr);
  return printer.take();
}

std::ostream& operator<<(std::ostream& out, Expr a) { return out << to_string(a); }

}  // namespace litz

// The expression parser: recursive descent with Python's precedences over a hand-written lexer.

#include "expr/parse.h"

#include <algorithm>
#include <charconv>

#include "expr/lexer.h"
#include "expr/parse_functions.h"
#include "support/check.h"

namespace litz {
namespace {

constexpr int kMaxNesting = 256;

class Parser {
 public:
  Parser(std::string_view text, ExprPool& pool, const SymbolResolver& resolver)
      : lexer_(text), pool_(pool), resolver_(resolver) {}

  Expr parse_all() {
    const Expr result = parse_or();
    if (lexer_.current().kind != TokenKind::end) lexer_.fail_here("the end");
    return result;
  }

 private:
  // Counts a level of recursion during its lifetime.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      require(++parser_.nesting_ <= kMaxNesting, ErrorCode::limit_exceeded,
              "expressions nest at most 256 deep");
    }

    ~Level() { --parser_.nesting_; }

    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  bool at(std::string_view symbol) const { return lexer_.at(symbol); }

  bool take(std::string_view symbol) {
    if (!at(symbol)) return false;
    lexer_.advance();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!take(symbol)) lexer_.fail_here("'" + std::string(symbol) + "'");
  }

  // Building may reject operands (a boolean in a sum): that is an error in the text.
  template <typename Build>
  Expr built(size_t position, Build build) {
    try {
      return build();
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      lexer_.fail_at(position, error.message());
    }
  }

  // Collects the whole chain: joining pair by pair would take quadratic time.
  Expr parse_or() {
    const size_t position = lexer_.current().position;
    std::vector<Expr> operands{parse_and()};
    while (take("or")) operands.push_back(parse_and());
    if (operands.size() == 1) return operands[0];
    return built(position, [&] { return logical_or(operands); });
  }

  Expr parse_and() {
    const size_t position = lexer_.current().position;
    std::vector<Expr> operands{parse_not()};
    while (take("and")) operands.push_back(parse_not());
    if (operands.size() == 1) return operands[0];
    return built(position, [&] { return logical_and(operands); });
  }

  Expr parse_not() {
    if (!at("not")) return parse_comparison();
    const Level level(*this);
    const size_t position = lexer_.current().position;
    lexer_.advance();
    const Expr operand = parse_not();
    return built(position, [&] { return logical_not(operand); });
  }

  static Expr compare(std::string_view symbol, Expr a, Expr b) {
    if (symbol == "==") return text_comparison(ExprKind::eq, a, b);
    if (symbol == "!=") return text_comparison(ExprKind::ne, a, b);
    if (symbol == "<") return text_comparison(ExprKind::lt, a, b);
    if (symbol == "<=") return text_comparison(ExprKind::le, a, b);
    if (symbol == ">") return text_comparison(ExprKind::lt, b, a);
    return text_comparison(ExprKind::le, b, a);
  }

  bool at_comparison() const {
    return at("==") || at("!=") || at("<") || at("<=") || at(">") || at(">=");
  }

  // a < b <= c means a < b and b <= c.
  Expr parse_comparison() {
    Expr left = parse_bits(0);
    if (!at_comparison()) return left;
    const size_t position = lexer_.current().position;
    std::vector<Expr> tests;
    while (at_comparison()) {
      const Token symbol = lexer_.current();
      lexer_.advance();
      const Expr right = parse_bits(0);
      tests.push_back(built(symbol.position, [&] { return compare(symbol.text, left, right); }));
      left = right;
    }
    return built(position, [&] { return logical_and(tests); });
  }

  // The four levels between comparisons and sums, all left-associative: | ^ & and shifts.
  Expr parse_bits(int level) {
    constexpr std::string_view kSymbols[] = {"|", "^", "&"};
    constexpr ExprKind kKinds[] = {ExprKind::bit_or, ExprKind::bit_xor, ExprKind::bit_and};
    if (level == 3) return parse_shift();
    Expr result = parse_bits(level + 1);
    while (at(kSymbols[level])) {
      const size_t position = lexer_.current().position;
      lexer_.advance();
      const Expr next = parse_bits(level + 1);
      result = built(position, [&] { return combine_bits(kKinds[level], result, next); });
    }
    return result;
  }

  // Python also writes boolean logic with & and |.
  static Expr combine_bits(ExprKind kind, Expr a, Expr b) {
    if (a.domain() == ExprDomain::boolean) {
      if (kind == ExprKind::bit_and) return logical_and(a, b);
      if (kind == ExprKind::bit_or) return logical_or(a, b);
      return ne(a, b);
    }
    const Expr pair[] = {a, b};
    return apply(kind, pair);
  }

  Expr parse_shift() {
    Expr result = parse_sum();
    while (at("<<") || at(">>")) {
      const Token symbol = lexer_.current();
      lexer_.advance();
      const Expr pair[] = {result, parse_sum()};
      const ExprKind kind = symbol.text == "<<" ? ExprKind::shift_left : ExprKind::shift_right;
      result = built(symbol.position, [&] { return apply(kind, pair); });
    }
    return result;
  }

  // Collects the whole chain: adding one by one would take quadratic time.
  Expr parse_sum() {
    const size_t position = lexer_.current().position;
    std::vector<Expr> terms{parse_product()};
    while (at("+") || at("-")) {
      const Token symbol = lexer_.current();
      lexer_.advance();
      const Expr term = parse_product();
      terms.push_back(
          symbol.text == "+" ? term : built(symbol.position, [&] { return text_negation(term); }));
    }
    if (terms.size() == 1) return terms[0];
    return built(position, [&] { return text_sum(terms); });
  }

  static Expr divide(std::string_view symbol, Expr a, Expr b) {
    if (symbol == "/") return text_true_div(a, b);
    return symbol == "//" ? floor_div(a, b) : mod(a, b);
  }

  // Multiplies adjacent factors at once, as the printer of a product wrote them.
  Expr parse_product() {
    std::vector<Expr> factors{parse_unary()};
    size_t position = lexer_.current().position;
    const auto collapse = [&] {
      if (factors.size() > 1) {
        factors = {built(position, [&] { return text_product(factors); })};
      }
      return factors[0];
    };
    while (at("*") || at("/") || at("//") || at("%")) {
      const Token symbol = lexer_.current();
      lexer_.advance();
      if (symbol.text == "*") {
        position = symbol.position;
        factors.push_back(parse_unary());
        continue;
      }
      const Expr dividend = collapse();
      const Expr divisor = parse_unary();
      factors = {built(symbol.position, [&] { return divide(symbol.text, dividend, divisor); })};
    }
    return collapse();
  }

  Expr parse_unary() {
    if (!at("-") && !at("+")) return parse_power();
    const Level level(*this);
    const Token symbol = lexer_.current();
    lexer_.advance();
    if (symbol.text == "-" && lexer_.current().kind == TokenKind::integer &&
        lexer_.current().text == "9223372036854775808") {
      lexer_.advance();  // The only literal that fits just with its sign.
      return Expr(INT64_MIN);
    }
    const Expr operand = parse_unary();
    if (symbol.text == "+") return operand;
    return built(symbol.position, [&] { return text_negation(operand); });
  }

  Expr parse_power() {
    const Expr base = parse_atom();
    if (!at("**")) return base;
    const Level level(*this);
    const size_t position = lexer_.current().position;
    lexer_.advance();
    const Expr exponent = parse_unary();
    return built(position, [&] { return text_power(base, exponent); });
  }

  Expr parse_atom() {
    const Token token = lexer_.current();
    switch (token.kind) {
      case TokenKind::integer:
        lexer_.advance();
        return integer_literal(token);
      case TokenKind::real:
        lexer_.advance();
        return real_literal(token.text, token.position);
      case TokenKind::identifier:
        lexer_.advance();
        return parse_name(token);
      case TokenKind::symbol:
        if (token.text == "(") {
          const Level level(*this);
          lexer_.advance();
          const Expr inner = parse_or();
          expect(")");
          return inner;
        }
        break;
      case TokenKind::string:
      case TokenKind::end:
        break;
    }
    lexer_.fail_here("a value");
  }

  Expr integer_literal(const Token& token) const {
    int64_t value = 0;
    const char* end = token.text.data() + token.text.size();
    const auto [stop, error] = std::from_chars(token.text.data(), end, value);
    if (error != std::errc() || stop != end) {
      lexer_.fail_at(token.position, "expected an integer of 64 bits");
    }
    return value;
  }

  Expr real_literal(std::string_view text, size_t position) const {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) lexer_.fail_at(position, "expected a real number");
    return Expr::real(value);
  }

  Expr parse_name(const Token& name) {
    if (name.text == "L" && at("[")) return parse_path();
    if (at("(")) return parse_call(name);
    if (const auto constant = find_text_constant(name.text)) return *constant;
    if (name.text.find('.') != std::string_view::npos) {
      lexer_.fail_at(name.position, "expected a symbol, not '" + std::string(name.text) + "'");
    }
    return resolve(std::string(name.text), false);
  }

  Expr resolve(const std::string& name, bool positive) {
    if (resolver_.symbol) return resolver_.symbol(name, positive);
    return find_or_add_symbol(pool_, name, positive);
  }

  Expr parse_call(const Token& name) {
    const Level level(*this);
    expect("(");
    if (name.text == "Symbol") return parse_symbol();
    if (name.text == "Integer") return parse_integer();
    if (name.text == "Float") return parse_float();
    if (name.text == "Piecewise") return parse_piecewise(name);
    const TextFunction* function = find_text_function(name.text);
    if (function == nullptr) {
      lexer_.fail_at(name.position,
                     "expected a known function, not '" + std::string(name.text) + "'");
    }
    std::vector<Expr> arguments;
    while (!at(")")) {
      if (lexer_.at_keyword_argument()) {
        skip_keyword_argument();
      } else {
        arguments.push_back(parse_or());
      }
      if (!take(",")) break;
    }
    expect(")");
    check_count(name, *function, arguments.size());
    return built(name.position, [&] { return function->build(arguments); });
  }

  void check_count(const Token& name, const TextFunction& function, size_t count) const {
    const auto given = static_cast<int>(count);
    if (given >= function.least && (function.most < 0 || given <= function.most)) return;
    std::string wanted = std::to_string(function.least);
    if (function.most < 0) wanted += " or more";
    if (function.most > function.least) wanted += " to " + std::to_string(function.most);
    lexer_.fail_at(name.position, "expected " + wanted + " arguments for " +
                                      std::string(name.text) + ", not " + std::to_string(given));
  }

  // Consumes `name=value` and returns whether the value is True.
  bool skip_keyword_argument() {
    lexer_.advance();
    expect("=");
    const Token value = lexer_.current();
    parse_or();
    return value.text == "True" || value.text == "true";
  }

  bool parse_keywords(std::string_view flag) {
    bool found = false;
    while (take(",")) {
      if (!lexer_.at_keyword_argument()) lexer_.fail_here("a keyword argument");
      const bool is_flag = lexer_.current().text == flag;
      if (skip_keyword_argument() && is_flag) found = true;
    }
    expect(")");
    return found;
  }

  Expr parse_symbol() {
    const Token name = lexer_.current();
    if (name.kind != TokenKind::string || name.text.empty()) lexer_.fail_here("a quoted name");
    lexer_.advance();
    const bool positive = parse_keywords("positive");
    return resolve(std::string(name.text), positive);
  }

  Expr parse_integer() {
    const Expr value = parse_unary();
    if (!value.maybe_constant()) lexer_.fail_here("an integer literal before");
    parse_keywords("");
    return value;
  }

  Expr parse_float() {
    const Token token = lexer_.current();
    Expr value;
    if (token.kind == TokenKind::string) {
      lexer_.advance();
      value = real_literal(token.text, token.position);
    } else {
      value = parse_unary();
      if (value.maybe_constant()) value = to_real(value);
      if (!value.is_constant() || value.domain() != ExprDomain::real) {
        lexer_.fail_at(token.position, "expected a real literal");
      }
    }
    parse_keywords("");
    return value;
  }

  // Piecewise(ExprCondPair(a, c), ...) or Piecewise((a, c), ...): the first true branch. The last
  // condition must be true, so that every case has a value.
  Expr parse_piecewise(const Token& name) {
    std::vector<std::pair<Expr, Expr>> branches;
    while (!at(")")) {
      if (lexer_.current().text == "ExprCondPair") lexer_.advance();
      expect("(");
      const Expr value = parse_or();
      expect(",");
      const Expr condition = parse_or();
      expect(")");
      branches.emplace_back(value, condition);
      if (!take(",")) break;
    }
    expect(")");
    return built(name.position, [&] {
      require(!branches.empty() && branches.back().second == Expr::boolean(true),
              "Piecewise ends with a branch that is always taken");
      Expr result = branches.back().first;
      for (size_t i = branches.size() - 1; i-- > 0;) {
        const Expr arguments[] = {branches[i].second, branches[i].first, result};
        result = find_text_function("where")->build(std::span<const Expr>(arguments));
      }
      return result;
    });
  }

  int64_t parse_index() {
    const size_t position = lexer_.current().position;
    const auto value = parse_unary().maybe_constant();
    if (!value) lexer_.fail_at(position, "expected an integer subscript");
    return *value;
  }

  Expr parse_path() {
    const size_t position = lexer_.current().position;
    GuardPath path;
    expect("[");
    if (lexer_.current().kind != TokenKind::string) lexer_.fail_here("a quoted argument name");
    path.argument = lexer_.current().text;
    lexer_.advance();
    expect("]");
    while (take("[")) {
      if (lexer_.current().kind == TokenKind::string) {
        path.subscripts.emplace_back(std::string(lexer_.current().text));
        lexer_.advance();
      } else {
        path.subscripts.emplace_back(parse_index());
      }
      expect("]");
    }
    if (take(".")) parse_accessor(path);
    if (!resolver_.path) {
      lexer_.fail_at(position, "expected a symbol, not an argument: " + to_string(path));
    }
    return resolver_.path(path);
  }

  void parse_accessor(GuardPath& path) {
    const Token name = lexer_.current();
    lexer_.advance();
    if (name.text == "size" || name.text == "stride" || name.text == "shape") {
      path.accessor =
          name.text == "stride" ? GuardPath::Accessor::stride : GuardPath::Accessor::size;
      bool indexed = false;
      if (name.text != "shape") {
        expect("(");
        if (!at(")")) {
          path.index = parse_index();
          indexed = true;
        }
        expect(")");
      }
      if (!indexed) {
        expect("[");
        path.index = parse_index();
        expect("]");
      }
    } else if (name.text == "storage_offset") {
      path.accessor = GuardPath::Accessor::storage_offset;
      expect("(");
      expect(")");
    } else if (name.text == "ndim" || name.text == "dim") {
      path.accessor = GuardPath::Accessor::rank;
      if (name.text == "dim") {
        expect("(");
        expect(")");
      }
    } else {
      lexer_.fail_at(name.position,
                     "expected size, stride, shape, storage_offset, dim or ndim, not '" +
                         std::string(name.text) + "'");
    }
  }

  Lexer lexer_;
  ExprPool& pool_;
  const SymbolResolver& resolver_;
  int nesting_ = 0;
};

}  // namespace

std::string to_string(const GuardPath& path) {
  std::string text = "L['" + path.argument + "']";
  for (const auto& subscript : path.subscripts) {
    if (const auto* key = std::get_if<std::string>(&subscript)) {
      text += "['" + *key + "']";
    } else {
      text += "[" + std::to_string(std::get<int64_t>(subscript)) + "]";
    }
  }
  switch (path.accessor) {
    case GuardPath::Accessor::value:
      break;
    case GuardPath::Accessor::size:
      text += ".size()[" + std::to_string(path.index) + "]";
      break;
    case GuardPath::Accessor::stride:
      text += ".stride()[" + std::to_string(path.index) + "]";
      break;
    case GuardPath::Accessor::storage_offset:
      text += ".storage_offset()";
      break;
    case GuardPath::Accessor::rank:
      text += ".ndim";
      break;
  }
  return text;
}

Expr find_or_add_symbol(ExprPool& pool, const std::string& name, bool positive) {
  if (const auto found = pool.find_symbol(name)) return *found;
  SymbolInfo info{name, SymbolKind::size, {positive ? 1 : 0, Interval::kMax}, std::nullopt};
  if (name.starts_with("zuf")) {
    info.kind = SymbolKind::real_data;
    info.range = {};
  } else if (name.starts_with("zf")) {
    info.kind = SymbolKind::real_input;
    info.range = {};
  } else if (name.starts_with("u")) {
    info.kind = SymbolKind::data_dependent;
    if (!positive) info.range = {};
  }
  return pool.add_symbol(std::move(info));
}

Expr parse_expr(std::string_view text, ExprPool& pool, const SymbolResolver& resolver) {
  return Parser(text, pool, resolver).parse_all();
}

}  // namespace litz

// Parses kernels: recursive descent over the text that the printer writes.

#include <bit>
#include <charconv>
#include <complex>
#include <map>

#include "expr/parse.h"
#include "loops/kernel.h"
#include "loops/signature.h"
#include "loops/text_reader.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::loops {
namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  Parser(std::string_view text, ExprPool& pool) : reader_(text) { kernel_.pool = &pool; }

  Kernel run() && {
    reader_.expect("kernel");
    reader_.expect("@");
    kernel_.name = reader_.identifier();
    reader_.expect("(");
    if (!reader_.take(")")) {
      do {
        parse_buffer();
      } while (reader_.take(","));
      reader_.expect(")");
    }
    parse_block(kernel_.body);
    if (!reader_.is_at_end()) reader_.fail("expected the end of the text");
    try {
      verify(kernel_);
    } catch (const InternalError& error) {
      throw Error(ErrorCode::corrupt, error.message());
    }
    return std::move(kernel_);
  }

 private:
  void parse_buffer() {
    Buffer buffer;
    if (reader_.take("out")) buffer.role = BufferRole::output;
    if (reader_.take("scratch")) buffer.role = BufferRole::scratch;
    reader_.expect("%");
    const size_t at = reader_.at();
    buffer.name = reader_.identifier();
    if (buffers_.contains(buffer.name)) reader_.fail_at(at, "the buffer is defined twice");
    reader_.expect(":");
    buffer.type = parse_type();
    buffers_[buffer.name] = static_cast<BufferId>(kernel_.buffers.size());
    kernel_.buffers.push_back(std::move(buffer));
  }

  TensorType parse_type() {
    const DType dtype = parse_dtype_word();
    reader_.expect("[");
    Sizes sizes = parse_exprs("]");
    TensorType type = contiguous_type(dtype, std::move(sizes));
    if (reader_.take("{")) {
      type.strides = parse_exprs("}");
      if (type.strides.size() != type.sizes.size()) {
        reader_.fail("expected as many strides as sizes before");
      }
    }
    if (reader_.take("+")) type.offset = parse_integer();
    if (reader_.take("@")) {
      const size_t at = reader_.at();
      std::string text(reader_.word());
      if (reader_.take(":")) text += ":" + std::string(reader_.word());
      const auto device = parse_device(text);
      if (!device) reader_.fail_at(at, "expected a device");
      type.device = *device;
    }
    return type;
  }

  Sizes parse_exprs(std::string_view close) {
    Sizes values;
    if (reader_.take(close)) return values;
    do {
      values.push_back(parse_integer());
    } while (reader_.take(","));
    reader_.expect(close);
    return values;
  }

  DType parse_dtype_word() {
    const size_t at = reader_.at();
    const auto dtype = parse_dtype(reader_.word());
    if (!dtype) reader_.fail_at(at, "expected a dtype");
    return *dtype;
  }

  Expr parse_expression() {
    const size_t at = reader_.at();
    return expression_of(at, reader_.expression());
  }

  Expr expression_of(size_t at, std::string_view text) {
    SymbolResolver resolver;
    resolver.symbol = [&](const std::string& name, bool positive) {
      if (const auto found = vars_.find(name); found != vars_.end()) return found->second;
      return find_or_add_symbol(*kernel_.pool, name, positive);
    };
    try {
      return parse_expr(text, *kernel_.pool, resolver);
    } catch (const Error& error) {
      reader_.fail_at(at, error.message());
    }
  }

  Expr parse_integer() {
    const size_t at = reader_.at();
    return integer_of(at, reader_.expression());
  }

  Expr parse_extent() {
    const size_t at = reader_.at();
    return integer_of(at, reader_.extent());
  }

  Expr integer_of(size_t at, std::string_view text) {
    const Expr value = expression_of(at, text);
    if (value.domain() != ExprDomain::integer) reader_.fail_at(at, "expected an integer");
    return value;
  }

  int64_t parse_number() {
    const size_t at = reader_.at();
    const auto value = parse_int(reader_.number());
    if (!value) reader_.fail_at(at, "expected a number");
    return *value;
  }

  ValueId new_value(DType dtype) {
    kernel_.values.push_back({dtype});
    return static_cast<ValueId>(kernel_.values.size() - 1);
  }

  DType dtype_of(ValueId value) const { return kernel_.values[static_cast<size_t>(value)].dtype; }

  // The definition of a name; its dtype follows.
  ValueId parse_definition() {
    reader_.expect("%");
    const size_t at = reader_.at();
    const std::string name(reader_.word());
    if (values_.contains(name)) reader_.fail_at(at, "the value is defined twice");
    const ValueId value = new_value(DType::f32);
    pending_.emplace_back(name, value);
    return value;
  }

  // Pending names become visible once the instruction that defines them is complete.
  void publish(const std::vector<std::pair<std::string, ValueId>>& names) {
    for (const auto& [name, value] : names) values_[name] = value;
  }

  ValueId parse_use() {
    reader_.expect("%");
    const size_t at = reader_.at();
    const auto found = values_.find(std::string(reader_.word()));
    if (found == values_.end()) reader_.fail_at(at, "the value is not defined here");
    return found->second;
  }

  std::vector<ValueId> parse_uses() {
    std::vector<ValueId> values;
    do {
      values.push_back(parse_use());
    } while (reader_.take(","));
    return values;
  }

  void parse_block(Block& block) {
    reader_.expect("{");
    if (++depth_ > kMaxDepth) reader_.fail("blocks nest at most 64 deep");
    const auto outer_values = values_;
    const auto outer_vars = vars_;
    publish(std::exchange(inside_, {}));
    while (!reader_.take("}")) {
      if (reader_.take("yield")) {
        block.yields = parse_uses();
        reader_.expect("}");
        break;
      }
      block.instrs.push_back(parse_instr());
    }
    values_ = outer_values;
    vars_ = outer_vars;
    --depth_;
  }

  Instr parse_instr() {
    const size_t at = reader_.at();
    Instr instr;
    pending_.clear();
    if (reader_.is_next("%")) {
      do {
        instr.results.push_back(parse_definition());
      } while (reader_.take(","));
      reader_.expect("=");
    }
    auto defined = std::exchange(pending_, {});
    const size_t word_at = reader_.at();
    const std::string_view word = reader_.word();
    parse_kind(instr, word, word_at);
    if (instr.results.size() != result_count(instr)) {
      reader_.fail_at(at, "expected " + std::to_string(result_count(instr)) + " results");
    }
    publish(defined);
    return instr;
  }

  static size_t result_count(const Instr& instr) {
    switch (instr.kind) {
      case InstrKind::constant:
      case InstrKind::index:
      case InstrKind::op:
      case InstrKind::load:
      case InstrKind::bound_index:
        return 1;
      case InstrKind::reduce:
        return static_cast<size_t>(loops::result_count(instr.reduce));
      case InstrKind::store:
      case InstrKind::check:
      case InstrKind::sort:
      case InstrKind::sort_row:
      case InstrKind::attend:
        return 0;
      case InstrKind::loop:
        return instr.operands.size();
    }
    return 0;
  }

  void parse_kind(Instr& instr, std::string_view word, size_t at) {
    if (word == "const") return parse_constant(instr);
    if (word == "index") return parse_index(instr);
    if (word == "load") return parse_load(instr);
    if (word == "store") return parse_store(instr);
    if (word == "bound_index") return parse_bound_index(instr);
    if (word == "check") return parse_check(instr);
    if (word == "for") return parse_loop(instr);
    if (word == "reduce") return parse_reduce(instr);
    if (word == "sort") return parse_sort(instr);
    if (word == "sort_row") return parse_sort_row(instr);
    if (word == "attend") return parse_attend(instr);
    const auto op = parse_scalar_op(word);
    if (!op) reader_.fail_at(at, "expected an instruction");
    parse_op(instr, *op, at);
  }

  void set_result(const Instr& instr, DType dtype) {
    if (!instr.results.empty()) kernel_.values[static_cast<size_t>(instr.results[0])].dtype = dtype;
  }

  double parse_real() {
    const size_t at = reader_.at();
    const std::string_view text = reader_.number();
    if (text.starts_with("nan(0x") && text.ends_with(")")) {
      uint64_t bits = 0;
      const char* end = text.data() + text.size() - 1;
      const auto parsed = std::from_chars(text.data() + 6, end, bits, 16);
      const auto value = std::bit_cast<double>(bits);
      if (parsed.ec == std::errc() && parsed.ptr == end && value != value) return value;
    } else if (const auto value = parse_double(text)) {
      return *value;
    }
    reader_.fail_at(at, "expected a real number");
  }

  void parse_constant(Instr& instr) {
    instr.kind = InstrKind::constant;
    const DType dtype = parse_dtype_word();
    set_result(instr, dtype);
    if (is_complex(dtype)) {
      reader_.expect("(");
      const double real = parse_real();
      reader_.expect(",");
      const double imaginary = parse_real();
      reader_.expect(")");
      instr.literal = std::complex<double>(real, imaginary);
    } else if (is_floating(dtype)) {
      instr.literal = parse_real();
    } else {
      const size_t at = reader_.at();
      const auto value = parse_int(reader_.number());
      if (!value) reader_.fail_at(at, "expected an integer");
      instr.literal = *value;
    }
  }

  void parse_index(Instr& instr) {
    instr.kind = InstrKind::index;
    set_result(instr, parse_dtype_word());
    instr.expr = parse_expression();
  }

  void parse_op(Instr& instr, ScalarOp op, size_t at) {
    instr.op = op;
    DType target = DType::f32;
    if (chooses_dtype(op)) target = parse_dtype_word();
    instr.operands = parse_uses();
    std::vector<DType> operands;
    for (const ValueId operand : instr.operands) operands.push_back(dtype_of(operand));
    const auto result = result_dtype(op, operands, target);
    if (!result) reader_.fail_at(at, "the operation does not exist for its operands");
    set_result(instr, *result);
  }

  // After its "%".
  BufferId parse_buffer_use() {
    const size_t at = reader_.at();
    const auto found = buffers_.find(reader_.identifier());
    if (found == buffers_.end()) reader_.fail_at(at, "the buffer is not defined");
    return found->second;
  }

  void parse_element(Instr& instr) {
    reader_.expect("%");
    const size_t at = reader_.at();
    instr.buffer = parse_buffer_use();
    if (reader_.take("at")) return parse_flat_element(instr);
    reader_.expect("[");
    if (!reader_.take("]")) {
      do {
        if (reader_.is_next("%")) {
          instr.indices.emplace_back(parse_use());
        } else {
          instr.indices.emplace_back(parse_integer());
        }
      } while (reader_.take(","));
      reader_.expect("]");
    }
    const size_t rank = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.rank();
    if (instr.indices.size() != rank) {
      reader_.fail_at(at, "expected " + std::to_string(rank) + " indices");
    }
  }

  // [offset, computed * stride, ...]
  void parse_flat_element(Instr& instr) {
    reader_.expect("[");
    instr.indices.emplace_back(parse_integer());
    instr.strides.emplace_back(1);
    while (reader_.take(",")) {
      instr.indices.emplace_back(parse_use());
      reader_.expect("*");
      instr.strides.push_back(parse_integer());
    }
    reader_.expect("]");
  }

  void parse_access_words(Marks& marks) {
    marks.is_transposed = reader_.take("transposed");
    marks.is_streamed = reader_.take("streamed");
    if (reader_.take("ahead")) marks.ahead = parse_number();
  }

  void parse_load(Instr& instr) {
    instr.kind = InstrKind::load;
    parse_element(instr);
    if (reader_.take("if")) {
      instr.predicate = parse_use();
      reader_.expect("else");
      instr.other = parse_use();
    }
    parse_access_words(instr.marks);
    set_result(instr, kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype);
  }

  void parse_store(Instr& instr) {
    instr.kind = InstrKind::store;
    if (!reader_.is_next("%")) {
      const size_t at = reader_.at();
      const auto mode = parse_store_mode(reader_.word());
      if (!mode) reader_.fail_at(at, "expected a store mode or an element");
      instr.mode = *mode;
      instr.flag = reader_.take("any_order");
    }
    parse_element(instr);
    reader_.expect(",");
    instr.operands = {parse_use()};
    if (reader_.take("if")) instr.predicate = parse_use();
    parse_access_words(instr.marks);
  }

  void parse_bound_index(Instr& instr) {
    instr.kind = InstrKind::bound_index;
    instr.flag = reader_.take("wrap");
    instr.text = reader_.identifier();
    instr.operands = {parse_use()};
    reader_.expect(",");
    instr.expr = parse_integer();
    set_result(instr, DType::i64);
  }

  void parse_check(Instr& instr) {
    instr.kind = InstrKind::check;
    instr.operands = {parse_use()};
    reader_.expect(",");
    instr.text = reader_.identifier();
  }

  int parse_lanes() {
    constexpr int64_t kMostLanes = 1024;
    const size_t at = reader_.at();
    const int64_t lanes = parse_number();
    if (lanes < 2 || lanes > kMostLanes) reader_.fail_at(at, "expected 2 to 1024 lanes");
    return static_cast<int>(lanes);
  }

  // A name that `enter` then makes visible.
  std::pair<std::string, LoopVar> parse_range() {
    const size_t at = reader_.at();
    std::string name(reader_.word());
    if (vars_.contains(name)) reader_.fail_at(at, "the loop variable is defined twice");
    reader_.expect("in");
    reader_.expect("0");
    reader_.expect("..");
    const Expr extent = parse_extent();
    LoopVar var = new_loop_var(*kernel_.pool, name, extent);
    var.is_parallel = reader_.take("parallel");
    var.is_tiled = reader_.take("tile");
    if (reader_.take("vector")) var.lanes = parse_lanes();
    return {name, var};
  }

  std::vector<std::pair<std::string, LoopVar>> parse_ranges(Instr& instr) {
    std::vector<std::pair<std::string, LoopVar>> ranges;
    do {
      ranges.push_back(parse_range());
      instr.vars.push_back(ranges.back().second);
    } while (reader_.take(","));
    return ranges;
  }

  void parse_nest(Instr& instr, const std::vector<std::pair<std::string, LoopVar>>& ranges) {
    const auto outer = vars_;
    for (const auto& [name, var] : ranges) {
      if (!vars_.emplace(name, var.symbol).second) {
        reader_.fail("the loop variable is defined twice: " + name);
      }
    }
    instr.blocks.push_back(std::make_unique<Block>());
    parse_block(*instr.blocks.back());
    vars_ = outer;
  }

  // Values that the next block sees, `count` of the dtypes of the operands.
  void parse_seen(Instr& instr, size_t count) {
    reader_.expect("(");
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) reader_.expect(",");
      instr.carried.push_back(parse_definition());
      const ValueId like = instr.operands[i % instr.operands.size()];
      kernel_.values[static_cast<size_t>(instr.carried.back())].dtype = dtype_of(like);
    }
    reader_.expect(")");
    inside_ = std::exchange(pending_, {});
  }

  void parse_combining(Instr& instr, const std::vector<std::pair<std::string, LoopVar>>& ranges,
                       bool is_scan) {
    reader_.expect("(");
    instr.operands = parse_uses();
    reader_.expect(")");
    for (size_t i = 0; i < std::min(instr.operands.size(), instr.results.size()); ++i) {
      const DType dtype = dtype_of(instr.operands[i]);
      kernel_.values[static_cast<size_t>(instr.results[i])].dtype = dtype;
    }
    parse_nest(instr, ranges);
    reader_.expect("combine");
    parse_seen(instr, 2 * instr.operands.size());
    parse_nest(instr, {});
    if (!is_scan) return;
    reader_.expect("emit");
    parse_seen(instr, instr.operands.size());
    parse_nest(instr, ranges);
  }

  void parse_loop(Instr& instr) {
    instr.kind = InstrKind::loop;
    const auto ranges = parse_ranges(instr);
    if (reader_.take("scan")) return parse_combining(instr, ranges, true);
    if (reader_.take("fold")) return parse_combining(instr, ranges, false);
    if (reader_.take("carry")) {
      reader_.expect("(");
      do {
        instr.carried.push_back(parse_definition());
        reader_.expect("=");
        instr.operands.push_back(parse_use());
      } while (reader_.take(","));
      reader_.expect(")");
      for (size_t i = 0; i < instr.carried.size(); ++i) {
        const DType dtype = dtype_of(instr.operands[i]);
        kernel_.values[static_cast<size_t>(instr.carried[i])].dtype = dtype;
        if (i < instr.results.size()) {
          kernel_.values[static_cast<size_t>(instr.results[i])].dtype = dtype;
        }
      }
      inside_ = std::exchange(pending_, {});
    }
    parse_nest(instr, ranges);
  }

  void parse_reduce(Instr& instr) {
    instr.kind = InstrKind::reduce;
    const size_t at = reader_.at();
    const auto kind = parse_reduce_kind(reader_.word());
    if (!kind) reader_.fail_at(at, "expected a kind of reduction");
    instr.reduce = *kind;
    instr.flag = reader_.take("may_be_empty");
    if (reader_.take("mean_of")) instr.marks.mean_of = parse_use();
    parse_nest(instr, parse_ranges(instr));
    const Block& block = *instr.blocks[0];
    if (block.yields.size() != 1) reader_.fail_at(at, "a reduction must yield one value");
    const auto dtype = reduced_dtype(*kind, dtype_of(block.yields[0]));
    if (!dtype) reader_.fail_at(at, "the reduction does not exist for its values");
    for (const ValueId result : instr.results) {
      kernel_.values[static_cast<size_t>(result)].dtype = *dtype;
    }
  }

  void parse_sort(Instr& instr) {
    instr.kind = InstrKind::sort;
    instr.flag = reader_.take("descending");
    const size_t at = reader_.at();
    parse_nest(instr, parse_ranges(instr));
    if (instr.blocks[0]->yields.size() != 1) reader_.fail_at(at, "a sort must yield one key");
    reader_.expect("emit");
    const auto position = parse_range();
    instr.position = position.second;
    reader_.expect("(");
    instr.carried = {parse_definition()};
    reader_.expect(",");
    instr.carried.push_back(parse_definition());
    reader_.expect(")");
    const DType key = dtype_of(instr.blocks[0]->yields[0]);
    kernel_.values[static_cast<size_t>(instr.carried[0])].dtype = key;
    kernel_.values[static_cast<size_t>(instr.carried[1])].dtype = DType::i64;
    inside_ = std::exchange(pending_, {});
    parse_nest(instr, {position});
  }

  void parse_sort_row(Instr& instr) {
    instr.kind = InstrKind::sort_row;
    instr.flag = reader_.take("descending");
    reader_.expect("%");
    instr.buffer = parse_buffer_use();
    reader_.expect(",");
    reader_.expect("%");
    instr.origins = parse_buffer_use();
    reader_.expect(",");
    instr.expr = parse_integer();
    reader_.expect(",");
    instr.position.extent = parse_integer();
  }

  void parse_attend(Instr& instr) {
    instr.kind = InstrKind::attend;
    instr.flag = reader_.take("safe");
    instr.attend.is_causal = reader_.take("causal");
    const auto parse_buffer = [&] {
      reader_.expect("%");
      return parse_buffer_use();
    };
    Attend& buffers = instr.attend;
    buffers.result = parse_buffer();
    for (BufferId* const each : {&buffers.query, &buffers.key, &buffers.value}) {
      reader_.expect(",");
      *each = parse_buffer();
    }
    if (reader_.take("mask")) buffers.mask = parse_buffer();
    reader_.expect("scale");
    instr.literal = parse_real();
  }

  TextReader reader_;
  Kernel kernel_;
  std::map<std::string, BufferId> buffers_;
  std::map<std::string, ValueId> values_;
  std::map<std::string, Expr> vars_;
  std::vector<std::pair<std::string, ValueId>> pending_;  ///< Defined by the instruction at hand.
  std::vector<std::pair<std::string, ValueId>> inside_;  ///< Defined by the head of the next block.
  int depth_ = 0;
};

}  // namespace

Kernel parse_kernel(std::string_view text, ExprPool& pool) { return Parser(text, pool).run(); }

}  // namespace litz::loops

#include "loops/simple_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/check.h"

namespace litz::loops {
namespace {

// A bool or i64 in `whole`, an f32 in `real`.
struct Value {
  int64_t whole = 0;
  float real = 0;
};

class Evaluator {
 public:
  Evaluator(const Kernel& kernel, std::span<const Tensor> buffers, const Bindings& bindings)
      : kernel_(kernel),
        buffers_(buffers.begin(), buffers.end()),
        bindings_(bindings),
        values_(kernel.values.size()) {}

  void run() { run_block(kernel_.body); }

 private:
  Value& value(ValueId id) { return values_[static_cast<size_t>(id)]; }

  DType dtype(ValueId id) const { return kernel_.values[static_cast<size_t>(id)].dtype; }

  bool is_real(ValueId id) const { return dtype(id) == DType::f32; }

  void run_block(const Block& block) {
    for (const Instr& instr : block.instrs) run_instr(instr);
  }

  void run_instr(const Instr& instr) {
    switch (instr.kind) {
      case InstrKind::constant: {
        Value& out = value(instr.results[0]);
        if (is_real(instr.results[0])) {
          out.real = static_cast<float>(std::get<double>(instr.literal));
        } else {
          out.whole = std::get<int64_t>(instr.literal);
        }
        return;
      }
      case InstrKind::index: {
        const int64_t index = evaluate(instr.expr, bindings_);
        value(instr.results[0]) = {index, static_cast<float>(index)};
        return;
      }
      case InstrKind::op:
        return run_op(instr);
      case InstrKind::load: {
        Value& out = value(instr.results[0]);
        if (instr.predicate != kNoValue && value(instr.predicate).whole == 0) {
          out = value(instr.other);
          return;
        }
        out = read(instr);
        return;
      }
      case InstrKind::store:
        return run_store(instr);
      case InstrKind::bound_index: {
        const int64_t extent = evaluate(instr.expr, bindings_);
        int64_t index = value(instr.operands[0]).whole;
        require(index < extent && index >= (instr.flag ? -extent : 0), ErrorCode::out_of_range,
                "index");
        value(instr.results[0]).whole = index < 0 ? index + extent : index;
        return;
      }
      case InstrKind::check:
        return require(value(instr.operands[0]).whole != 0, "check");
      case InstrKind::loop:
        return run_loop(instr);
      case InstrKind::reduce:
        return run_reduce(instr);
      case InstrKind::sort:
        return run_sort(instr);
      case InstrKind::sort_row:
      case InstrKind::attend:
        check(false, "random kernels sort no rows and attend to nothing");
    }
  }

  std::byte* address(const Instr& instr) {
    Tensor& tensor = buffers_[static_cast<size_t>(instr.buffer)];
    int64_t offset = 0;
    for (size_t d = 0; d < instr.indices.size(); ++d) {
      const auto* expr = std::get_if<Expr>(&instr.indices[d]);
      const int64_t index = expr != nullptr ? evaluate(*expr, bindings_)
                                            : value(std::get<ValueId>(instr.indices[d])).whole;
      check(index >= 0 && index < tensor.sizes()[d], "random kernels stay inside:", index);
      offset += index * tensor.strides()[d];
    }
    return tensor.mutable_data() + offset * item_size(tensor.dtype());
  }

  Value read(const Instr& instr) {
    const std::byte* at = address(instr);
    Value out;
    switch (buffers_[static_cast<size_t>(instr.buffer)].dtype()) {
      case DType::f32:
        std::memcpy(&out.real, at, 4);
        break;
      case DType::i64:
        std::memcpy(&out.whole, at, 8);
        break;
      default:
        out.whole = *at != std::byte{0};
    }
    return out;
  }

  void run_store(const Instr& instr) {
    if (instr.predicate != kNoValue && value(instr.predicate).whole == 0) return;
    Value stored = value(instr.operands[0]);
    if (instr.mode == StoreMode::add) {
      const Value old = read(instr);
      stored.real = old.real + stored.real;
      stored.whole = old.whole + stored.whole;
    }
    std::byte* at = address(instr);
    switch (buffers_[static_cast<size_t>(instr.buffer)].dtype()) {
      case DType::f32:
        std::memcpy(at, &stored.real, 4);
        break;
      case DType::i64:
        std::memcpy(at, &stored.whole, 8);
        break;
      default:
        *at = static_cast<std::byte>(stored.whole);
    }
  }

  static float real_op(ScalarOp op, float a, float b) {
    switch (op) {
      case ScalarOp::add:
        return a + b;
      case ScalarOp::sub:
        return a - b;
      case ScalarOp::mul:
        return a * b;
      case ScalarOp::div:
        return a / b;
      case ScalarOp::neg:
        return -a;
      case ScalarOp::max:
        return std::isnan(a) || a > b ? a : b;
      case ScalarOp::exp:
        return static_cast<float>(std::exp(static_cast<double>(a)));
      default:
        check(false, "random kernels use few operations:", name(op));
    }
    return 0;
  }

  static int64_t whole_op(ScalarOp op, int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a);
    const auto y = static_cast<uint64_t>(b);
    switch (op) {
      case ScalarOp::add:
        return static_cast<int64_t>(x + y);
      case ScalarOp::sub:
        return static_cast<int64_t>(x - y);
      case ScalarOp::mul:
        return static_cast<int64_t>(x * y);
      case ScalarOp::max:
        return std::max(a, b);
      case ScalarOp::mod:
        return ((a % b) + b) % b;
      case ScalarOp::bit_and:
        return a & b;
      case ScalarOp::bit_xor:
        return a ^ b;
      default:
        check(false, "random kernels use few operations:", name(op));
    }
    return 0;
  }

  void run_op(const Instr& instr) {
    const ValueId first = instr.operands[0];
    const Value a = value(first);
    const Value b = instr.operands.size() > 1 ? value(instr.operands[1]) : a;
    Value& out = value(instr.results[0]);
    switch (instr.op) {
      case ScalarOp::select:
        out = a.whole != 0 ? b : value(instr.operands[2]);
        return;
      case ScalarOp::lt:
        out.whole = is_real(first) ? a.real < b.real : a.whole < b.whole;
        return;
      case ScalarOp::eq:
        out.whole = is_real(first) ? a.real == b.real : a.whole == b.whole;
        return;
      case ScalarOp::ne:
        out.whole = is_real(first) ? a.real != b.real : a.whole != b.whole;
        return;
      case ScalarOp::cast:
        cast(a, dtype(first), dtype(instr.results[0]), out);
        return;
      default:
        break;
    }
    if (is_real(first)) {
      out.real = real_op(instr.op, a.real, b.real);
    } else {
      out.whole = whole_op(instr.op, a.whole, b.whole);
    }
  }

  static void cast(Value a, DType from, DType to, Value& out) {
    if (from == DType::f32 && to == DType::bool_) out.whole = a.real != 0;
    if (from == DType::f32 && to == DType::i64) {
      const bool fits = a.real >= -0x1p63F && a.real < 0x1p63F;
      out.whole = fits ? static_cast<int64_t>(a.real) : INT64_MIN;
    }
    if (from != DType::f32 && to == DType::f32) out.real = static_cast<float>(a.whole);
    if (from != DType::f32 && to == DType::bool_) out.whole = a.whole != 0;
    if (from != DType::f32 && to == DType::i64) out.whole = a.whole;
  }

  // Calls body for every iteration, in order, with its position.
  template <typename Body>
  void for_each(const std::vector<LoopVar>& vars, size_t depth, int64_t& position,
                const Body& body) {
    if (depth == vars.size()) return body(position++);
    const int64_t extent = evaluate(vars[depth].extent, bindings_);
    for (int64_t i = 0; i < extent; ++i) {
      bindings_.set(vars[depth].symbol.symbol(), i);
      for_each(vars, depth + 1, position, body);
    }
  }

  template <typename Body>
  void for_each(const std::vector<LoopVar>& vars, const Body& body) {
    int64_t position = 0;
    for_each(vars, 0, position, body);
  }

  // The blocks one after the other; what one yields is what the next one sees.
  void run_combining(const Instr& instr) {
    const size_t count = instr.operands.size();
    std::vector<Value> state;
    for (const ValueId initial : instr.operands) state.push_back(value(initial));
    const auto show = [&](size_t part, const std::vector<Value>& tuple) {
      for (size_t i = 0; i < count; ++i) value(instr.carried[part * count + i]) = tuple[i];
    };
    const auto made = [&](const Block& block) {
      run_block(block);
      std::vector<Value> tuple;
      for (const ValueId yielded : block.yields) tuple.push_back(value(yielded));
      return tuple;
    };
    for_each(instr.vars, [&](int64_t) {
      const std::vector<Value> element = made(*instr.blocks[0]);
      show(0, state);
      show(1, element);
      state = made(*instr.blocks[1]);
      if (instr.blocks.size() == 2) return;
      show(2, state);
      run_block(*instr.blocks[2]);
    });
    for (size_t i = 0; i < count; ++i) value(instr.results[i]) = state[i];
  }

  void run_loop(const Instr& instr) {
    if (instr.blocks.size() > 1) return run_combining(instr);
    const Block& block = *instr.blocks[0];
    std::vector<Value> state;
    for (const ValueId initial : instr.operands) state.push_back(value(initial));
    for_each(instr.vars, [&](int64_t) {
      for (size_t i = 0; i < state.size(); ++i) value(instr.carried[i]) = state[i];
      run_block(block);
      for (size_t i = 0; i < state.size(); ++i) state[i] = value(block.yields[i]);
    });
    for (size_t i = 0; i < state.size(); ++i) value(instr.results[i]) = state[i];
  }

  void run_reduce(const Instr& instr) {
    const Block& block = *instr.blocks[0];
    const bool real = is_real(block.yields[0]);
    double sum = 0;
    double product = 1;
    uint64_t whole_sum = 0;
    uint64_t whole_xor = 0;
    bool any = false;
    bool all = true;
    bool is_first = true;
    Value best;
    int64_t best_at = 0;
    const bool wants_max = instr.reduce != ReduceKind::min && instr.reduce != ReduceKind::argmin;
    for_each(instr.vars, [&](int64_t position) {
      run_block(block);
      const Value v = value(block.yields[0]);
      sum += static_cast<double>(v.real);
      product *= static_cast<double>(v.real);
      whole_sum += static_cast<uint64_t>(v.whole);
      whole_xor ^= static_cast<uint64_t>(v.whole);
      any = any || v.whole != 0;
      all = all && v.whole != 0;
      bool better = real ? (wants_max ? v.real > best.real : v.real < best.real)
                         : (wants_max ? v.whole > best.whole : v.whole < best.whole);
      if (real && std::isnan(v.real)) better = !std::isnan(best.real);
      if (is_first || better) {
        best = v;
        best_at = position;
      }
      is_first = false;
    });
    Value& out = value(instr.results[0]);
    if (instr.reduce == ReduceKind::softmax) {
      require(!is_first || instr.flag, "empty");
      if (is_first) best.real = -std::numeric_limits<float>::infinity();
      double exponentials = 0;  // By definition, in a second pass.
      for_each(instr.vars, [&](int64_t) {
        run_block(block);
        exponentials += std::exp(static_cast<double>(value(block.yields[0]).real) - best.real);
      });
      out = best;
      value(instr.results[1]) = {0, static_cast<float>(exponentials)};
      return;
    }
    switch (instr.reduce) {
      case ReduceKind::sum:
        out = {static_cast<int64_t>(whole_sum), static_cast<float>(sum)};
        return;
      case ReduceKind::prod:
        out = {0, static_cast<float>(product)};
        return;
      case ReduceKind::bit_xor:
        out.whole = static_cast<int64_t>(whole_xor);
        return;
      case ReduceKind::any:
        out.whole = any;
        return;
      case ReduceKind::all:
        out.whole = all;
        return;
      case ReduceKind::max:
      case ReduceKind::min:
        require(!is_first || instr.flag, "empty");
        if (is_first) {
          constexpr float kInfinity = std::numeric_limits<float>::infinity();
          best.real = wants_max ? -kInfinity : kInfinity;
        }
        out = best;
        return;
      case ReduceKind::argmax:
      case ReduceKind::argmin:
        require(!is_first, "empty");
        out.whole = best_at;
        return;
      case ReduceKind::softmax:
        return;
    }
  }

  void run_sort(const Instr& instr) {
    const bool real = is_real(instr.carried[0]);
    std::vector<std::pair<Value, int64_t>> keys;
    for_each(instr.vars, [&](int64_t position) {
      run_block(*instr.blocks[0]);
      keys.emplace_back(value(instr.blocks[0]->yields[0]), position);
    });
    const auto less = [&](const Value& a, const Value& b) {
      if (!real) return a.whole < b.whole;
      return std::isnan(b.real) ? !std::isnan(a.real) : a.real < b.real;
    };
    std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      return instr.flag ? less(b.first, a.first) : less(a.first, b.first);
    });
    for_each({instr.position}, [&](int64_t position) {
      value(instr.carried[0]) = keys[static_cast<size_t>(position)].first;
      value(instr.carried[1]).whole = keys[static_cast<size_t>(position)].second;
      run_block(*instr.blocks[1]);
    });
  }

  const Kernel& kernel_;
  std::vector<Tensor> buffers_;
  Bindings bindings_;
  std::vector<Value> values_;
};

}  // namespace

void evaluate_simply(const Kernel& kernel, std::span<const Tensor> buffers,
                     const Bindings& bindings) {
  Evaluator(kernel, buffers, bindings).run();
}

}  // namespace litz::loops

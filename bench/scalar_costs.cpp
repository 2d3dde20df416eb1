// The cost of each scalar operation, in simple instructions: the figures of loops/scalar_op.cpp.
//
// A kernel adds up terms that are multiples of one loaded element, once without and once with the
// operation applied to each; the difference is the operation's cost. The unit is half the time of
// one more term, a multiplication and an addition. All operands stay in the first cache.
//
// Usage: bench_scalar_costs [target] [name]...   host, avx2, avx512; operations, default all

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "artifact/kernel_abi.h"
#include "codegen/llvm/kernel_compiler.h"
#include "loops/kernel.h"
#include "loops/scalar_op.h"
#include "loops/signature.h"
#include "runtime/cpu/imports.h"
#include "runtime/cpu/object_code.h"
#include "schedule/schedule.h"
#include "types/tensor.h"

namespace {

using namespace litz;
using loops::ScalarOp;
using Clock = std::chrono::steady_clock;

constexpr int64_t kCount = 1024;
constexpr int kTerms = 8;

/// The text of a kernel, value by value.
class Text {
 public:
  explicit Text(DType dtype) : dtype_(name(dtype)) {
    const std::string type = dtype_ + "[" + std::to_string(kCount) + "]";
    text_ = "kernel @costs(%x: " + type + ", out %y: " + type + ") {\n  for i in 0.." +
            std::to_string(kCount) + " {\n";
  }

  std::string add(const std::string& what) {
    const std::string value = "%" + std::to_string(next_++);
    text_ += "    " + value + " = " + what + "\n";
    return value;
  }

  std::string constant(const std::string& number) { return add("const " + dtype_ + " " + number); }

  std::string finish(const std::string& result) {
    return text_ + "    store %y[i], " + result + "\n  }\n}";
  }

  const std::string& dtype() const { return dtype_; }

 private:
  std::string dtype_;
  std::string text_;
  int next_ = 0;
};

/// The operation on a term and the element, brought back to the dtype of the terms.
std::string applied(Text& text, ScalarOp op, DType dtype, const std::string& term,
                    const std::string& element) {
  if (op == ScalarOp::select) {
    const std::string condition = text.add("lt " + element + ", " + term);
    return text.add("select " + condition + ", " + term + ", " + element);
  }
  if (op == ScalarOp::cast) {
    const std::string other = dtype == DType::f32 ? "i32" : "f32";
    return text.add("cast " + text.dtype() + " " + text.add("cast " + other + " " + term));
  }
  std::string operands = " " + term;
  for (int i = 1; i < loops::arity(op); ++i) operands += ", " + element;
  const std::vector<DType> dtypes(static_cast<size_t>(loops::arity(op)), dtype);
  const std::string value = text.add(std::string(loops::name(op)) + operands);
  const bool is_condition = *loops::result_dtype(op, dtypes, dtype) == DType::bool_;
  return is_condition ? text.add("select " + value + ", " + term + ", " + element) : value;
}

std::string kernel_text(DType dtype, int terms, std::optional<ScalarOp> op) {
  Text text(dtype);
  const std::string element = text.add("load %x[i]");
  std::string total = element;
  for (int i = 0; i < terms; ++i) {
    const std::string factor =
        text.constant(is_integer(dtype) ? std::to_string(3 + i) : "1.0" + std::to_string(i + 1));
    std::string term = text.add("mul " + element + ", " + factor);
    if (op) term = applied(text, *op, dtype, term, element);
    total = text.add("add " + total + ", " + term);
  }
  return text.finish(total);
}

/// Nanoseconds of one run of the kernel, the best of many.
double nanoseconds(const codegen::CpuTarget& target, DType dtype, const std::string& text) {
  ExprPool pool;
  const schedule::Schedule schedule = schedule::make_schedule(
      loops::parse_kernel(text, pool), {.vector_bytes = target.vector_bytes});
  const artifact::KernelCode code = codegen::KernelCompiler(target).compile(schedule, "k");
  const std::array<std::span<const std::byte>, 1> objects{code.object};
  const runtime::LoadedCode loaded = runtime::LoadedCode::load(objects, runtime::find_import);
  const artifact::KernelFunction function = loaded.find(code.phases.at(0).symbol);
  Tensor x = Tensor::empty(dtype, {kCount});
  Tensor y = Tensor::empty(dtype, {kCount});
  for (int64_t i = 0; i < kCount; ++i) {
    if (is_integer(dtype)) {
      reinterpret_cast<int64_t*>(x.mutable_data())[i] = 1 + i % 50;
    } else {
      reinterpret_cast<float*>(x.mutable_data())[i] = 0.1F + 0.8F * static_cast<float>(i) / kCount;
    }
  }
  std::array<void*, 2> pointers{x.mutable_data(), y.mutable_data()};
  artifact::KernelFailure failure;
  const artifact::KernelArguments arguments{pointers.data(), nullptr, &failure};
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    constexpr int kCalls = 8;
    const Clock::time_point begin = Clock::now();
    for (int call = 0; call < kCalls; ++call) function(&arguments, 0, kCount);
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    best = std::min(best, took.count() / kCalls);
  }
  return best;
}

/// Instructions that the operation takes on elements of one dtype.
class Costs {
 public:
  Costs(const codegen::CpuTarget& target, DType dtype) : target_(target), dtype_(dtype) {
    plain_ = nanoseconds(target, dtype, kernel_text(dtype, kTerms, std::nullopt));
    const double longer = nanoseconds(target, dtype, kernel_text(dtype, 3 * kTerms, std::nullopt));
    instruction_ = (longer - plain_) / (2 * 2 * kTerms);
  }

  void print(ScalarOp op) const {
    if (!is_measured(op)) {
      std::printf(" %8s", "");
      return;
    }
    const double took = nanoseconds(target_, dtype_, kernel_text(dtype_, kTerms, op));
    std::printf(" %8.1f", (took - plain_) / kTerms / instruction_);
  }

  double instruction() const { return instruction_ / kCount; }

 private:
  /// True if it accepts elements of the dtype and yields that dtype or a condition.
  bool is_measured(ScalarOp op) const {
    if (op == ScalarOp::select || op == ScalarOp::cast) return true;
    const std::vector<DType> dtypes(static_cast<size_t>(loops::arity(op)), dtype_);
    const std::optional<DType> result = loops::result_dtype(op, dtypes, dtype_);
    return op != ScalarOp::bitcast && result && (*result == dtype_ || *result == DType::bool_);
  }

  codegen::CpuTarget target_;
  DType dtype_;
  double plain_ = 0;
  double instruction_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const codegen::CpuTarget target = codegen::CpuTarget::named(argc > 1 ? argv[1] : "host");
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  const Costs reals(target, DType::f32);
  const Costs integers(target, DType::i64);
  std::printf("an instruction: %.4f ns per f32, %.4f per i64\n", reals.instruction(),
              integers.instruction());
  std::printf("%-14s %8s %8s\n", "operation", "f32", "i64");
  for (int i = 0; i < loops::kScalarOpCount; ++i) {
    const auto op = static_cast<ScalarOp>(i);
    if (!names.empty() && std::ranges::find(names, loops::name(op)) == names.end()) continue;
    std::printf("%-14s", std::string(loops::name(op)).c_str());
    reals.print(op);
    integers.print(op);
    std::printf("\n");
    std::fflush(stdout);
  }
}

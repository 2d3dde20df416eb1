// Attention of halves: a call of the function in the prelude, with the sizes of the buffers.

#include "codegen/cuda/kernel_text.h"
#include "schedule/blocks/attention_schedule.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

/// The units take 16 columns at a time.
int64_t padded(Expr columns) { return (columns.constant() + 15) / 16 * 16; }

}  // namespace

std::string KernelText::matrix_strides(loops::BufferId buffer) {
  if (buffer < 0) return "{}";
  const TensorType& type = kernel_.buffers[static_cast<size_t>(buffer)].type;
  const size_t batch = type.rank() - 2;
  std::string text;
  for (size_t i = batch; i < schedule::kMostAttentionBatch; ++i) text += "0, ";
  for (size_t i = 0; i < batch; ++i) {
    // Repeated matrices have one size or one place.
    text += (type.sizes[i].is(1) ? std::string("0") : expr(type.strides[i])) + ", ";
  }
  text.resize(text.size() - 2);
  return "{{" + text + "}, " + expr(type.strides[batch]) + ", " + expr(type.strides[batch + 1]) +
         "}";
}

void KernelText::add_attend(const Instr& instr) {
  has_attention_ = true;
  const loops::Attend& used = instr.attend;
  const auto type_of = [&](loops::BufferId id) -> const TensorType& {
    return kernel_.buffers[static_cast<size_t>(id)].type;
  };
  const TensorType& result = type_of(used.result);
  const TensorType& key = type_of(used.key);
  const size_t batch = result.rank() - 2;
  check(batch <= schedule::kMostAttentionBatch, "attention has few dimensions:", kernel_.name);
  const std::string depth = std::to_string(padded(key.sizes[batch + 1]));
  const std::string columns = std::to_string(padded(result.sizes[batch + 1]));
  std::string sizes = "{{";
  for (size_t i = batch; i < schedule::kMostAttentionBatch; ++i) sizes += "1, ";
  for (size_t i = 0; i < batch; ++i) sizes += expr(result.sizes[i]) + ", ";
  sizes.resize(sizes.size() - 2);
  sizes += "}, " + expr(result.sizes[batch]) + ", " + expr(key.sizes[batch]) + ", " +
           expr(key.sizes[batch + 1]) + ", " + expr(result.sizes[batch + 1]);
  line("const AttentionSizes sizes = " + sizes + ",");
  ++depth_;
  for (const loops::BufferId id : {used.query, used.key, used.value, used.mask, used.result}) {
    line("  " + matrix_strides(id) + (id == used.result ? "};" : ","));
  }
  --depth_;
  line("__shared__ __align__(16) u16 keys[64 * Tile<" + depth + ">::kStride];");
  line("__shared__ __align__(16) u16 values[64 * Tile<" + columns + ">::kStride];");
  const bool has_mask = used.mask >= 0;
  const char* const kind = used.is_causal                             ? "causal"
                           : !has_mask                                ? "none"
                           : type_of(used.mask).dtype == DType::bool_ ? "bools"
                                                                      : "added";
  const auto name = [](loops::BufferId id) { return "b" + std::to_string(id); };
  line(std::string("attend<") + (result.dtype == DType::f16 ? "F16" : "Bf16") + ", " + depth +
       ", " + columns + ", MaskKind::" + kind + ", " + (instr.flag ? "true" : "false") +
       ">(blockIdx.x, " + name(used.query) + ", " + name(used.key) + ", " + name(used.value) +
       ", " + (has_mask ? name(used.mask) : "nullptr") + ", " + name(used.result) + ", sizes, " +
       real_literal(std::get<double>(instr.literal), false) + ", keys, values);");
}

}  // namespace litz::codegen

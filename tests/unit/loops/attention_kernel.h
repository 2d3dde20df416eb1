// Attention of one batch as a kernel, for tests of several layers.

#pragma once

#include <string>

namespace litz::loops {

/// Sizes as text: numbers or names of symbols. `mask`: "", "bool" or the dtype of sums.
struct AttentionText {
  std::string dtype = "bf16";
  std::string batch = "2, 3";
  std::string rows = "5";
  std::string keys = "7";
  std::string depth = "16";
  std::string columns = "16";
  std::string mask;
  std::string scale = "0.25";
  bool safe = false;
  bool causal = false;
};

/// Text of @attention from %q, %k, %v and perhaps %m to %o, all contiguous.
inline std::string attention_kernel(const AttentionText& of) {
  const auto type = [&](const std::string& dtype, const std::string& rows,
                        const std::string& columns) {
    return dtype + "[" + (of.batch.empty() ? "" : of.batch + ", ") + rows + ", " + columns + "]";
  };
  const bool has_mask = !of.mask.empty();
  return "kernel @attention(%q: " + type(of.dtype, of.rows, of.depth) +
         ", %k: " + type(of.dtype, of.keys, of.depth) +
         ", %v: " + type(of.dtype, of.keys, of.columns) +
         (has_mask ? ", %m: " + type(of.mask, of.rows, of.keys) : "") +
         ", out %o: " + type(of.dtype, of.rows, of.columns) + ") {\n  attend " +
         (of.safe ? "safe " : "") + (of.causal ? "causal " : "") + "%o, %q, %k, %v" +
         (has_mask ? " mask %m" : "") + " scale " + of.scale + "\n}\n";
}

}  // namespace litz::loops

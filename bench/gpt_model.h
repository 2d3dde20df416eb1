// The block of the GPTs of bench/train_step.cpp and bench/trace_cost.cpp.

#pragma once

#include <litz/compile.h>
#include <litz/nn.h>
#include <string>
#include <vector>

struct GptBlock {
  litz::LayerNorm before_attention;
  litz::Attention attention;
  litz::LayerNorm before_mlp;
  litz::Linear up;
  litz::Linear down;

  static GptBlock make(int64_t width, int64_t heads) {
    return {litz::LayerNorm::make(width), litz::Attention::make(width, heads),
            litz::LayerNorm::make(width), litz::Linear::make(width, 4 * width),
            litz::Linear::make(4 * width, width)};
  }

  litz::Tensor operator()(litz::Tensor x, const std::string& approximate = "none") const {
    x = x + attention(before_attention(x));
    return x + down(gelu(up(before_mlp(x)), approximate));
  }
};

inline std::vector<GptBlock> gpt_blocks(int64_t layers, int64_t width, int64_t heads) {
  std::vector<GptBlock> blocks;
  for (int64_t i = 0; i < layers; ++i) blocks.push_back(GptBlock::make(width, heads));
  return blocks;
}

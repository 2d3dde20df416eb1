// The families of operators mostly used in training, besides the derivatives in families.h.

#pragma once

#include <span>

#include "ops/op_def.h"

namespace litz::ops {

std::span<const OpDef> ctc_loss_ops();           // ctc_loss, its sums over paths, its derivative
std::span<const OpDef> observed_quantize_ops();  // fused_moving_avg_obs_fake_quant

}  // namespace litz::ops

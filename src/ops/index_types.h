// Dtypes of indices: each operator accepts exactly those of PyTorch's CPU kernel.

#pragma once

#include <string_view>

#include "ops/call.h"

namespace litz::ops {

enum class IndexTypes : uint8_t { i32_i64, i64 };

/// Throws unless `type`, an argument called `name`, may contain indices.
void require_index(const Call& call, std::string_view name, const TensorType& type,
                   IndexTypes types = IndexTypes::i32_i64);
/// Checks the argument with that name.
void require_index(const Call& call, std::string_view name, IndexTypes types = IndexTypes::i32_i64);

}  // namespace litz::ops

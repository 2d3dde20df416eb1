// Attention on machines whose blocks multiply matrices of halves: a block takes some rows of one
// matrix, and passes over the keys once.

#pragma once

#include "schedule/schedule.h"

namespace litz::schedule {

inline constexpr size_t kMostAttentionBatch = 3;       ///< Dimensions.
inline constexpr int64_t kMostAttentionColumns = 128;  ///< Of queries, keys and values.
inline constexpr int64_t kAttentionRows = 64;          ///< Of queries and keys, at a time.
inline constexpr int32_t kAttentionThreads = 128;

/// True if blocks compute attention over these elements, with so many columns of keys and of values
/// (negative: not known) and so many dimensions of the batch.
bool can_attend(DType dtype, int64_t key_columns, int64_t value_columns, size_t batch);

/// The kernel's one instruction, if that is attention; else null.
const loops::Instr* attention_of(const loops::Kernel& kernel);

/// Schedules a kernel of attention that can_attend.
Schedule make_attention_schedule(loops::Kernel kernel);

}  // namespace litz::schedule

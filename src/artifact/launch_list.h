// Launches in order, and the memory that they use, as plain data.
//
//   list @block {
//     storage 0 %x: input 0, 4*s0 bytes
//     storage 1 %h: arena 0, 4*s0 bytes, launches 0 to 1
//     storage 2 %y: output 0, 4*s0 bytes
//     arena 4*s0 bytes
//     launch 0 kernel 0(%x, %h; s0) reads [%x for 4*s0] writes [%h for 4*s0]
//     launch 1 library aten.sort(%h : f32[s0], ...) -> (%y : f32[s0], ...) reads ...
//     return %y : f32[s0]
//   }
//
// Sizes, offsets and scalars are expressions over the sizes of a call. Where none are symbolic, all
// addresses except those of inputs and outputs are fixed. Kernels are numbers of the program's
// kernels (program.h). The list contains no IR and no operators.

#pragma once

#include <complex>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "artifact/kernel_code.h"
#include "expr/expr.h"
#include "types/tensor_type.h"

namespace litz::artifact {

/// Indexes LaunchList::storages.
using StorageId = int32_t;
inline constexpr StorageId kNoStorage = -1;

enum class StorageKind : uint8_t {
  arena,   ///< A range of the list's arena.
  input,   ///< Memory from element 0 of input `index`; a mutated input is also written there.
  weight,  ///< Memory from element 0 of parameter, buffer or constant `index`.
  output,  ///< Fresh memory for output `index` of each call.
};

struct PlannedStorage {
  std::string name;
  StorageKind kind = StorageKind::arena;
  int32_t index = 0;  ///< arena: index of a range in layouts.
  Expr offset;        ///< arena: bytes from its start, unless LaunchList::has_layouts.
  Expr bytes;         ///< Accesses lie in [0, bytes).
  int32_t first = 0;  ///< arena: the first launch that uses it.
  int32_t last = 0;   ///< arena: the last one; others may share the bytes before and after.
};

/// A place in a storage.
struct Slot {
  StorageId storage = kNoStorage;
  Expr offset;  ///< Bytes.
};

/// A tensor in a storage. `slot` is the place of element 0, so the type's offset is ignored.
struct TensorSlot {
  Slot slot;  ///< Without a storage: an absent tensor of a list.
  TensorType type;
};

/// Bytes that a launch reads or writes.
struct Access {
  Slot begin;
  Expr bytes;
  bool is_write = false;
};

struct KernelLaunch {
  int32_t kernel = 0;         ///< Indexes Program::kernels.
  std::vector<Slot> buffers;  ///< Element 0 of each buffer, in the kernel's buffer order.
  std::vector<Expr> scalars;  ///< In the order of KernelCode::scalars; usually those symbols.
};

/// An argument of a library call. Numbers are expressions; the domain decides their kind.
using LibraryArgument =
    std::variant<std::monostate, TensorSlot, std::vector<TensorSlot>, Expr, std::vector<Expr>,
                 std::complex<double>, std::string, DType, std::vector<std::string>>;

/// A kernel that a library call runs on each part of its result right after writing it. A part is a
/// tile of `rows` lines, each of `columns` elements along the last dimension of its buffers.
struct EpilogueLaunch {
  int32_t kernel = 0;  ///< Indexes Program::kernels; has one phase, over rows, columns or both.
  /// In the kernel's buffer order, the call's result first. All have one shape; a buffer that
  /// repeats an element has strides of 0.
  std::vector<TensorSlot> buffers;
  std::vector<Expr> scalars;  ///< In the order of KernelCode::scalars, including those below.
  Expr rows;
  Expr columns;
  std::vector<Expr> row_strides;  ///< By buffer: elements from one line to the next.
};

struct LibraryLaunch {
  std::string function;
  std::vector<LibraryArgument> arguments;
  std::vector<TensorSlot> results;  ///< Without a storage: a result without readers.
  std::optional<EpilogueLaunch> epilogue;
};

/// A computation that the compiling process supplies by number, such as a kernel that the code
/// generator does not support yet. Programs that leave the process have none.
struct CallLaunch {
  int32_t call = 0;
  std::vector<TensorSlot> buffers;
};

struct CopyLaunch {
  Slot to;
  Slot from;
  Expr bytes;
};

struct Launch {
  std::variant<KernelLaunch, LibraryLaunch, CallLaunch, CopyLaunch> work;
  std::vector<Access> accesses;  ///< All bytes that it touches.
  std::string label;             ///< The computation, for errors and dumps: "%7 = aten.gelu".
};

/// Makes the call fail unless the condition holds for its sizes.
struct Assertion {
  Expr condition;
  std::string message;
};

/// None, a tensor, a number, text.
using ListOutput = std::variant<std::monostate, TensorSlot, Expr, std::string>;

/// Memory of the arena that storages share in turn; a layout places it.
struct ArenaBlock {
  Expr bytes;
  int32_t first = 0;  ///< First use, inclusive, in any unit that all blocks share.
  int32_t last = 0;
};

struct LaunchList {
  std::string name;
  std::vector<PlannedStorage> storages;
  Expr arena_bytes;
  /// An ArenaLayout for the sizes of a call gives the arena's size and the offsets in it.
  bool has_layouts = false;
  std::vector<ArenaBlock> blocks;  ///< By PlannedStorage::index, if there are layouts.
  std::vector<Assertion> assertions;
  std::vector<Launch> launches;
  std::vector<ListOutput> outputs;
  /// The types of inputs, whose strides calls must have; nullopt if no launch reads the tensor.
  std::vector<std::optional<TensorType>> inputs;
  std::vector<SymbolId> symbols;  ///< Symbols that sizes and addresses depend on, ascending.
};

/// The places of the arena's storages at given sizes.
struct ArenaLayout {
  struct Range {
    int64_t offset = 0;
    int64_t bytes = 0;  ///< Bytes that the storage may use.
  };

  std::vector<Range> ranges;  ///< By PlannedStorage::index.
  int64_t bytes = 0;
};

/// Throws InternalError unless all numbers are valid. As far as sizes are constant, it also checks
/// that accesses are inside their storages and that storages of the arena with overlapping
/// lifetimes do not overlap. `kernels` are the program's.
void check_list(const LaunchList& list, std::span<const KernelCode> kernels);

/// Returns, ascending, all symbols of the list and of the phases of kernels that it launches.
std::vector<SymbolId> symbols_of(const LaunchList& list, std::span<const KernelCode> kernels);

std::string to_string(const LaunchList& list);
std::ostream& operator<<(std::ostream& out, const LaunchList& list);

}  // namespace litz::artifact

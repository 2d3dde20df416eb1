// Reads an ELF64 relocatable object, as code generators write it, into plain tables.
//
// The object may come from a damaged cache: every offset, size, index and name is checked against
// the bytes before it is used. Only what the linker needs is kept: sections that are loaded, all
// symbols, and the relocations of loaded sections. Unwind tables, notes and debug information are
// dropped. Writable data is refused, since kernels keep no state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace litz::runtime {

enum class Machine : uint8_t { x86_64, aarch64 };

struct ObjectSection {
  std::span<const std::byte> bytes;
  uint64_t alignment = 1;
  bool is_code = false;
};

struct ObjectSymbol {
  static constexpr int32_t kImported = -1;   ///< Defined elsewhere.
  static constexpr int32_t kNotLoaded = -2;  ///< Not in a loaded section.

  std::string_view name;
  int32_t section = kNotLoaded;  ///< Index into `sections`, or one of the two above.
  uint64_t value = 0;            ///< Offset in the section; at most the section's size.
  bool is_global = false;
  bool is_function = false;
};

struct ObjectRelocation {
  uint32_t section = 0;  ///< Index into `sections`.
  uint32_t symbol = 0;   ///< Index into `symbols`.
  uint32_t type = 0;     ///< As the machine's ABI numbers it; not checked here.
  uint64_t offset = 0;   ///< Place in the section; at most the section's size.
  int64_t addend = 0;
};

/// The tables view the object's bytes, which must outlive them.
struct ElfObject {
  Machine machine = Machine::x86_64;
  std::vector<ObjectSection> sections;
  std::vector<ObjectSymbol> symbols;
  std::vector<ObjectRelocation> relocations;

  /// Throws Error{corrupt} for bytes that are not such an object.
  static ElfObject parse(std::span<const std::byte> bytes);
};

}  // namespace litz::runtime

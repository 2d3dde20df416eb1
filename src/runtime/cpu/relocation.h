// Relocations: how a resolved address is written into code. There is one function per machine, for
// the forms that position-independent code of the small model uses; others are refused.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/cpu/elf_object.h"

namespace litz::runtime {

/// The address that a relocation's value is computed from.
enum class Reference : uint8_t {
  address,  ///< The symbol itself.
  call,     ///< The symbol, or a stub that jumps to it when it is imported.
  table,    ///< A word that holds the symbol's address.
};

struct RelocationForm {
  Reference reference = Reference::address;
  uint8_t width = 4;         ///< Bytes of the place.
  bool is_absolute = false;  ///< Holds the whole address: may name an imported symbol.
};

/// Throws Error{corrupt} for an unknown type.
RelocationForm relocation_form(Machine machine, uint32_t type);

/// Writes a reference to `target` (addend included) into `place`, which will run at `address` and
/// has the form's width. Throws Error{corrupt} when the target is out of reach.
void apply_relocation(Machine machine, uint32_t type, std::span<std::byte> place, uint64_t address,
                      uint64_t target);

/// Bytes of one stub.
size_t stub_bytes(Machine machine);
/// Writes code that jumps to the address held by the word at `table_entry`.
void write_stub(Machine machine, std::span<std::byte> place, uint64_t address,
                uint64_t table_entry);

}  // namespace litz::runtime

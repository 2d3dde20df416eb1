// Links object files into one image: places their sections, resolves their symbols, relocates.
//
//   | code of all objects | stubs | pad to a page | table of addresses | constants of all objects |
//
// Works on bytes for either machine and maps nothing, so code for another machine can be tested.
// Objects do not share symbols: a symbol that an object does not define is an import.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cpu/elf_object.h"

namespace litz::runtime {

/// Returns the address of a function that code may call, or null for an unknown name.
using ImportResolver = void* (*)(std::string_view name);

class ObjectLinker {
 public:
  /// Parses and places; the objects must outlive the linker. Throws Error{corrupt} for a bad
  /// object, an unknown import or a function that two objects define, Error{limit_exceeded} for
  /// more than 1 GiB.
  ObjectLinker(std::span<const std::span<const std::byte>> objects, ImportResolver resolve);

  /// x86_64 if the list of objects is empty.
  Machine machine() const { return machine_; }

  /// Bytes of the image; whole pages.
  size_t bytes() const { return bytes_; }

  /// The image starts with this many bytes of code; whole pages.
  size_t code_bytes() const { return constants_begin_; }

  /// Global functions and their offsets in the image, sorted by name.
  const std::vector<std::pair<std::string_view, size_t>>& functions() const { return functions_; }

  /// Writes the image as it must look at `address`, which is page-aligned. Throws Error{corrupt}
  /// for a relocation that is out of its section or reach.
  void write(std::span<std::byte> image, uint64_t address) const;

 private:
  struct Placed {
    ElfObject object;
    std::vector<size_t> section_offsets;  // In the image.
    std::vector<int32_t> table_entries;   // By symbol; -1 when it needs none.
  };

  // The largest page that systems on the machine use.
  size_t page_bytes() const { return machine_ == Machine::x86_64 ? 4096 : 65536; }

  void assign_table_entries(Placed& placed);
  void place_sections();
  void collect_functions();
  uint64_t symbol_offset(const Placed& placed, const ObjectSymbol& symbol) const;
  uint64_t reference_target(const Placed& placed, const ObjectRelocation& relocation,
                            uint64_t address) const;
  void write_table(std::span<std::byte> image, uint64_t address) const;

  size_t table_offset(int32_t entry) const {
    return constants_begin_ + static_cast<size_t>(entry) * sizeof(uint64_t);
  }

  size_t stub_offset(int32_t entry) const;

  Machine machine_ = Machine::x86_64;
  ImportResolver resolve_;
  std::vector<Placed> objects_;
  std::map<std::string_view, std::pair<int32_t, uint64_t>> imports_;  // Table entry and address.
  int32_t table_size_ = 0;
  size_t stubs_begin_ = 0;
  size_t constants_begin_ = 0;
  size_t bytes_ = 0;
  std::vector<std::pair<std::string_view, size_t>> functions_;
};

}  // namespace litz::runtime

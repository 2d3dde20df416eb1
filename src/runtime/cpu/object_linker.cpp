#include "runtime/cpu/object_linker.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu/relocation.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

// Displacements between code and constants have 32 bits; far more than any program has.
constexpr size_t kMostBytes = size_t{1} << 30;

size_t align_up(size_t offset, size_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

// Back ends generate calls of these for copies and fills, so every resolver has them.
void* memory_function(std::string_view name) {
  if (name == "memcpy") return reinterpret_cast<void*>(&std::memcpy);
  if (name == "memmove") return reinterpret_cast<void*>(&std::memmove);
  if (name == "memset") return reinterpret_cast<void*>(&std::memset);
  return nullptr;
}

}  // namespace

ObjectLinker::ObjectLinker(std::span<const std::span<const std::byte>> objects,
                           ImportResolver resolve)
    : resolve_(resolve) {
  objects_.reserve(objects.size());
  for (const std::span<const std::byte> bytes : objects) {
    Placed& placed = objects_.emplace_back();
    placed.object = ElfObject::parse(bytes);
    if (objects_.size() == 1) machine_ = placed.object.machine;
    require(placed.object.machine == machine_, ErrorCode::corrupt,
            "object file: all objects must be for one machine");
    assign_table_entries(placed);
  }
  place_sections();
  collect_functions();
}

// All objects share one table entry, and so one stub, per imported symbol.
void ObjectLinker::assign_table_entries(Placed& placed) {
  const ElfObject& object = placed.object;
  placed.table_entries.assign(object.symbols.size(), -1);
  for (const ObjectRelocation& relocation : object.relocations) {
    const RelocationForm form = relocation_form(machine_, relocation.type);
    const size_t place_size = object.sections[relocation.section].bytes.size();
    require(place_size - relocation.offset >= form.width, ErrorCode::corrupt,
            "object file: a relocation must lie inside its section:", relocation.offset);
    const ObjectSymbol& symbol = object.symbols[relocation.symbol];
    require(symbol.section != ObjectSymbol::kNotLoaded, ErrorCode::corrupt,
            "object file: a relocation must name code or constants:", symbol.name);
    int32_t& entry = placed.table_entries[relocation.symbol];
    if (entry >= 0) continue;
    if (symbol.section == ObjectSymbol::kImported) {
      const auto [found, is_new] = imports_.try_emplace(symbol.name, table_size_, 0);
      if (is_new) {
        void* address = resolve_ != nullptr ? resolve_(symbol.name) : nullptr;
        if (address == nullptr) address = memory_function(symbol.name);
        require(address != nullptr, ErrorCode::corrupt,
                "object file: an imported function must be known:", symbol.name);
        found->second.second = reinterpret_cast<uint64_t>(address);
        ++table_size_;
      }
      entry = found->second.first;
    } else if (form.reference == Reference::table) {
      entry = table_size_++;
    }
  }
}

void ObjectLinker::place_sections() {
  const auto place = [&](size_t offset, bool is_code) {
    for (Placed& placed : objects_) {
      const std::vector<ObjectSection>& sections = placed.object.sections;
      placed.section_offsets.resize(sections.size());
      for (size_t i = 0; i < sections.size(); ++i) {
        if (sections[i].is_code != is_code) continue;
        offset = align_up(offset, sections[i].alignment);
        placed.section_offsets[i] = offset;
        offset += sections[i].bytes.size();
        require(offset <= kMostBytes, ErrorCode::limit_exceeded,
                "loaded code must fit into 1 GiB:", offset);
      }
    }
    return offset;
  };
  stubs_begin_ = align_up(place(0, true), 16);
  const auto entries = static_cast<size_t>(table_size_);
  constants_begin_ = align_up(stubs_begin_ + entries * stub_bytes(machine_), page_bytes());
  const size_t constants = constants_begin_ + entries * sizeof(uint64_t);
  bytes_ = align_up(place(constants, false), page_bytes());
}

size_t ObjectLinker::stub_offset(int32_t entry) const {
  return stubs_begin_ + static_cast<size_t>(entry) * stub_bytes(machine_);
}

void ObjectLinker::collect_functions() {
  for (const Placed& placed : objects_) {
    for (const ObjectSymbol& symbol : placed.object.symbols) {
      if (!symbol.is_global || !symbol.is_function || symbol.section < 0) continue;
      if (!placed.object.sections[static_cast<size_t>(symbol.section)].is_code) continue;
      functions_.emplace_back(symbol.name, symbol_offset(placed, symbol));
    }
  }
  std::ranges::sort(functions_);
  const auto twice = std::ranges::adjacent_find(
      functions_, [](const auto& a, const auto& b) { return a.first == b.first; });
  require(twice == functions_.end(), ErrorCode::corrupt,
          "object file: a function must be defined once:",
          twice == functions_.end() ? std::string_view() : twice->first);
}

uint64_t ObjectLinker::symbol_offset(const Placed& placed, const ObjectSymbol& symbol) const {
  return placed.section_offsets[static_cast<size_t>(symbol.section)] + symbol.value;
}

// The address that a relocation refers to, addend included.
uint64_t ObjectLinker::reference_target(const Placed& placed, const ObjectRelocation& relocation,
                                        uint64_t address) const {
  const RelocationForm form = relocation_form(machine_, relocation.type);
  const ObjectSymbol& symbol = placed.object.symbols[relocation.symbol];
  const int32_t entry = placed.table_entries[relocation.symbol];
  const auto addend = static_cast<uint64_t>(relocation.addend);
  if (form.reference == Reference::table) return address + table_offset(entry) + addend;
  if (symbol.section >= 0) return address + symbol_offset(placed, symbol) + addend;
  if (form.reference == Reference::call) return address + stub_offset(entry) + addend;
  // Imports may be anywhere in the address space, so only a whole word reaches them.
  require(form.is_absolute, ErrorCode::corrupt,
          "object file: an imported function must be called:", symbol.name);
  return imports_.at(symbol.name).second + addend;
}

void ObjectLinker::write_table(std::span<std::byte> image, uint64_t address) const {
  const auto put = [&](int32_t entry, uint64_t value) {
    std::memcpy(image.data() + table_offset(entry), &value, sizeof(value));
  };
  for (const auto& [name, import] : imports_) {
    const auto [entry, target] = import;
    put(entry, target);
    const size_t stub = stub_offset(entry);
    write_stub(machine_, image.subspan(stub, stub_bytes(machine_)), address + stub,
               address + table_offset(entry));
  }
  for (const Placed& placed : objects_) {
    for (size_t i = 0; i < placed.table_entries.size(); ++i) {
      const ObjectSymbol& symbol = placed.object.symbols[i];
      if (placed.table_entries[i] < 0 || symbol.section < 0) continue;
      put(placed.table_entries[i], address + symbol_offset(placed, symbol));
    }
  }
}

void ObjectLinker::write(std::span<std::byte> image, uint64_t address) const {
  check(image.size() == bytes_ && address % page_bytes() == 0,
        "an image fills its pages:", image.size());
  if (image.empty()) return;
  // Bytes between functions must trap if they are executed; on AArch64 zeros do.
  const int filler = machine_ == Machine::x86_64 ? 0xcc : 0;
  std::memset(image.data(), filler, constants_begin_);
  for (const Placed& placed : objects_) {
    for (size_t i = 0; i < placed.section_offsets.size(); ++i) {
      const std::span<const std::byte> bytes = placed.object.sections[i].bytes;
      std::memcpy(image.data() + placed.section_offsets[i], bytes.data(), bytes.size());
    }
  }
  write_table(image, address);
  for (const Placed& placed : objects_) {
    for (const ObjectRelocation& relocation : placed.object.relocations) {
      const size_t offset = placed.section_offsets[relocation.section] + relocation.offset;
      const size_t width = relocation_form(machine_, relocation.type).width;
      apply_relocation(machine_, relocation.type, image.subspan(offset, width), address + offset,
                       reference_target(placed, relocation, address));
    }
  }
}

}  // namespace litz::runtime

#include "runtime/cpu/elf_object.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <elf.h>
#include <utility>

#include "support/check.h"

namespace litz::runtime {
namespace {

using Bytes = std::span<const std::byte>;

template <typename... Values>
void require_sound(bool condition, const char* text, const Values&... values) {
  require(condition, ErrorCode::corrupt, text, values...);
}

Bytes slice(Bytes bytes, uint64_t offset, uint64_t size) {
  require_sound(offset <= bytes.size() && size <= bytes.size() - offset,
                "object file: a range must lie inside the file:", offset, size, bytes.size());
  return bytes.subspan(offset, size);
}

// Copies, because objects inside a cache file are not aligned.
template <typename T>
T read(Bytes bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

std::string_view read_name(Bytes strings, uint64_t offset) {
  require_sound(offset < strings.size(), "object file: a name must lie in its table:", offset);
  const auto* const begin = reinterpret_cast<const char*>(strings.data()) + offset;
  const void* const end = std::memchr(begin, 0, strings.size() - offset);
  require_sound(end != nullptr, "object file: a name must end in its table:", offset);
  return {begin, static_cast<const char*>(end)};
}

class Parser {
 public:
  explicit Parser(Bytes bytes) : bytes_(bytes) {}

  ElfObject parse() {
    read_header();
    load_sections();
    read_symbols();
    for (const Elf64_Shdr& header : headers_) {
      require_sound(header.sh_type != SHT_REL, "object file: relocations must have addends");
      if (header.sh_type == SHT_RELA) read_relocations(header);
    }
    return std::move(object_);
  }

 private:
  void read_header() {
    const auto header = read<Elf64_Ehdr>(bytes_, 0);
    require_sound(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_REL,
                  "object file: must be a little-endian ELF64 relocatable object");
    require_sound(header.e_machine == EM_X86_64 || header.e_machine == EM_AARCH64,
                  "object file: must be for x86-64 or AArch64:", header.e_machine);
    object_.machine = header.e_machine == EM_X86_64 ? Machine::x86_64 : Machine::aarch64;
    require_sound(header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum > 0 &&
                      header.e_shnum < SHN_LORESERVE && header.e_shstrndx < header.e_shnum,
                  "object file: must have a section table:", header.e_shnum);
    const Bytes table =
        slice(bytes_, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    headers_.resize(header.e_shnum);
    std::memcpy(headers_.data(), table.data(), table.size());
    section_names_ = content(headers_[header.e_shstrndx]);
  }

  Bytes content(const Elf64_Shdr& header) const {
    require_sound(header.sh_type != SHT_NOBITS, "object file: a section must have content");
    return slice(bytes_, header.sh_offset, header.sh_size);
  }

  // Content that is copied or walked. Sections of a valid object do not overlap; a damaged object
  // must not cause more work than its size.
  Bytes used_content(const Elf64_Shdr& header) {
    const Bytes found = content(header);
    used_bytes_ += found.size();
    require_sound(used_bytes_ <= bytes_.size(), "object file: sections must not overlap");
    return found;
  }

  static bool is_loaded(const Elf64_Shdr& header, std::string_view name) {
    return (header.sh_flags & SHF_ALLOC) != 0 && header.sh_size > 0 && header.sh_type != SHT_NOTE &&
           name != ".eh_frame";
  }

  void load_sections() {
    loaded_index_.assign(headers_.size(), ObjectSymbol::kNotLoaded);
    for (size_t i = 0; i < headers_.size(); ++i) {
      const Elf64_Shdr& header = headers_[i];
      const std::string_view name = read_name(section_names_, header.sh_name);
      if (!is_loaded(header, name)) continue;
      const bool is_writable = (header.sh_flags & SHF_WRITE) != 0;
      // Written by relocation only, so read-only once it is loaded.
      require_sound(!is_writable || name.starts_with(".data.rel.ro"),
                    "object file: code must keep no writable data:", name);
      require_sound((header.sh_flags & SHF_TLS) == 0 && header.sh_type == SHT_PROGBITS,
                    "object file: a section must be code or constants:", name);
      // A page is the most that a mapping guarantees.
      require_sound(
          header.sh_addralign <= 4096 &&
              (header.sh_addralign == 0 || std::has_single_bit(header.sh_addralign)),
          "object file: an alignment must be a power of two up to 4096:", header.sh_addralign);
      const bool is_code = (header.sh_flags & SHF_EXECINSTR) != 0;
      require_sound(!(is_code && is_writable), "object file: code must not be writable:", name);
      loaded_index_[i] = static_cast<int32_t>(object_.sections.size());
      object_.sections.push_back({.bytes = used_content(header),
                                  .alignment = std::max<uint64_t>(1, header.sh_addralign),
                                  .is_code = is_code});
    }
  }

  ObjectSymbol symbol_of(const Elf64_Sym& entry, Bytes names) const {
    ObjectSymbol symbol;
    symbol.name = read_name(names, entry.st_name);
    const unsigned type = ELF64_ST_TYPE(entry.st_info);
    symbol.is_global = ELF64_ST_BIND(entry.st_info) != STB_LOCAL;
    symbol.is_function = type == STT_FUNC;
    require_sound(type != STT_TLS && type != STT_GNU_IFUNC,
                  "object file: a symbol must be a function or constant:", symbol.name);
    if (entry.st_shndx == SHN_UNDEF) {
      symbol.section = ObjectSymbol::kImported;
      return symbol;
    }
    if (entry.st_shndx == SHN_ABS) return symbol;  // The name of the source file.
    require_sound(entry.st_shndx < headers_.size(),
                  "object file: a symbol must name a section:", symbol.name, entry.st_shndx);
    symbol.section = loaded_index_[entry.st_shndx];
    if (symbol.section < 0) return symbol;
    const size_t size = object_.sections[static_cast<size_t>(symbol.section)].bytes.size();
    require_sound(entry.st_value <= size && entry.st_size <= size - entry.st_value,
                  "object file: a symbol must lie inside its section:", symbol.name);
    symbol.value = entry.st_value;
    return symbol;
  }

  void read_symbols() {
    for (size_t i = 0; i < headers_.size(); ++i) {
      const Elf64_Shdr& header = headers_[i];
      if (header.sh_type != SHT_SYMTAB) continue;
      require_sound(symbol_table_ == 0, "object file: must have one symbol table");
      require_sound(header.sh_link < headers_.size() && header.sh_entsize == sizeof(Elf64_Sym),
                    "object file: symbols must have names");
      symbol_table_ = i;
      const Bytes table = used_content(header);
      const Bytes names = content(headers_[header.sh_link]);
      const size_t count = table.size() / sizeof(Elf64_Sym);
      object_.symbols.reserve(count);
      for (size_t k = 0; k < count; ++k) {
        object_.symbols.push_back(symbol_of(read<Elf64_Sym>(table, k * sizeof(Elf64_Sym)), names));
      }
    }
  }

  void read_relocations(const Elf64_Shdr& header) {
    require_sound(header.sh_info < headers_.size(),
                  "object file: relocations must have a target:", header.sh_info);
    const int32_t section = loaded_index_[header.sh_info];
    if (section < 0) return;  // Unwind tables or debug information.
    require_sound(header.sh_link == symbol_table_ && header.sh_entsize == sizeof(Elf64_Rela),
                  "object file: relocations must use the symbol table:", header.sh_link);
    const size_t section_size = object_.sections[static_cast<size_t>(section)].bytes.size();
    const Bytes table = used_content(header);
    const size_t count = table.size() / sizeof(Elf64_Rela);
    object_.relocations.reserve(object_.relocations.size() + count);
    for (size_t k = 0; k < count; ++k) {
      const auto entry = read<Elf64_Rela>(table, k * sizeof(Elf64_Rela));
      const uint64_t symbol = ELF64_R_SYM(entry.r_info);
      require_sound(entry.r_offset <= section_size && symbol < object_.symbols.size(),
                    "object file: a relocation must lie in its section and name a symbol:",
                    entry.r_offset, symbol);
      object_.relocations.push_back({.section = static_cast<uint32_t>(section),
                                     .symbol = static_cast<uint32_t>(symbol),
                                     .type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info)),
                                     .offset = entry.r_offset,
                                     .addend = entry.r_addend});
    }
  }

  Bytes bytes_;
  Bytes section_names_;
  uint64_t used_bytes_ = 0;
  size_t symbol_table_ = 0;  // Section 0 is never one.
  std::vector<Elf64_Shdr> headers_;
  std::vector<int32_t> loaded_index_;  // By section: index into object_.sections or kNotLoaded.
  ElfObject object_;
};

}  // namespace

ElfObject ElfObject::parse(std::span<const std::byte> bytes) { return Parser(bytes).parse(); }

}  // namespace litz::runtime

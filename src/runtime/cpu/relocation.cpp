#include "runtime/cpu/relocation.h"

#include <cstring>
#include <elf.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

// Names that older elf.h files lack.
constexpr uint32_t kGotPcRelX = 41;
constexpr uint32_t kRexGotPcRelX = 42;

template <typename T>
void put(std::span<std::byte> place, T value) {
  std::memcpy(place.data(), &value, sizeof(T));
}

uint32_t instruction_at(std::span<std::byte> place) {
  uint32_t word = 0;
  std::memcpy(&word, place.data(), sizeof(word));
  return word;
}

[[noreturn]] void fail_unknown(uint32_t type) {
  fail(ErrorCode::corrupt, "object file: a relocation must have a known type:", type);
}

// `value` as a signed field of `bits` bits, after dropping `scale` low bits that must be zero.
uint32_t signed_field(uint64_t value, unsigned bits, unsigned scale) {
  const auto distance = static_cast<int64_t>(value);
  const int64_t limit = int64_t{1} << (bits + scale - 1);
  require(distance >= -limit && distance < limit, ErrorCode::corrupt,
          "object file: a relocation's target must be in reach:", distance);
  require((value & ((uint64_t{1} << scale) - 1)) == 0, ErrorCode::corrupt,
          "object file: a relocation's target must be aligned:", distance);
  const auto field = static_cast<uint64_t>(distance >> scale);
  return static_cast<uint32_t>(field & ((uint64_t{1} << bits) - 1));
}

void apply_x86_64(uint32_t type, std::span<std::byte> place, uint64_t address, uint64_t target) {
  switch (type) {
    case R_X86_64_64:
      return put(place, target);
    case R_X86_64_PC64:
      return put(place, target - address);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case kGotPcRelX:
    case kRexGotPcRelX:
      return put(place, signed_field(target - address, 32, 0));
    default:
      fail_unknown(type);
  }
}

// Replaces the `bits` bits of an instruction that start at `shift`.
void put_field(std::span<std::byte> place, uint32_t field, unsigned shift, unsigned bits) {
  const uint32_t mask = ((uint32_t{1} << bits) - 1) << shift;
  put(place, (instruction_at(place) & ~mask) | ((field << shift) & mask));
}

// The 21 bits of adr and adrp: two low ones at 29, the others at 5.
void put_adr(std::span<std::byte> place, uint32_t field) {
  put_field(place, field & 3, 29, 2);
  put_field(place, field >> 2, 5, 19);
}

uint64_t page(uint64_t address) { return address & ~uint64_t{0xfff}; }

// Loads and stores scale their offset by the access size.
void put_low_bits(std::span<std::byte> place, uint64_t target, unsigned scale) {
  require((target & ((uint64_t{1} << scale) - 1)) == 0, ErrorCode::corrupt,
          "object file: a relocation's target must be aligned:", target & 0xfff);
  put_field(place, static_cast<uint32_t>(target & 0xfff) >> scale, 10, 12);
}

void apply_aarch64(uint32_t type, std::span<std::byte> place, uint64_t address, uint64_t target) {
  const uint64_t distance = target - address;
  switch (type) {
    case R_AARCH64_ABS64:
      return put(place, target);
    case R_AARCH64_PREL64:
      return put(place, distance);
    case R_AARCH64_PREL32:
      return put(place, signed_field(distance, 32, 0));
    case R_AARCH64_ADR_PREL_LO21:
      return put_adr(place, signed_field(distance, 21, 0));
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE:
      return put_adr(place, signed_field(page(target) - page(address), 21, 12));
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return put_low_bits(place, target, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return put_low_bits(place, target, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return put_low_bits(place, target, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return put_low_bits(place, target, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return put_low_bits(place, target, 4);
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_CONDBR19:
      return put_field(place, signed_field(distance, 19, 2), 5, 19);
    case R_AARCH64_TSTBR14:
      return put_field(place, signed_field(distance, 14, 2), 5, 14);
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26:
      return put_field(place, signed_field(distance, 26, 2), 0, 26);
    default:
      fail_unknown(type);
  }
}

RelocationForm form_x86_64(uint32_t type) {
  switch (type) {
    case R_X86_64_64:
      return {.width = 8, .is_absolute = true};
    case R_X86_64_PC64:
      return {.width = 8};
    case R_X86_64_PC32:
      return {};
    case R_X86_64_PLT32:
      return {.reference = Reference::call};
    case R_X86_64_GOTPCREL:
    case kGotPcRelX:
    case kRexGotPcRelX:
      return {.reference = Reference::table};
    default:
      fail_unknown(type);
  }
}

RelocationForm form_aarch64(uint32_t type) {
  switch (type) {
    case R_AARCH64_ABS64:
      return {.width = 8, .is_absolute = true};
    case R_AARCH64_PREL64:
      return {.width = 8};
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_LO21:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_CONDBR19:
    case R_AARCH64_TSTBR14:
      return {};
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26:
      return {.reference = Reference::call};
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return {.reference = Reference::table};
    default:
      fail_unknown(type);
  }
}

}  // namespace

RelocationForm relocation_form(Machine machine, uint32_t type) {
  return machine == Machine::x86_64 ? form_x86_64(type) : form_aarch64(type);
}

void apply_relocation(Machine machine, uint32_t type, std::span<std::byte> place, uint64_t address,
                      uint64_t target) {
  check(place.size() == relocation_form(machine, type).width,
        "a relocation's place has its form's width:", place.size());
  machine == Machine::x86_64 ? apply_x86_64(type, place, address, target)
                             : apply_aarch64(type, place, address, target);
}

size_t stub_bytes(Machine machine) { return machine == Machine::x86_64 ? 8 : 16; }

void write_stub(Machine machine, std::span<std::byte> place, uint64_t address,
                uint64_t table_entry) {
  check(place.size() == stub_bytes(machine), "a stub fills its place:", place.size());
  if (machine == Machine::x86_64) {
    // jmp *[rip + distance], measured from the end of its six bytes; the rest is int3.
    put(place, uint64_t{0xcccc'0000'0000'25ff});
    put(place.subspan(2), signed_field(table_entry - (address + 6), 32, 0));
    return;
  }
  constexpr uint32_t kCode[] = {
      0x90000010,  // adrp x16, page: a register that calls may change.
      0xf9400210,  // ldr x16, [x16, offset]
      0xd61f0200,  // br x16
      0,           // udf
  };
  std::memcpy(place.data(), kCode, sizeof(kCode));
  apply_aarch64(R_AARCH64_ADR_GOT_PAGE, place, address, table_entry);
  apply_aarch64(R_AARCH64_LD64_GOT_LO12_NC, place.subspan(4), address + 4, table_entry);
}

}  // namespace litz::runtime

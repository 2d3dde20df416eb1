#include "runtime/cpu/relocation.h"

#include <array>
#include <cstring>
#include <elf.h>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

uint32_t relocated(uint32_t instruction, uint32_t type, uint64_t address, uint64_t target) {
  std::array<std::byte, 4> place;
  std::memcpy(place.data(), &instruction, 4);
  apply_relocation(Machine::aarch64, type, place, address, target);
  std::memcpy(&instruction, place.data(), 4);
  return instruction;
}

// Expected words are those that an assembler gives for the instruction in the comment.
TEST(Relocation, AArch64Fields) {
  EXPECT_EQ(relocated(0x90000000, R_AARCH64_ADR_PREL_PG_HI21, 0x1000, 0x5123),
            0x90000020);  // adrp x0, #+4 pages
  EXPECT_EQ(relocated(0x90000001, R_AARCH64_ADR_PREL_PG_HI21, 0x5fff, 0x1000),
            0x90ffffe1);  // adrp x1, #-4 pages
  EXPECT_EQ(relocated(0x91000000, R_AARCH64_ADD_ABS_LO12_NC, 0, 0x5123),
            0x91048c00);  // add x0, x0, #0x123
  EXPECT_EQ(relocated(0xf9400000, R_AARCH64_LDST64_ABS_LO12_NC, 0, 0x5128),
            0xf9409400);  // ldr x0, [x0, #0x128]
  EXPECT_EQ(relocated(0x3dc00000, R_AARCH64_LDST128_ABS_LO12_NC, 0, 0x5120),
            0x3dc04800);  // ldr q0, [x0, #0x120]
  EXPECT_EQ(relocated(0x94000000, R_AARCH64_CALL26, 0x1000, 0x1010), 0x94000004);  // bl #16
  EXPECT_EQ(relocated(0x14000000, R_AARCH64_JUMP26, 0x1010, 0x1000), 0x17fffffc);  // b #-16
  EXPECT_EQ(relocated(0x54000000, R_AARCH64_CONDBR19, 0, 8), 0x54000040);          // b.eq #8
  EXPECT_EQ(relocated(0x36000000, R_AARCH64_TSTBR14, 8, 0), 0x3607ffc0);        // tbz w0, #0, #-8
  EXPECT_EQ(relocated(0x10000000, R_AARCH64_ADR_PREL_LO21, 0, 5), 0x30000020);  // adr x0, #5
}

TEST(Relocation, OutOfReachIsRefused) {
  std::array<std::byte, 4> place{};
  const auto refuses = [&](Machine machine, uint32_t type, uint64_t address, uint64_t target) {
    try {
      apply_relocation(machine, type, place, address, target);
    } catch (const Error& error) {
      return error.code() == ErrorCode::corrupt;
    }
    return false;
  };
  const uint64_t far = uint64_t{1} << 40;
  EXPECT_TRUE(refuses(Machine::x86_64, R_X86_64_PC32, 0, far));
  EXPECT_TRUE(refuses(Machine::x86_64, R_X86_64_PC32, far, 0));
  EXPECT_FALSE(refuses(Machine::x86_64, R_X86_64_PC32, far, far + 0x7fffffff));
  EXPECT_TRUE(refuses(Machine::x86_64, R_X86_64_PC32, far, far + 0x80000000));
  EXPECT_FALSE(refuses(Machine::x86_64, R_X86_64_PC32, far, far - 0x80000000));
  EXPECT_TRUE(refuses(Machine::aarch64, R_AARCH64_CALL26, 0, uint64_t{1} << 27));
  EXPECT_TRUE(refuses(Machine::aarch64, R_AARCH64_CALL26, 0, 2));
  EXPECT_TRUE(refuses(Machine::aarch64, R_AARCH64_LDST64_ABS_LO12_NC, 0, 4));
  EXPECT_TRUE(refuses(Machine::aarch64, R_AARCH64_ADR_PREL_PG_HI21, 0, far));
}

TEST(Relocation, UnknownTypesAreRefused) {
  EXPECT_THROW(relocation_form(Machine::x86_64, R_X86_64_TPOFF32), Error);
  EXPECT_THROW(relocation_form(Machine::aarch64, R_AARCH64_TLSDESC_CALL), Error);
}

TEST(Relocation, StubsJumpThroughTheTable) {
  std::array<std::byte, 8> x86;
  write_stub(Machine::x86_64, x86, 0x1000, 0x2000);
  const std::array<unsigned char, 8> expected{0xff, 0x25, 0xfa, 0x0f, 0, 0, 0xcc, 0xcc};
  EXPECT_EQ(std::memcmp(x86.data(), expected.data(), 8), 0);
  std::array<std::byte, 16> arm;
  write_stub(Machine::aarch64, arm, 0x1000, 0x2008);
  std::array<uint32_t, 4> words;
  std::memcpy(words.data(), arm.data(), 16);
  // adrp x16, #+1 page; ldr x16, [x16, #8]; br x16
  EXPECT_EQ(words, (std::array<uint32_t, 4>{0xb0000010, 0xf9400610, 0xd61f0200, 0}));
}

}  // namespace
}  // namespace litz::runtime

#include "support/hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(Hash, NamesHashAtCompileTime) {
  static_assert(hash_name("") == 0xcbf29ce484222325);
  static_assert(hash_name("a") == 0xaf63dc4c8601ec8c);  // Published test value of FNV-1a.
  static_assert(hash_name("aten.add") != hash_name("aten.sub"));
}

TEST(Hash, CombineKeepsTheOrder) {
  EXPECT_NE(hash_combine(1, 2), hash_combine(2, 1));
  EXPECT_NE(hash_combine(0, 0), 0u);
}

TEST(Hash, BytesOfEveryLengthDiffer) {
  std::set<uint64_t> seen;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    EXPECT_TRUE(seen.insert(hash_bytes(text)).second) << i;
    text += '\0';  // Zeros are what a weak hash confuses.
  }
  EXPECT_NE(hash_bytes("abc", 1), hash_bytes("abc", 2));
}

TEST(Hash, EveryBitCounts) {
  const std::string text(100, 'q');
  std::set<uint64_t> seen = {hash_bytes(text)};
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_TRUE(seen.insert(hash_bytes(changed)).second) << bit;
  }
}

TEST(Hash, ValuesAreStable) {
  // Stored in cache keys: a change here must come with a new cache version.
  EXPECT_EQ(hash_bytes("litz"), hash_bytes(std::string("litz")));
  EXPECT_EQ(Hasher().add(1).add("x").value(), Hasher().add(int64_t{1}).add("x").value());
  EXPECT_NE(Hasher().add("ab").add("c").value(), Hasher().add("a").add("bc").value());
  EXPECT_NE(Hasher().add(0.0).value(), Hasher().add(-0.0).value());
}

}  // namespace
}  // namespace litz

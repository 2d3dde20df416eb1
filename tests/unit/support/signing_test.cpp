#include "support/signing.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

std::vector<std::byte> content() { return std::vector<std::byte>(1000, std::byte{7}); }

TEST(Signing, TellsWhoSignedWhat) {
  const SecretKey key = new_secret_key();
  const Signature signature = sign(key, "a test", content());
  EXPECT_TRUE(is_signed_by(key.public_key, signature, "a test", content()));
  EXPECT_FALSE(is_signed_by(new_secret_key().public_key, signature, "a test", content()));
  EXPECT_FALSE(is_signed_by(key.public_key, signature, "another test", content()));
  EXPECT_FALSE(is_signed_by({}, {}, "a test", content()));
  std::vector<std::byte> changed = content();
  changed[500] ^= std::byte{1};
  EXPECT_FALSE(is_signed_by(key.public_key, signature, "a test", changed));
  for (size_t i = 0; i < signature.size(); ++i) {
    Signature forged = signature;
    forged[i] ^= std::byte{1};
    EXPECT_FALSE(is_signed_by(key.public_key, forged, "a test", content())) << i;
  }
  EXPECT_TRUE(is_signed_by(key.public_key, sign(key, "a test", {}), "a test", {}));
}

// RFC 8032, 7.1, test 1: this seed has this key.
TEST(Signing, KeysAreThoseOfEd25519) {
  const SecretKey key = parse_secret_key(
      "litz-secret-key-1 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60 test");
  EXPECT_EQ(to_string(key.public_key),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
}

TEST(Signing, KeysComeBackFromText) {
  const SecretKey key = new_secret_key();
  EXPECT_EQ(parse_public_key(to_line(key.public_key, "release 7")), key.public_key);
  EXPECT_EQ(parse_public_key(to_line(key.public_key, "")), key.public_key);
  EXPECT_EQ(parse_public_key(to_string(key.public_key)), key.public_key);
  EXPECT_EQ(parse_public_key("\n " + to_string(key.public_key) + "\r\n"), key.public_key);
  const SecretKey again = parse_secret_key(to_line(key, "release 7"));
  EXPECT_EQ(again.seed, key.seed);
  EXPECT_EQ(again.public_key, key.public_key);
}

TEST(Signing, OtherTextIsNoKey) {
  const SecretKey key = new_secret_key();
  const std::string digits = to_string(key.public_key);
  for (const std::string& text : {std::string(), std::string("litz-public-key-1"), digits.substr(1),
                                  digits + "0", "g" + digits.substr(1)}) {
    EXPECT_THAT([&] { parse_public_key(text); },
                ThrowsMessage<Error>(HasSubstr("a public key must be")))
        << text;
    EXPECT_THROW(parse_secret_key(text), Error) << text;
  }
  const std::string secret = to_line(key, "");
  EXPECT_THAT([&] { parse_public_key(secret); },
              ThrowsMessage<Error>(HasSubstr("give the public key here")));
  EXPECT_THAT([&] { parse_public_key(secret); },
              ThrowsMessage<Error>(Not(HasSubstr(secret.substr(18, 8)))));
  EXPECT_THAT([&] { parse_secret_key(to_line(key.public_key, "")); },
              ThrowsMessage<Error>(HasSubstr("a public key cannot sign")));
}

}  // namespace
}  // namespace litz

#include "common/keys.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "support/mapped_file.h"
#include "support/whole_file.h"

namespace litz::tools {
namespace {

constexpr size_t kDigits = 64;
/// Key files are lines. A larger file is something else, and need not be read.
constexpr size_t kMostBytes = 4096;

std::string text_of(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  require(file.bytes().size() <= kMostBytes, "a key file must hold one line:", path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

bool are_digits(const std::string& text) {
  return text.size() == kDigits && std::ranges::all_of(text, [](unsigned char character) {
           return std::isxdigit(character) != 0;
         });
}

template <typename Parse>
auto parse_file(const std::string& path, const Parse& parse) {
  const std::string text = text_of(path);
  try {
    return parse(text);
  } catch (Error& error) {
    error.add_note("while reading " + path);
    throw;
  }
}

void write_new(const std::string& path, const std::string& text, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  require(file >= 0, ErrorCode::io, "a key must be written to a new file:", path,
          std::strerror(errno));
  bool is_whole = write_all(file, std::as_bytes(std::span(text)));
  is_whole = ::close(file) == 0 && is_whole;
  if (is_whole) return;
  ::unlink(path.c_str());
  fail(ErrorCode::io, "a key must be written whole:", path);
}

}  // namespace

void add_trust_option(CLI::App& command, std::vector<std::string>& keys) {
  command
      .add_option(
          "--trust", keys,
          "run nothing that this public key did not sign: NAME.pub of `litz key new`, or its "
          "64 digits; repeat for several keys")
      ->type_name("KEY")
      ->allow_extra_args(false);  // Otherwise the model after it would be another key.
}

std::vector<PublicKey> read_trusted(const std::vector<std::string>& keys) {
  std::vector<PublicKey> trusted;
  for (const std::string& key : keys) {
    trusted.push_back(are_digits(key) ? parse_public_key(key) : parse_file(key, parse_public_key));
  }
  return trusted;
}

SecretKey read_secret_key(const std::string& path) {
  const SecretKey key = parse_file(path, parse_secret_key);
  struct stat status = {};
  require(::stat(path.c_str(), &status) == 0 && (status.st_mode & 077) == 0, ErrorCode::io,
          "a secret key must be readable by its owner alone (chmod 600):", path);
  return key;
}

PublicKey write_new_key(const std::string& name) {
  std::string comment = std::filesystem::path(name).filename().string();
  std::ranges::replace_if(
      comment, [](unsigned char character) { return std::iscntrl(character) != 0; }, ' ');
  require(!comment.empty(), "a key must have a name:", name);
  const SecretKey key = new_secret_key();
  const std::string secret = name + ".key";
  write_new(secret, to_line(key, comment), 0600);
  try {
    write_new(name + ".pub", to_line(key.public_key, comment), 0644);
  } catch (const Error&) {
    ::unlink(secret.c_str());
    throw;
  }
  return key.public_key;
}

}  // namespace litz::tools

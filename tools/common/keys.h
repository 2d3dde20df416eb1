// Key files of `litz key`, and the option that says whose programs run.

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "support/signing.h"

namespace litz::tools {

/// --trust, for several keys.
void add_trust_option(CLI::App& command, std::vector<std::string>& keys);

/// The keys of the option: each is a file with a public key, or the key's 64 digits.
std::vector<PublicKey> read_trusted(const std::vector<std::string>& keys);

/// The key of a file that only its owner can read. Throws Error{io} if others can.
SecretKey read_secret_key(const std::string& path);

/// Makes a key and writes NAME.key, which only its owner can read, and NAME.pub. Existing files are left
/// alone: Error{io}.
PublicKey write_new_key(const std::string& name);

}  // namespace litz::tools

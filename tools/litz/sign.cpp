// litz key: makes keys. litz sign: says who vouches for a compiled program.

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "artifact/file_signature.h"
#include "artifact/program_file.h"
#include "common/keys.h"
#include "litz/commands.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "support/whole_file.h"

namespace litz::tools {
namespace {

struct SignSettings {
  std::string model;
  std::string key;
  std::string output;
};

int make_key(const std::string& name) {
  const PublicKey key = write_new_key(name);
  std::printf(
      "%s.key  secret: for `litz compile --sign` and `litz sign`, where programs are built\n",
      name.c_str());
  std::printf("%s.pub  public: for --trust, where they run; the key %s\n", name.c_str(),
              to_string(key).c_str());
  return kSuccess;
}

int sign(const SignSettings& settings) {
  const SecretKey key = read_secret_key(settings.key);
  // A copy: what is written must be what was signed.
  const MappedFile file = MappedFile::read(settings.model);
  require(artifact::is_file_of(file.bytes(), artifact::kProgramFile), ErrorCode::unsupported,
          "only compiled programs can be signed, which `litz compile` writes:", settings.model);
  const std::span<const std::byte> program =
      artifact::split_signature(artifact::kProgramFile, file.bytes()).file;
  artifact::unframed(artifact::kProgramFile, program);  // Damage is not signed.
  const std::vector<std::byte> signature = artifact::signature_bytes(program, key);
  const std::string& output = settings.output.empty() ? settings.model : settings.output;
  write_whole_parts(output, std::array<std::span<const std::byte>, 2>{program, signature});
  std::printf("%s: signed by %s\n", output.c_str(), to_string(key.public_key).c_str());
  return kSuccess;
}

}  // namespace

void add_key(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("key", "Make keys to sign compiled programs with");
  command->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  CLI::App* making =
      command->add_subcommand("new", "Make a key: NAME.key, which is secret, and NAME.pub");
  making->add_option("name", *name, "where the files go, without their ends")->required();
  making->callback([name, &status] { status = make_key(*name); });
}

void add_sign(CLI::App& app, int& status) {
  auto settings = std::make_shared<SignSettings>();
  CLI::App* command = app.add_subcommand("sign", "Sign a compiled program");
  command->add_option("model", settings->model, "compiled program (.litz)")->required();
  command->add_option("--key", settings->key, "the secret key: NAME.key of `litz key new`")
      ->required();
  command->add_option("-o,--output", settings->output, "the file to write; left out, the same");
  command->callback([settings, &status] { status = sign(*settings); });
}

}  // namespace litz::tools

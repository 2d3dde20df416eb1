// litz cache: where compiled kernels are kept, how many, and deleting them.

#include <cstdio>
#include <memory>

#include "compiler/kernel_cache.h"
#include "litz/commands.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

std::unique_ptr<compiler::KernelCache> open_cache(compiler::CacheSettings& settings) {
  settings = compiler::CacheSettings::from_environment();
  std::string reason;
  auto cache = compiler::KernelCache::open(settings, &reason);
  require(cache != nullptr,
          "there must be a cache of compiled kernels to look at:", settings.directory, reason);
  return cache;
}

int show(bool json) {
  compiler::CacheSettings settings;
  const compiler::CacheUsage usage = open_cache(settings)->usage();
  if (json) {
    JsonWriter out;
    out.begin_object()
        .member("directory", settings.directory)
        .member("entries", usage.entries)
        .member("bytes", static_cast<int64_t>(usage.bytes))
        .member("most_bytes", static_cast<int64_t>(settings.most_bytes));
    std::printf("%s\n", out.end_object().take().c_str());
    return kSuccess;
  }
  std::printf("directory  %s\nentries    %lld\nsize       %s of at most %s\n",
              settings.directory.c_str(), static_cast<long long>(usage.entries),
              human_bytes(usage.bytes).c_str(), human_bytes(settings.most_bytes).c_str());
  return kSuccess;
}

int clear() {
  compiler::CacheSettings settings;
  open_cache(settings)->clear();
  return kSuccess;
}

}  // namespace

void add_cache(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "Tell how much compiled code is kept on disk");
  command->add_flag("--json", *json, "print one JSON object");
  CLI::App* clearing = command->add_subcommand("clear", "Delete all of it");
  command->callback(
      [clearing, json, &status] { status = clearing->parsed() ? clear() : show(*json); });
}

}  // namespace litz::tools

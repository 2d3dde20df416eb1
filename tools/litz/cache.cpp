// litz cache: shows the folder and number of compiled kernels, and deletes them.

#include <cstdio>
#include <memory>

#include "compiler/kernels/kernel_cache.h"
#include "litz/commands.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

/// Returns null if the settings switch the cache off.
std::unique_ptr<compiler::KernelCache> open_cache(const compiler::CacheSettings& settings) {
  if (settings.most_bytes == 0) return nullptr;
  std::string reason;
  auto cache = compiler::KernelCache::open(settings, &reason);
  require(cache != nullptr, "the cache of compiled kernels must be a folder to write to:",
          settings.directory.empty() ? reason : settings.directory + ": " + reason);
  return cache;
}

int say_off() {
  std::printf("the cache is switched off by LITZ_CACHE_SIZE=0\n");
  return kSuccess;
}

int show(bool json) {
  const auto settings = compiler::CacheSettings::from_environment();
  const auto cache = open_cache(settings);
  if (cache == nullptr && !json) return say_off();
  const compiler::CacheUsage usage = cache ? cache->usage() : compiler::CacheUsage();
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

/// As JSON, shows what is left.
int clear(bool json) {
  const auto cache = open_cache(compiler::CacheSettings::from_environment());
  if (cache == nullptr && !json) return say_off();
  if (cache != nullptr) cache->clear();
  return json ? show(json) : kSuccess;
}

}  // namespace

void add_cache(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "Tell how much compiled code is kept on disk");
  command->add_flag("--json", *json, "print one JSON object");
  CLI::App* clearing = command->add_subcommand("clear", "Delete all of it");
  command->callback(
      [clearing, json, &status] { status = clearing->parsed() ? clear(*json) : show(*json); });
}

}  // namespace litz::tools

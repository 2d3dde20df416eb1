// Compiled kernels on disk, shared by all programs and processes of a user.
//
// One file per kernel, named by its key, which covers everything that the code depends on; so
// entries become old but never stale. Files appear whole (written under another name, then
// renamed), and unreadable ones are deleted and compiled again. The cache is only an optimisation:
// a failure in it costs time and never fails the call.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "artifact/kernel_file.h"
#include "compiler/backend.h"
#include "compiler/kernels/kernel_store.h"
#include "loops/kernel.h"

namespace litz::compiler {

/// The key of a canonical kernel (loops::canonicalize) with text `text`; nothing if the text does
/// not identify its symbols.
std::optional<artifact::KernelKey> kernel_key(const loops::Kernel& kernel, std::string_view text,
                                              const Backend& backend);

struct CacheSettings {
  std::string directory;    ///< Empty: unknown.
  uint64_t most_bytes = 0;  ///< 0: off.

  /// $LITZ_CACHE_DIR, $XDG_CACHE_HOME/litz or $HOME/.cache/litz; $LITZ_CACHE_SIZE MiB, or 1 GiB.
  /// Throws Error{invalid_argument} for a size that is not a number.
  static CacheSettings from_environment();
};

struct CacheUsage {
  int64_t entries = 0;
  uint64_t bytes = 0;
};

/// Safe for any number of processes; an object serves one thread at a time.
class KernelCache final : public KernelStore {
 public:
  /// Creates a missing directory with access for the user alone. Null when the cache is off or the
  /// directory cannot be used; `reason`, if given, receives the explanation.
  static std::unique_ptr<KernelCache> open(const CacheSettings& settings,
                                           std::string* reason = nullptr);
  /// Deletes the least recently used entries if the cache has grown too large.
  ~KernelCache() override;
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  /// The stored code without a name, if it exists and is whole; reads only files of this user.
  std::optional<artifact::KernelCode> find(const artifact::KernelKey& key, ExprPool& pool) override;
  /// Stores code whose entry points are named by artifact::symbol_prefix.
  void store(const artifact::KernelKey& key, const artifact::KernelCode& code,
             const ExprPool& pool) override;
  void remove(const artifact::KernelKey& key);

  CacheUsage usage() const;
  /// Deletes all entries; files that do not belong to the cache stay.
  void clear();
  /// Deletes the least recently used entries while there are too many, and leftovers of dead
  /// writers.
  void trim();

 private:
  KernelCache(int directory, uint64_t most_bytes)
      : directory_(directory), most_bytes_(most_bytes) {}

  int directory_;
  uint64_t most_bytes_;
  bool has_grown_ = false;
};

}  // namespace litz::compiler

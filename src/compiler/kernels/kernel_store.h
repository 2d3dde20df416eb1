// Where compiled kernels are looked up and stored while programs are prepared.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "artifact/kernel_file.h"

namespace litz::compiler {

/// One object serves one thread at a time.
class KernelStore {
 public:
  virtual ~KernelStore() = default;

  /// The code without a name, if it exists; its symbols are those of `pool`.
  virtual std::optional<artifact::KernelCode> find(const artifact::KernelKey& key,
                                                   ExprPool& pool) = 0;
  /// Stores code whose entry points are named by artifact::symbol_prefix.
  virtual void store(const artifact::KernelKey& key, const artifact::KernelCode& code,
                     const ExprPool& pool) = 0;
};

/// Kernels in memory, for programs that share code and for files that contain it.
class KernelTable final : public KernelStore {
 public:
  /// Looks up in `behind` what the table lacks, and passes new code on to it, unless it is null.
  explicit KernelTable(KernelStore* behind = nullptr) : behind_(behind) {}

  std::optional<artifact::KernelCode> find(const artifact::KernelKey& key, ExprPool& pool) override;
  void store(const artifact::KernelKey& key, const artifact::KernelCode& code,
             const ExprPool& pool) override;

  /// Adds the payload that artifact::kernel_payload wrote.
  void add(const artifact::KernelKey& key, std::span<const std::byte> payload);

  /// All kernels as payloads, by key.
  std::vector<std::pair<artifact::KernelKey, std::span<const std::byte>>> payloads() const;

  size_t size() const { return payloads_.size(); }

  /// The number of stores: kernels that were compiled.
  size_t stored_count() const { return stored_count_; }

 private:
  using Words = std::pair<uint64_t, uint64_t>;

  KernelStore* behind_;
  std::map<Words, std::vector<std::byte>> payloads_;
  size_t stored_count_ = 0;
};

}  // namespace litz::compiler

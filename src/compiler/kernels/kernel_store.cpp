#include "compiler/kernels/kernel_store.h"

namespace litz::compiler {

std::optional<artifact::KernelCode> KernelTable::find(const artifact::KernelKey& key,
                                                      ExprPool& pool) {
  if (const auto found = payloads_.find({key.high, key.low}); found != payloads_.end()) {
    return artifact::parse_kernel_payload(found->second, key, pool);
  }
  if (behind_ == nullptr) return std::nullopt;
  std::optional<artifact::KernelCode> code = behind_->find(key, pool);
  if (code) add(key, artifact::kernel_payload(*code, pool));
  return code;
}

void KernelTable::store(const artifact::KernelKey& key, const artifact::KernelCode& code,
                        const ExprPool& pool) {
  add(key, artifact::kernel_payload(code, pool));
  ++stored_count_;
  if (behind_ != nullptr) behind_->store(key, code, pool);
}

void KernelTable::add(const artifact::KernelKey& key, std::span<const std::byte> payload) {
  payloads_.insert_or_assign({key.high, key.low},
                             std::vector<std::byte>(payload.begin(), payload.end()));
}

std::vector<std::pair<artifact::KernelKey, std::span<const std::byte>>> KernelTable::payloads()
    const {
  std::vector<std::pair<artifact::KernelKey, std::span<const std::byte>>> all;
  all.reserve(payloads_.size());
  for (const auto& [words, payload] : payloads_) {
    all.emplace_back(artifact::KernelKey{words.first, words.second}, payload);
  }
  return all;
}

}  // namespace litz::compiler

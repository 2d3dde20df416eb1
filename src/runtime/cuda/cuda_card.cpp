#include "runtime/cuda/cuda_card.h"

#include <map>
#include <mutex>

#include "runtime/stream_use.h"

namespace litz::runtime::cuda {
namespace {

/// Owns a block and the account of who uses it.
struct Block {
  Block(std::shared_ptr<CudaMemory> from, size_t bytes, std::optional<StreamId> stream)
      : memory(std::move(from)), address(memory->allocate(bytes, stream)) {}

  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  ~Block() { memory->free(address, use.users.load()); }

  std::shared_ptr<CudaMemory> memory;
  Address address;
  StreamAccount use;
};

struct LentBlock {
  LentBlock(std::shared_ptr<CudaStreams> of, std::shared_ptr<const void> kept)
      : streams(std::move(of)), owner(std::move(kept)) {}

  LentBlock(const LentBlock&) = delete;
  LentBlock& operator=(const LentBlock&) = delete;

  ~LentBlock() {
    if (owner != nullptr) streams->release_later(std::move(owner));
  }

  std::shared_ptr<CudaStreams> streams;
  std::shared_ptr<const void> owner;
  StreamAccount use;
};

}  // namespace

std::shared_ptr<Storage> CudaCard::allocate(Device device, size_t bytes,
                                            std::optional<StreamId> stream) const {
  const auto block = std::make_shared<Block>(memory, bytes, stream);
  if (stream) block->use.begin(*stream, streams->last_call(*stream));
  return Storage::lend({pointer_to(block->address), bytes}, device, block, &block->use);
}

std::shared_ptr<Storage> CudaCard::lend(Device device, std::span<std::byte> bytes,
                                        std::shared_ptr<const void> owner,
                                        std::optional<StreamId> writer) const {
  const auto block = std::make_shared<LentBlock>(streams, std::move(owner));
  if (writer) block->use.begin(*writer, streams->last_call(*writer));
  return Storage::lend(bytes, device, block, &block->use);
}

std::shared_ptr<CudaCard> lasting_card(int index) {
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<CudaCard>> cards;
  const std::lock_guard lock(mutex);
  std::shared_ptr<CudaCard>& card = cards[index];
  if (card == nullptr) card = std::make_shared<CudaCard>(lasting_context(index));
  return card;
}

}  // namespace litz::runtime::cuda

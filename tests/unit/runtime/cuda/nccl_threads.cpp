#include "cuda/nccl_threads.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using cuda::NcclId;

/// Ids by group, for all ranks of a run.
class Board {
 public:
  NcclId share(const std::string& group, bool is_first, const std::function<NcclId()>& make) {
    std::unique_lock lock(mutex_);
    if (is_first) {
      ids_[group] = make();
      changed_.notify_all();
    }
    const bool has_come =
        changed_.wait_for(lock, std::chrono::seconds(2), [&] { return ids_.contains(group); });
    require(has_come, "the first rank made no id");
    return ids_[group];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, NcclId> ids_;
};

class ByBoard final : public cuda::NcclRendezvous {
 public:
  explicit ByBoard(Board& board) : board_(board) {}

  NcclId share(const std::string& group, size_t /*ranks*/, size_t own,
               const std::function<NcclId()>& make) override {
    return board_.share(group, own == 0, make);
  }

  void done(const std::string& /*group*/, size_t /*own*/) override {}

 private:
  Board& board_;
};

}  // namespace

std::vector<std::string> run_nccl_threads(int ranks, const cuda::NcclOptions& like,
                                          const std::function<void(const CardRank& rank)>& body) {
  Board board;
  std::vector<std::string> errors(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        cuda::NcclOptions options = like;
        options.rank = rank;
        options.world = ranks;
        options.context = std::make_shared<const cuda::CudaContext>(*emulated_driver(), 0);
        ByBoard rendezvous(board);
        const CardRank own = cuda::join_nccl(std::move(options), rendezvous);
        distributed::run_rank(*own, [&] { body(own); });
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace litz::runtime

// Memory that MPI may still read or write when its owner ends early.

#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace litz::distributed::mpi {

/// Keeps an object until the process ends: a message that was abandoned cannot be called back.
template <typename T>
void keep_for_ever(std::unique_ptr<T> object) {
  static std::mutex mutex;
  static std::vector<std::shared_ptr<void>> kept;
  const std::lock_guard lock(mutex);
  kept.emplace_back(std::move(object));
}

}  // namespace litz::distributed::mpi

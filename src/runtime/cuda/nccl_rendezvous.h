// How the ranks of a group get the id under which NCCL brings them together.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "distributed/communicator.h"
#include "runtime/cuda/nccl.h"

namespace litz::runtime::cuda {

class NcclRendezvous {
 public:
  virtual ~NcclRendezvous() = default;

  /// Returns when all ranks of the group have come, since NCCL would wait for them for ever. The one
  /// at position 0 makes the id, the others get it.
  virtual NcclId share(const std::string& group, size_t ranks, size_t own,
                       const std::function<NcclId()>& make) = 0;
  /// NCCL has brought the ranks of the group together.
  virtual void done(const std::string& group, size_t own) = 0;
};

/// Through files of this name, with suffixes. They exist only while ranks join: those of another run
/// are an error. A rank waits so long for each of the others.
std::unique_ptr<NcclRendezvous> meet_by_file(std::string path, std::chrono::milliseconds patience);

/// Through ranks that have met on the host.
std::unique_ptr<NcclRendezvous> meet_by_ranks(std::shared_ptr<distributed::Communicator> host);

}  // namespace litz::runtime::cuda

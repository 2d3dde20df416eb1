// How the ranks of a group get the id under which NCCL brings them together.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "distributed/communicator.h"
#include "runtime/cuda/nccl.h"

namespace litz::runtime::cuda {

class NcclRendezvous {
 public:
  virtual ~NcclRendezvous() = default;

  /// The first rank of the group makes the id, the others get it.
  virtual NcclId share(const std::string& group, bool is_first,
                       const std::function<NcclId()>& make) = 0;
  /// All ranks of the group have come together.
  virtual void done(const std::string& group, bool is_first) = 0;
};

/// Through files of this name, with a suffix per group. They exist only while ranks join: those of
/// another run are an error. A rank waits so long for the first one.
std::unique_ptr<NcclRendezvous> meet_by_file(std::string path, std::chrono::milliseconds patience);

/// Through ranks that have met on the host.
std::unique_ptr<NcclRendezvous> meet_by_ranks(std::shared_ptr<distributed::Communicator> host);

}  // namespace litz::runtime::cuda

// The messages of one collective over MPI, from its start to its results.
//
// MPI moves bytes; this project's code reduces them (combine.cpp), in the order of ranks. So results
// have the bits of the simulated world, for every dtype and reduction. A reduction of large tensors
// has two stages: every rank reduces a slice of all operands, then all get the slices. That moves as
// many bytes as a ring does.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributed/collective.h"
#include "distributed/mpi/mpi_functions.h"

namespace litz::distributed::mpi {

/// A group's communicators. MPI pairs the collectives of one communicator by their order. First
/// stages begin in the order of the program; second ones when first ones end, in that order among
/// themselves.
struct Channels {
  Group first = nullptr;
  Group second = nullptr;
  size_t ranks = 0;
  size_t own = 0;  ///< This rank's position.
};

/// All calls of MPI that fail throw Error{io}.
class PostedCollective {
 public:
  PostedCollective(const MpiFunctions& functions, const Channels& channels, Collective collective);
  PostedCollective(const PostedCollective&) = delete;
  PostedCollective& operator=(const PostedCollective&) = delete;

  const Collective& collective() const { return collective_; }

  /// Begins the first stage. Throws Error for operands that the kind cannot have. This must live on
  /// until all has arrived, also if it throws.
  void begin();

  /// True if no message of the stages that have begun is on its way.
  bool has_arrived();

  bool has_second_stage() const { return has_second_stage_; }

  /// Requires that the first one has arrived.
  void begin_second_stage();

  /// Requires that all has arrived.
  void fill_results();

 private:
  struct Part {
    Tensor sent;      ///< Contiguous.
    Tensor received;  ///< Contiguous; the result itself where it can be.
    Tensor whole;     ///< Second stage: the slices of all ranks.
    bool is_sliced = false;
  };

  void post(size_t i);
  void post_gather(Part& part, size_t i);
  void post_reduction(Part& part, size_t i);
  void post_scatter(Part& part, size_t i);
  void post_exchange(Part& part, size_t i);
  void post_broadcast(Part& part, size_t i);
  Tensor to_receive(size_t i) const;
  Tensor to_send(size_t i) const;
  Tensor reduced_terms(const Part& part) const;
  Request* add_request();
  void require_success(int code) const;

  const MpiFunctions& functions_;
  Channels channels_;
  Collective collective_;
  std::vector<Part> parts_;  ///< By operand.
  std::vector<Request> requests_;
  bool has_second_stage_ = false;
};

/// Throws Error{io} with MPI's words unless the code is 0.
void require_mpi(const MpiFunctions& functions, int code, const std::string& doing);

}  // namespace litz::distributed::mpi

// What the ranks of a group tell each other when they start a collective, and when they end.
//
// MPI would add up tensors that do not belong together, and wait for ever for a rank that has ended.
// A notice is a small message that travels beside the data. It tells which ranks have started, and
// what.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "distributed/mpi/mpi_functions.h"

namespace litz::distributed::mpi {

struct Notice {
  enum class Kind : int32_t { collective, send, receive, end };

  Kind kind = Kind::collective;
  int32_t tag = 0;      ///< send, receive.
  int64_t rows = -1;    ///< all_to_all: the rows that the reader gets; -1: equal shares.
  uint64_t hash = 0;    ///< Of the whole text.
  char text[480] = {};  ///< The signature, as far as it fits; end: the error, empty without one.

  static Notice of(Kind kind, std::string_view text);
};

/// The notices of one group. Notices of one rank arrive in the order in which they were sent.
class Notices {
 public:
  /// `group` must carry nothing else.
  Notices(const MpiFunctions& functions, Group group, size_t ranks, size_t own)
      : functions_(functions), group_(group), own_(own), peers_(ranks) {}

  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  ~Notices();

  Group group() const { return group_; }

  /// Once, before everything else.
  void listen();

  void send(size_t to, const Notice& notice);

  /// Looks for messages.
  void progress();

  /// The oldest notice of this kind and tag that was not taken yet.
  std::optional<Notice> take(size_t from, Notice::Kind kind, int32_t tag);

  /// The rank's last notice; null if it has not ended.
  const Notice* end_of(size_t rank) const;

  /// True if the other ranks have ended, and got all that this one sent.
  bool is_over() const;

  /// True if all that was sent has gone out.
  bool is_sent() const { return sent_.empty(); }

 private:
  struct Peer {
    std::unique_ptr<Notice> next;  ///< Being received.
    Request request = nullptr;     ///< Null: it has ended.
    std::deque<Notice> arrived;
    std::optional<Notice> end;
  };

  struct Message {
    Notice notice;
    Request request = nullptr;
  };

  void listen_to(size_t rank);

  const MpiFunctions& functions_;
  Group group_;
  size_t own_;
  std::vector<Peer> peers_;
  std::list<Message> sent_;  ///< Those on their way.
};

}  // namespace litz::distributed::mpi

#include "distributed/mpi/notices.h"

#include <algorithm>
#include <utility>

#include "distributed/mpi/kept_memory.h"
#include "distributed/mpi/posted_collective.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::distributed::mpi {

Notice Notice::of(Kind kind, std::string_view text) {
  Notice notice{.kind = kind, .hash = hash_bytes(text)};
  const std::string_view kept = text.substr(0, sizeof notice.text - 1);
  std::ranges::copy(kept, notice.text);
  return notice;
}

void Notices::listen() {
  for (size_t rank = 0; rank < peers_.size(); ++rank) {
    if (rank != own_) listen_to(rank);
  }
}

Notices::~Notices() {
  for (Peer& peer : peers_) {
    if (peer.request != nullptr) keep_for_ever(std::move(peer.next));
  }
  if (!sent_.empty()) keep_for_ever(std::make_unique<std::list<Message>>(std::move(sent_)));
}

void Notices::listen_to(size_t rank) {
  Peer& peer = peers_[rank];
  peer.next = std::make_unique<Notice>();
  require_mpi(functions_,
              functions_.receive(group_, peer.next.get(), sizeof(Notice), static_cast<int>(rank), 0,
                                 &peer.request),
              "listening to a rank");
}

void Notices::send(size_t to, const Notice& notice) {
  check(to != own_, "a rank tells itself nothing");
  sent_.push_back({notice, nullptr});
  Message& message = sent_.back();
  const int code = functions_.send(group_, &message.notice, sizeof(Notice), static_cast<int>(to), 0,
                                   &message.request);
  if (code != 0) sent_.pop_back();
  require_mpi(functions_, code, "telling a rank what another one starts");
}

void Notices::progress() {
  for (auto message = sent_.begin(); message != sent_.end();) {
    int is_done = 0;
    require_mpi(functions_, functions_.test(message->request, &is_done), "telling a rank");
    message = is_done != 0 ? sent_.erase(message) : std::next(message);
  }
  for (size_t rank = 0; rank < peers_.size(); ++rank) {
    Peer& peer = peers_[rank];
    while (peer.request != nullptr) {
      int is_done = 0;
      require_mpi(functions_, functions_.test(peer.request, &is_done), "listening to a rank");
      if (is_done == 0) break;
      peer.request = nullptr;
      if (peer.next->kind == Notice::Kind::end) {
        peer.end = *peer.next;
      } else {
        peer.arrived.push_back(*peer.next);
        listen_to(rank);
      }
    }
  }
}

std::optional<Notice> Notices::take(size_t from, Notice::Kind kind, int32_t tag) {
  std::deque<Notice>& arrived = peers_[from].arrived;
  const auto found = std::ranges::find_if(
      arrived, [&](const Notice& each) { return each.kind == kind && each.tag == tag; });
  if (found == arrived.end()) return std::nullopt;
  const Notice notice = *found;
  arrived.erase(found);
  return notice;
}

const Notice* Notices::end_of(size_t rank) const {
  return peers_[rank].end ? &*peers_[rank].end : nullptr;
}

bool Notices::is_over() const {
  for (size_t rank = 0; rank < peers_.size(); ++rank) {
    if (rank != own_ && !peers_[rank].end) return false;
  }
  return is_sent();
}

}  // namespace litz::distributed::mpi

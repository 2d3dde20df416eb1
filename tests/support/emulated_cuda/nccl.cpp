// NCCL for the emulated card: ranks are threads. A collective reads when its stream comes to it, and
// writes when all ranks have come.

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "machine.h"
#include "numbers.h"

namespace emulated {
namespace {

constexpr int kInvalidArgument = 4;

struct Meeting {
  std::map<int, std::vector<std::byte>> sent;  ///< By rank.
};

struct World {
  int ranks = 0;
  int joined = 0;
  bool is_aborted = false;
  std::map<int64_t, std::shared_ptr<Meeting>> meetings;  ///< By number of the collective.
  /// By sender, receiver and number.
  std::map<std::tuple<int, int, int64_t>, std::vector<std::byte>> sent;
  std::map<std::tuple<int, int, int64_t>, bool> received;  ///< The receiver has come.
};

struct Communicator {
  std::shared_ptr<World> world;
  int rank = 0;
  int64_t started = 0;
  std::map<int, int64_t> sent_to;
  std::map<int, int64_t> received_from;
};

/// Work of a call in two steps: it comes, and it leaves.
struct Step {
  void* stream;
  std::function<void()> come;
  std::function<bool()> is_ready;
  std::function<void()> leave;
};

struct Nccl {
  Handles<Communicator> communicators{"communicator"};
  std::map<int64_t, std::shared_ptr<World>> worlds;
  int64_t ids = 0;
};

Nccl& state() {
  static auto* const only = new Nccl;
  return *only;
}

thread_local int depth = 0;
thread_local std::vector<Step> steps;

/// All calls of a group come before one of them leaves.
void give_steps() {
  const std::vector<Step> now = std::exchange(steps, {});
  for (const Step& step : now) give(step.stream, step.come);
  for (const Step& step : now) give_when(step.stream, step.is_ready, step.leave);
}

int add(Step step) {
  steps.push_back(std::move(step));
  if (depth == 0) give_steps();
  return 0;
}

size_t bytes_of(int type) {
  constexpr size_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  if (type < 0 || type > 9) misuse("not a type of NCCL");
  return kBytes[type];
}

/// Everybody's bytes, from the first rank to the last.
int meet(Communicator& own, void* stream, const void* from, size_t bytes, void* to,
         size_t result_bytes, std::function<void(const Meeting&, std::byte* to)> write) {
  const std::shared_ptr<World> world = own.world;
  std::shared_ptr<Meeting>& found = world->meetings[own.started++];
  if (found == nullptr) found = std::make_shared<Meeting>();
  const std::shared_ptr<Meeting> meeting = found;
  const int rank = own.rank;
  return add({stream,
              [=] {
                require_usable(reinterpret_cast<uintptr_t>(from), bytes, "a collective");
                const auto* const begin = static_cast<const std::byte*>(from);
                meeting->sent[rank].assign(begin, begin + bytes);
              },
              [=] {
                return world->is_aborted ||
                       meeting->sent.size() == static_cast<size_t>(world->ranks);
              },
              [=, write = std::move(write)] {
                if (world->is_aborted) return;
                require_usable(reinterpret_cast<uintptr_t>(to), result_bytes, "a collective");
                write(*meeting, static_cast<std::byte*>(to));
              }});
}

double combined(double a, double b, int reduction) {
  switch (reduction) {
    case 1:
      return a * b;
    case 2:
      return std::max(a, b);
    case 3:
      return std::min(a, b);
    default:
      return a + b;
  }
}

template <typename T>
T combined_integers(T a, T b, int reduction) {
  switch (reduction) {
    case 1:
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case 2:
      return std::max(a, b);
    case 3:
      return std::min(a, b);
    default:
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

template <typename T>
void reduce_integers(const Meeting& meeting, size_t first, size_t count, int reduction,
                     std::byte* to) {
  const auto ranks = static_cast<T>(meeting.sent.size());
  for (size_t i = 0; i < count; ++i) {
    T total{};
    for (const auto& [rank, bytes] : meeting.sent) {
      T term{};
      std::memcpy(&term, bytes.data() + (first + i) * sizeof(T), sizeof(T));
      total = rank == 0 ? term : combined_integers<T>(total, term, reduction);
    }
    if (reduction == 4) total = static_cast<T>(total / ranks);
    std::memcpy(to + i * sizeof(T), &total, sizeof(T));
  }
}

/// The type as numbers.h has it.
int number_type(int type) {
  switch (type) {
    case 6:
      return kF16;
    case 8:
      return kF64;
    case 9:
      return kBf16;
    default:
      return kF32;
  }
}

double rounded(double value, int type) {
  return type == kF64 ? value : static_cast<double>(static_cast<float>(value));
}

void reduce(const Meeting& meeting, size_t first, size_t count, int type, int reduction,
            std::byte* to) {
  switch (type) {
    case 0:
      return reduce_integers<int8_t>(meeting, first, count, reduction, to);
    case 1:
      return reduce_integers<uint8_t>(meeting, first, count, reduction, to);
    case 2:
      return reduce_integers<int32_t>(meeting, first, count, reduction, to);
    case 3:
      return reduce_integers<uint32_t>(meeting, first, count, reduction, to);
    case 4:
      return reduce_integers<int64_t>(meeting, first, count, reduction, to);
    case 5:
      return reduce_integers<uint64_t>(meeting, first, count, reduction, to);
    default:
      break;
  }
  const int number = number_type(type);
  for (size_t i = 0; i < count; ++i) {
    double total = 0;
    for (const auto& [rank, bytes] : meeting.sent) {
      const double term = load(bytes.data(), number, static_cast<int64_t>(first + i));
      total = rank == 0 ? term : rounded(combined(total, term, reduction), number);
    }
    if (reduction == 4) {
      total = rounded(total / static_cast<double>(meeting.sent.size()), number);
    }
    store(to, number, static_cast<int64_t>(i), total);
  }
}

template <typename Body>
int with(const char* name, const void* communicator, const Body& body) {
  return enter(name, true, [&] { return body(state().communicators.get(communicator)); });
}

}  // namespace

size_t live_communicators() { return state().communicators.count(); }

}  // namespace emulated

using namespace emulated;

extern "C" {

struct EmulatedNcclId {
  char bytes[128];
};

int ncclGetVersion(int* version) {
  *version = 22703;
  return 0;
}

const char* ncclGetErrorString(int result) {
  return result == kUnknown ? "a test asked this call to fail" : "an emulated error";
}

int ncclGetUniqueId(EmulatedNcclId* id) {
  return enter("ncclGetUniqueId", false, [&] {
    const int64_t number = ++state().ids;
    std::memset(id, 0, sizeof *id);
    std::memcpy(id->bytes, &number, sizeof number);
    state().worlds[number] = std::make_shared<World>();
    return 0;
  });
}

int ncclCommInitRank(void** made, int ranks, EmulatedNcclId id, int rank) {
  return enter("ncclCommInitRank", true, [&] {
    int64_t number = 0;
    std::memcpy(&number, id.bytes, sizeof number);
    if (!state().worlds.contains(number) || rank < 0 || rank >= ranks) return kInvalidArgument;
    const std::shared_ptr<World> world = state().worlds[number];
    world->ranks = ranks;
    ++world->joined;
    if (ranks > 1) have_ranks();
    auto own = std::make_unique<Communicator>();
    own->world = world;
    own->rank = rank;
    *made = state().communicators.add(std::move(own));
    while (world->joined < ranks) {
      if (!let_others_add() && world->joined < ranks) misuse("a rank does not join");
    }
    wake_others();
    return 0;
  });
}

int ncclCommDestroy(void* communicator) {
  return with("ncclCommDestroy", communicator, [&](Communicator& /*own*/) {
    state().communicators.remove(communicator);
    return 0;
  });
}

int ncclCommAbort(void* communicator) {
  return with("ncclCommAbort", communicator, [&](Communicator& own) {
    own.world->is_aborted = true;
    state().communicators.remove(communicator);
    wake_others();
    return 0;
  });
}

int ncclCommGetAsyncError(void* communicator, int* result) {
  return with("ncclCommGetAsyncError", communicator, [&](Communicator& /*own*/) {
    *result = 0;
    return 0;
  });
}

int ncclGroupStart() {
  return enter("ncclGroupStart", true, [&] {
    ++depth;
    return 0;
  });
}

int ncclGroupEnd() {
  return enter("ncclGroupEnd", true, [&] {
    if (depth-- == 0) misuse("a group of NCCL ends that has not begun");
    if (depth == 0) give_steps();
    return 0;
  });
}

int ncclAllReduce(const void* from, void* to, size_t count, int type, int reduction,
                  void* communicator, void* stream) {
  return with("ncclAllReduce", communicator, [&](Communicator& own) {
    const size_t bytes = count * bytes_of(type);
    return meet(own, stream, from, bytes, to, bytes, [=](const Meeting& all, std::byte* result) {
      reduce(all, 0, count, type, reduction, result);
    });
  });
}

int ncclReduceScatter(const void* from, void* to, size_t count, int type, int reduction,
                      void* communicator, void* stream) {
  return with("ncclReduceScatter", communicator, [&](Communicator& own) {
    const size_t bytes = count * bytes_of(type);
    const auto rank = static_cast<size_t>(own.rank);
    return meet(own, stream, from, bytes * static_cast<size_t>(own.world->ranks), to, bytes,
                [=](const Meeting& all, std::byte* result) {
                  reduce(all, rank * count, count, type, reduction, result);
                });
  });
}

int ncclAllGather(const void* from, void* to, size_t count, int type, void* communicator,
                  void* stream) {
  return with("ncclAllGather", communicator, [&](Communicator& own) {
    const size_t bytes = count * bytes_of(type);
    return meet(own, stream, from, bytes, to, bytes * static_cast<size_t>(own.world->ranks),
                [=](const Meeting& all, std::byte* result) {
                  for (const auto& [rank, sent] : all.sent) {
                    std::memcpy(result + static_cast<size_t>(rank) * bytes, sent.data(), bytes);
                  }
                });
  });
}

int ncclBroadcast(const void* from, void* to, size_t count, int type, int root, void* communicator,
                  void* stream) {
  return with("ncclBroadcast", communicator, [&](Communicator& own) {
    const size_t bytes = count * bytes_of(type);
    return meet(own, stream, from, bytes, to, bytes, [=](const Meeting& all, std::byte* result) {
      std::memcpy(result, all.sent.at(root).data(), bytes);
    });
  });
}

int ncclSend(const void* from, size_t count, int type, int to, void* communicator, void* stream) {
  return with("ncclSend", communicator, [&](Communicator& own) {
    const std::shared_ptr<World> world = own.world;
    const std::tuple key{own.rank, to, own.sent_to[to]++};
    const size_t bytes = count * bytes_of(type);
    return add({stream,
                [=] {
                  require_usable(reinterpret_cast<uintptr_t>(from), bytes, "ncclSend");
                  const auto* const begin = static_cast<const std::byte*>(from);
                  world->sent[key].assign(begin, begin + bytes);
                },
                [=] { return world->is_aborted || world->received.contains(key); }, [] {}});
  });
}

int ncclRecv(void* to, size_t count, int type, int from, void* communicator, void* stream) {
  return with("ncclRecv", communicator, [&](Communicator& own) {
    const std::shared_ptr<World> world = own.world;
    const std::tuple key{from, own.rank, own.received_from[from]++};
    const size_t bytes = count * bytes_of(type);
    return add({stream, [=] { world->received[key] = true; },
                [=] { return world->is_aborted || world->sent.contains(key); },
                [=] {
                  if (world->is_aborted) return;
                  if (world->sent[key].size() != bytes)
                    misuse("other bytes are received than sent");
                  require_usable(reinterpret_cast<uintptr_t>(to), bytes, "ncclRecv");
                  std::memcpy(to, world->sent[key].data(), bytes);
                }});
  });
}

}  // extern "C"

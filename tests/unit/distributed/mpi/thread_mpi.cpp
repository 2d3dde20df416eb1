#include "thread_mpi.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

namespace litz::distributed::mpi {

struct GroupData {
  std::string key;
  std::vector<int> ranks;
  int own = 0;
  int started = 0;  ///< Collectives.
};

struct RequestData {
  std::function<bool(int& code)> is_done;
  int looks = 0;
};

namespace {

constexpr int kTold = 7;
constexpr int kTruncated = 8;

using Bytes = std::vector<std::byte>;

struct Meeting {
  std::map<int, Bytes> sent;  ///< By position.
  std::map<int, std::vector<int64_t>> shares;
};

struct World {
  ThreadMpiOptions options;
  std::mutex mutex;
  std::map<std::tuple<std::string, int, int, int>, std::deque<Bytes>> mail;
  std::map<std::pair<std::string, int>, std::shared_ptr<Meeting>> meetings;
  std::vector<int> calls;
};

World& world() {
  static World world;
  return world;
}

thread_local int own_rank = 0;

/// 0, or the code of a call that was told to fail.
int call() {
  World& now = world();
  const int number = now.calls[static_cast<size_t>(own_rank)]++;
  return own_rank == now.options.fails && number == now.options.fails_at ? kTold : 0;
}

void give_up() {}

int start(int* rank, int* count, int* serialized) {
  const std::lock_guard lock(world().mutex);
  *rank = own_rank;
  *count = world().options.ranks;
  *serialized = 1;
  return call();
}

int make_group(const int* ranks, int count, int number, Group* group) {
  const std::lock_guard lock(world().mutex);
  if (const int code = call(); code != 0) return code;
  auto made = std::make_unique<GroupData>();
  made->ranks.assign(ranks, ranks + count);
  made->key = std::to_string(number);
  for (const int rank : made->ranks) made->key += "," + std::to_string(rank);
  made->own = static_cast<int>(std::find(ranks, ranks + count, own_rank) - ranks);
  *group = made.release();
  return 0;
}

int free_group(Group group) {
  delete group;
  return 0;
}

Request request_of(std::function<bool(int& code)> is_done) {
  return new RequestData{std::move(is_done), world().options.looks};
}

/// All give `sent`; `take` gets what everybody gave.
int meet(Group group, Bytes sent, std::vector<int64_t> shares,
         std::function<int(const Meeting&)> take, Request* request) {
  const std::lock_guard lock(world().mutex);
  if (const int code = call(); code != 0) return code;
  std::shared_ptr<Meeting>& found = world().meetings[{group->key, group->started++}];
  if (found == nullptr) found = std::make_shared<Meeting>();
  const std::shared_ptr<Meeting> meeting = found;
  meeting->sent[group->own] = std::move(sent);
  meeting->shares[group->own] = std::move(shares);
  const size_t ranks = group->ranks.size();
  *request = request_of([meeting, ranks, take = std::move(take)](int& code) {
    if (meeting->sent.size() < ranks) return false;
    code = take(*meeting);
    return true;
  });
  return 0;
}

Bytes copy_of(const void* data, int64_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  return {begin, begin + bytes};
}

int all_gather(Group group, const void* from, void* to, int64_t bytes, Request* request) {
  return meet(
      group, copy_of(from, bytes), {},
      [=](const Meeting& meeting) {
        for (const auto& [position, sent] : meeting.sent) {
          if (static_cast<int64_t>(sent.size()) != bytes) return kTruncated;
          std::memcpy(static_cast<std::byte*>(to) + position * bytes, sent.data(), sent.size());
        }
        return 0;
      },
      request);
}

int exchange(Group group, const void* from, std::vector<int64_t> sent, void* to,
             std::vector<int64_t> received, Request* request) {
  const int64_t bytes = std::accumulate(sent.begin(), sent.end(), int64_t{0});
  const int own = group->own;
  return meet(
      group, copy_of(from, bytes), std::move(sent),
      [=](const Meeting& meeting) {
        auto* at = static_cast<std::byte*>(to);
        for (const auto& [position, all] : meeting.sent) {
          const std::vector<int64_t>& shares = meeting.shares.at(position);
          const int64_t begin = std::accumulate(shares.begin(), shares.begin() + own, int64_t{0});
          const auto size = static_cast<size_t>(shares[static_cast<size_t>(own)]);
          if (static_cast<int64_t>(size) != received[static_cast<size_t>(position)])
            return kTruncated;
          std::memcpy(at, all.data() + begin, size);
          at += size;
        }
        return 0;
      },
      request);
}

int all_to_all(Group group, const void* from, void* to, int64_t bytes, Request* request) {
  const std::vector<int64_t> shares(group->ranks.size(), bytes);
  return exchange(group, from, shares, to, shares, request);
}

int all_to_all_rows(Group group, const void* from, const int* sent, void* to, const int* received,
                    int64_t row_bytes, Request* request) {
  std::vector<int64_t> shares;
  std::vector<int64_t> expected;
  for (size_t i = 0; i < group->ranks.size(); ++i) {
    shares.push_back(sent[i] * row_bytes);
    expected.push_back(received[i] * row_bytes);
  }
  return exchange(group, from, shares, to, expected, request);
}

int broadcast(Group group, void* data, int64_t bytes, int root, Request* request) {
  return meet(
      group, group->own == root ? copy_of(data, bytes) : Bytes(), {},
      [=](const Meeting& meeting) {
        const Bytes& sent = meeting.sent.at(root);
        if (static_cast<int64_t>(sent.size()) != bytes) return kTruncated;
        std::memcpy(data, sent.data(), sent.size());
        return 0;
      },
      request);
}

int send(Group group, const void* data, int64_t bytes, int to, int tag, Request* request) {
  const std::lock_guard lock(world().mutex);
  if (const int code = call(); code != 0) return code;
  world().mail[{group->key, group->own, to, tag}].push_back(copy_of(data, bytes));
  *request = request_of([](int& /*code*/) { return true; });
  return 0;
}

int receive(Group group, void* data, int64_t bytes, int from, int tag, Request* request) {
  const std::lock_guard lock(world().mutex);
  if (const int code = call(); code != 0) return code;
  std::deque<Bytes>& box = world().mail[{group->key, from, group->own, tag}];
  *request = request_of([=, &box](int& code) {
    if (box.empty()) return false;
    code = static_cast<int64_t>(box.front().size()) == bytes ? 0 : kTruncated;
    if (code == 0) std::memcpy(data, box.front().data(), box.front().size());
    box.pop_front();
    return true;
  });
  return 0;
}

int test(Request request, int* is_done) {
  const std::lock_guard lock(world().mutex);
  if (const int code = call(); code != 0) return code;
  int code = 0;
  *is_done = request->looks-- <= 0 && request->is_done(code) ? 1 : 0;
  if (*is_done != 0) delete request;
  return code;
}

void error_text(int code, char* text, int size) {
  std::strncpy(text, code == kTold ? "told to fail" : "message truncated",
               static_cast<size_t>(size) - 1);
}

const char* describe() { return "threads"; }

constexpr MpiFunctions kFunctions{
    .start = start,
    .give_up = give_up,
    .make_group = make_group,
    .free_group = free_group,
    .all_gather = all_gather,
    .all_to_all = all_to_all,
    .all_to_all_rows = all_to_all_rows,
    .broadcast = broadcast,
    .send = send,
    .receive = receive,
    .test = test,
    .error_text = error_text,
    .describe = describe,
};

}  // namespace

const MpiFunctions& thread_mpi() { return kFunctions; }

std::vector<std::string> run_threads(const ThreadMpiOptions& options,
                                     const std::function<void(int rank)>& body) {
  World& now = world();
  now.options = options;
  now.mail.clear();
  now.meetings.clear();
  now.calls.assign(static_cast<size_t>(options.ranks), 0);
  std::vector<std::string> errors(static_cast<size_t>(options.ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < options.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      own_rank = rank;
      try {
        body(rank);
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

std::vector<int> calls_made() { return world().calls; }

}  // namespace litz::distributed::mpi

#include "runtime/cuda/nccl_ranks.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cuda/nccl_calls.h"
#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

using distributed::Collective;
using distributed::CollectiveKind;
using Clock = std::chrono::steady_clock;

struct RankGroup : NcclGroup {
  std::vector<Collective> transfers;  ///< Started, and not yet given to NCCL.
};

/// A collective that this rank has started.
struct Flight {
  std::string text;
  RankGroup* group = nullptr;
  std::vector<Tensor> results;
  std::vector<Tensor> operands;
  Event end = nullptr;  ///< Null: a transfer that NCCL has yet to get.
  Clock::time_point begin;
  Collective of_host;  ///< With tensors of the host; their results are copied back.
};

bool is_same_memory(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return a.storage() == b.storage();
  return a.address() == b.address();
}

bool is_transfer(const Collective& collective) {
  return collective.kind == CollectiveKind::send || collective.kind == CollectiveKind::receive;
}

bool is_of_host(const Collective& collective) {
  const auto on_host = [](const Tensor& tensor) { return tensor.device().kind == DeviceKind::cpu; };
  return std::ranges::any_of(collective.operands, on_host);
}

class NcclRanks final : public CardRanks {
 public:
  explicit NcclRanks(NcclOptions options)
      : options_(std::move(options)),
        functions_(options_.functions != nullptr ? *options_.functions : nccl()),
        context_(options_.context != nullptr ? options_.context : lasting_context(options_.card)) {
    context_->enter().create_stream(&host_stream_, kStreamNonBlocking);
  }

  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;

  // At the end of the process the driver may be gone already.
  ~NcclRanks() override {
    try {
      leave("");
    } catch (const Error&) {
      // Nobody is left to be told.
    }
    const Driver& driver = context_->driver();
    driver.set_context.result_of(context_->handle());
    driver.destroy_stream.result_of(host_stream_);
    for (auto& [name, group] : groups_) {
      if (group.stream != nullptr) driver.destroy_stream.result_of(group.stream);
    }
    for (const std::list<Flight>* const flights : {&flights_, &watched_}) {
      for (const Flight& flight : *flights) {
        if (flight.end != nullptr) driver.destroy_event.result_of(flight.end);
      }
    }
    for (const Event event : spare_) driver.destroy_event.result_of(event);
  }

  void join(NcclRendezvous& rendezvous) {
    std::vector<int> all(static_cast<size_t>(options_.world));
    std::iota(all.begin(), all.end(), 0);
    join("", all, rendezvous);
    for (const auto& [name, ranks] : options_.groups) join(name, ranks, rendezvous);
    if (options_.patience)
      watchdog_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }

  int rank() const override { return options_.rank; }

  int world() const override { return options_.world; }

  int card() const override { return options_.card; }

  size_t group_size(const std::string& group) const override {
    Collective asked;
    asked.group = group;
    return members(options_.groups, world(), rank(), asked).size();
  }

  void start(Collective collective) override {
    const std::lock_guard lock(mutex_);
    context_->enter();
    if (!is_of_host(collective)) return begin(std::move(collective), host_stream_);
    Collective on_card = collective;
    for (Tensor& operand : on_card.operands) operand = uploaded(operand);
    for (size_t i = 0; i < on_card.results.size(); ++i) {
      const bool is_operand = i < collective.operands.size() &&
                              is_same_memory(collective.results[i], collective.operands[i]);
      on_card.results[i] = is_operand ? on_card.operands[i] : uploaded(on_card.results[i]);
    }
    begin(std::move(on_card), host_stream_);
    flights_.back().of_host = std::move(collective);
  }

  void start_after(Collective collective, Stream stream) override {
    const std::lock_guard lock(mutex_);
    context_->enter();
    begin(std::move(collective), stream);
  }

  void wait(const Tensor& result) override {
    const std::lock_guard lock(mutex_);
    context_->enter();
    const auto found = flight_of(result, true);
    if (found != flights_.end()) finish_for_host(found);
  }

  std::shared_ptr<const void> wait_before(const Tensor& result, Stream stream) override {
    const std::lock_guard lock(mutex_);
    context_->enter();
    throw_failure();
    const auto found = flight_of(result, false);
    Kept kept = std::make_shared<std::vector<Tensor>>();
    if (found != flights_.end()) finish_before(found, stream, *kept);
    return kept;
  }

  void wait_all() override {
    const std::lock_guard lock(mutex_);
    context_->enter();
    while (!flights_.empty()) finish_for_host(flights_.begin());
  }

  std::shared_ptr<const void> wait_all_before(Stream stream) override {
    std::unique_lock lock(mutex_);
    context_->enter();
    throw_failure();
    Kept kept = std::make_shared<std::vector<Tensor>>();
    while (!flights_.empty()) finish_before(flights_.begin(), stream, *kept);
    // Only the host can throw what is found of a rank that is late.
    while (options_.patience && !watched_.empty() && !failure_) {
      look_at_watched();
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    throw_failure();
    return kept;
  }

  void leave(const std::string& why) override {
    watchdog_ = std::jthread();
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_left_, true)) return;
    context_->driver().set_context.result_of(context_->handle());
    if (!why.empty() || failure_) return abort_all();
    for (auto& [name, group] : groups_) {
      if (group.stream != nullptr) context_->driver().synchronize_stream.result_of(group.stream);
      if (group.communicator != nullptr) functions_.destroy(group.communicator);
      group.communicator = nullptr;
    }
  }

 private:
  using Kept = std::shared_ptr<std::vector<Tensor>>;

  void join(const std::string& name, const std::vector<int>& ranks, NcclRendezvous& rendezvous) {
    const auto own = std::ranges::find(ranks, rank());
    if (own == ranks.end()) return;
    const auto position = static_cast<size_t>(own - ranks.begin());
    const NcclId id = rendezvous.share(name, ranks.size(), position, [&] {
      NcclId made;
      functions_.require_success(functions_.make_id(&made), "making an id");
      return made;
    });
    RankGroup& group = groups_[name];
    group.ranks = ranks.size();
    group.own = position;
    context_->enter().create_stream(&group.stream, kStreamNonBlocking);
    functions_.require_success(functions_.join(&group.communicator, static_cast<int>(ranks.size()),
                                               id, static_cast<int>(group.own)),
                               "joining group " + (name.empty() ? "0" : name));
    rendezvous.done(name, position);
  }

  void throw_failure() const {
    if (failure_) throw Error(*failure_);
  }

  void begin(Collective collective, Stream stream) {
    throw_failure();
    require(!has_left_, "a rank that has left must start nothing:", signature(collective));
    members(options_.groups, world(), rank(), collective);
    const auto named = groups_.find(collective.group);
    RankGroup& group = named != groups_.end() ? named->second : groups_.at("");
    Flight flight{.text = signature(collective) + " of group " + collective.group,
                  .group = &group,
                  .results = collective.results,
                  .operands = collective.operands,
                  .begin = Clock::now()};
    const Driver& driver = context_->driver();
    const Event before = event_after(stream);
    driver.wait_event(group.stream, before, 0);
    spare_.push_back(before);
    if (is_transfer(collective)) {
      require(collective.peer >= 0 && collective.peer < static_cast<int64_t>(group.ranks) &&
                  collective.peer != static_cast<int64_t>(group.own),
              "a transfer must be with another rank of the group:", signature(collective),
              group.own);
      group.transfers.push_back(std::move(collective));
    } else {
      give_transfers(group);
      add_work(functions_, group, collective);
      flight.end = event_after(group.stream);
    }
    flights_.push_back(std::move(flight));
  }

  /// Transfers are given together, when one is awaited or something follows: a rank may start a send
  /// before the receive that the other rank's send waits for.
  void give_transfers(RankGroup& group) {
    if (group.transfers.empty()) return;
    const std::vector<Collective> transfers = std::exchange(group.transfers, {});
    add_transfers(functions_, group, transfers);
    for (Flight& flight : flights_) {
      if (flight.group == &group && flight.end == nullptr) flight.end = event_after(group.stream);
    }
  }

  /// Events are used again: waits refer to the last record before them.
  Event event_after(Stream stream) {
    const Driver& driver = context_->driver();
    Event event = nullptr;
    if (spare_.empty()) {
      driver.create_event(&event, kEventDisableTiming);
    } else {
      event = spare_.back();
      spare_.pop_back();
    }
    const Result result = driver.record_event.result_of(event, stream);
    if (result == kSuccess) return event;
    spare_.push_back(event);
    driver.fail_call("cuEventRecord", result);
  }

  std::list<Flight>::iterator flight_of(const Tensor& result, bool of_host) {
    return std::ranges::find_if(flights_, [&](const Flight& flight) {
      const bool has_host_results = of_host && !flight.of_host.results.empty();
      return std::ranges::any_of(
          has_host_results ? flight.of_host.results : flight.results,
          [&](const Tensor& other) { return is_same_memory(other, result); });
    });
  }

  void finish_before(std::list<Flight>::iterator flight, Stream stream, std::vector<Tensor>& kept) {
    give_transfers(*flight->group);
    context_->driver().wait_event(stream, flight->end, 0);
    for (std::vector<Tensor>* const tensors : {&flight->operands, &flight->results}) {
      kept.insert(kept.end(), tensors->begin(), tensors->end());
      tensors->clear();
    }
    if (options_.patience) {
      watched_.splice(watched_.end(), flights_, flight);
    } else {
      spare_.push_back(flight->end);
      flights_.erase(flight);
    }
  }

  /// With the results of the host.
  void finish_for_host(std::list<Flight>::iterator found) {
    give_transfers(*found->group);
    await(*found);
    for (size_t i = 0; i < found->of_host.results.size(); ++i) {
      download(found->results[i], found->of_host.results[i]);
    }
    spare_.push_back(found->end);
    flights_.erase(found);
  }

  /// Looks at the card until the flight is over, since the other ranks may never take part.
  void await(const Flight& flight) {
    throw_failure();
    while (!is_over(flight)) {
      if (options_.patience && Clock::now() - flight.begin > *options_.patience) fail_late(flight);
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  bool is_over(const Flight& flight) {
    const Driver& driver = context_->driver();
    const Result result = driver.query_event.result_of(flight.end);
    if (result == kSuccess) return true;
    if (result != kNotReady) driver.fail_call("cuEventQuery", result);
    int error = 0;
    functions_.require_success(functions_.async_error(flight.group->communicator, &error),
                               flight.text);
    functions_.require_success(error, flight.text);
    return false;
  }

  [[noreturn]] void fail_late(const Flight& flight) {
    failure_.emplace(ErrorCode::cancelled,
                     "ranks must not wait longer than " +
                         std::to_string(options_.patience->count()) + " ms for each other; rank " +
                         std::to_string(rank()) + " waits for " + flight.text);
    abort_all();
    throw Error(*failure_);
  }

  /// NCCL's work on the card ends, with any results.
  void abort_all() {
    for (auto& [name, group] : groups_) {
      if (group.communicator != nullptr) functions_.abort(group.communicator);
      group.communicator = nullptr;
    }
  }

  // --- Tensors of the host

  Tensor uploaded(const Tensor& tensor) {
    const Tensor whole = tensor.contiguous();
    const auto bytes = static_cast<size_t>(whole.numel() * item_size(whole.dtype()));
    const Driver& driver = context_->driver();
    Address address = 0;
    driver.allocate(&address, std::max<size_t>(bytes, 1));
    const std::shared_ptr<const void> keeper(
        pointer_to(address), [context = context_](const void* memory) {
          context->driver().set_context.result_of(context->handle());
          context->driver().free.result_of(reinterpret_cast<uintptr_t>(memory));
        });
    const auto memory = Storage::lend({pointer_to(address), std::max<size_t>(bytes, 1)},
                                      {DeviceKind::cuda, options_.card}, keeper);
    if (bytes > 0) driver.upload(address, whole.data(), bytes, host_stream_);
    driver.synchronize_stream(host_stream_);
    return {whole.dtype(), whole.sizes(), whole.strides(), 0, memory};
  }

  void download(const Tensor& from, Tensor to) {
    Tensor whole = Tensor::empty(to.dtype(), to.sizes());
    const auto bytes = static_cast<size_t>(whole.numel() * item_size(whole.dtype()));
    const Driver& driver = context_->driver();
    if (bytes > 0) {
      driver.download(whole.mutable_data(), address_on_card(from.address()), bytes, host_stream_);
    }
    driver.synchronize_stream(host_stream_);
    to.copy_from(whole);
  }

  // --- Patience

  void watch(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kLook{5};
    std::mutex sleeping;
    std::condition_variable_any wakes;
    std::unique_lock sleep(sleeping);
    while (!stop.stop_requested()) {
      wakes.wait_for(sleep, stop, kLook, [] { return false; });
      look();
    }
  }

  void look() {
    const std::lock_guard lock(mutex_);
    look_at_watched();
  }

  void look_at_watched() {
    try {
      context_->enter();
      for (auto flight = watched_.begin(); flight != watched_.end() && !failure_;) {
        if (is_over(*flight)) {
          spare_.push_back(flight->end);
          flight = watched_.erase(flight);
        } else {
          if (Clock::now() - flight->begin > *options_.patience) fail_late(*flight);
          ++flight;
        }
      }
    } catch (const Error& error) {
      if (!failure_) failure_.emplace(error);
    }
  }

  NcclOptions options_;
  const NcclFunctions& functions_;
  std::shared_ptr<const CudaContext> context_;
  mutable std::mutex mutex_;
  std::map<std::string, RankGroup, std::less<>> groups_;  ///< This rank's; "": the world.
  std::list<Flight> flights_;
  std::list<Flight> watched_;  ///< Work of streams waits for them.
  std::vector<Event> spare_;
  Stream host_stream_ = nullptr;
  std::optional<Error> failure_;
  bool has_left_ = false;
  std::jthread watchdog_;
};

}  // namespace

std::shared_ptr<CardRanks> join_nccl(NcclOptions options, NcclRendezvous& rendezvous) {
  require(options.world > 0 && options.rank >= 0 && options.rank < options.world,
          "a rank must be one of the world's:", options.rank, options.world);
  const auto ranks = std::make_shared<NcclRanks>(std::move(options));
  ranks->join(rendezvous);
  return ranks;
}

}  // namespace litz::runtime::cuda

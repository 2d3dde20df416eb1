// Everything that a long-running host does, by several threads at random, for as long as asked: calls
// of changing sizes, sessions, reloads, files in memory, damaged files, wrong inputs, limits, memory
// that the system refuses, caches that cannot be written, disks that are full.
//
//   soak SECONDS MODEL.pt2 ... [--seed N] [--threads N]
//
// Results must be those of a program of its own that nothing else disturbs, bit for bit. At pauses,
// in which no call runs, memory in use, open files and threads must stay what they were. Ends with
// "N actions, N mistakes"; the exit status is 0 without mistakes.

#include <atomic>
#include <barrier>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <malloc.h>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "litz/litz.h"

namespace {

/// The allocations of this thread up to one that fails; negative: none does.
thread_local int64_t allocations_to_failure = -1;

void* allocated(size_t bytes) {
  if (allocations_to_failure >= 0 && allocations_to_failure-- == 0) throw std::bad_alloc();
  void* const memory = std::malloc(std::max<size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t bytes) { return allocated(bytes); }

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, size_t /*bytes*/) noexcept { std::free(memory); }

namespace {

using Clock = std::chrono::steady_clock;
using litz::Executable;
using litz::Tensor;
using litz::Value;
using Random = std::mt19937_64;

constexpr std::chrono::seconds kBetweenPauses{5};
constexpr int64_t kMostSize = 48;
/// Programs in the middle of nothing differ by caches of sizes and freed pages.
constexpr size_t kMostGrowth = size_t{8} << 20;

std::atomic<int64_t> actions{0};
std::atomic<int64_t> mistakes{0};

void expect(bool condition, const std::string& what) {
  if (condition) return;
  ++mistakes;
  std::fprintf(stderr, "mistake: %s\n", what.c_str());
}

template <typename T>
T value_of(litz::Result<T> result, const char* what) {
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", what, result.error().message.c_str());
    std::exit(1);
  }
  return std::move(*result);
}

int64_t below(Random& random, int64_t end) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
}

void fill(Tensor& tensor, Random& random) {
  switch (tensor.dtype()) {
    case litz::DType::float32:
      for (float& element : tensor.as<float>()) {
        element = static_cast<float>(below(random, 2001) - 1000) / 500;
      }
      return;
    case litz::DType::int64:
      for (int64_t& element : tensor.as<int64_t>()) element = below(random, 4);
      return;
    default:
      std::memset(tensor.data(), 0, tensor.bytes());
  }
}

/// Inputs that the program takes, with sizes at random.
std::vector<Value> inputs_of(const Executable& program, Random& random) {
  std::map<std::string, int64_t> sizes;  // By text: those are equal in a call.
  std::vector<Value> inputs;
  for (const litz::SignatureEntry& entry : program.inputs()) {
    if (entry.kind != litz::ValueKind::tensor) {
      inputs.emplace_back(int64_t{1});
      continue;
    }
    std::vector<int64_t> shape;
    for (const litz::SizeInfo& size : entry.sizes) {
      const int64_t most = std::min(size.most, std::max(size.least, kMostSize));
      const auto [at, is_new] = sizes.emplace(size.text, size.least);
      if (is_new) at->second += below(random, most - size.least + 1);
      shape.push_back(at->second);
    }
    Tensor tensor(entry.dtype, shape);
    fill(tensor, random);
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

bool is_same(const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].index() != b[i].index()) return false;
    const auto* const tensor = std::get_if<Tensor>(&a[i]);
    if (tensor != nullptr && !is_same(*tensor, std::get<Tensor>(b[i]))) return false;
  }
  return true;
}

/// A model that all threads use, and one that is only asked for what is right.
struct Model {
  std::string path;
  Executable shared;
  Executable quiet;
  std::mutex mutex;

  Model(std::string from, const litz::Options& options)
      : path(std::move(from)),
        shared(value_of(litz::load(path, options), path.c_str())),
        quiet(value_of(litz::load(path, {.threads = 1}), path.c_str())) {}

  /// The results of calls with fresh buffers.
  std::vector<Value> right(const std::vector<Value>& inputs) {
    const std::lock_guard lock(mutex);
    quiet.reset_buffers().value();
    return value_of(quiet.run(inputs), path.c_str());
  }
};

using Action = std::function<void(Model&, Random&)>;

void call_session(Model& model, Random& random) {
  litz::Session session = value_of(model.shared.session(), "a session");
  const std::vector<Value> inputs = inputs_of(model.shared, random);
  expect(is_same(value_of(session.run(inputs), "a call"), model.right(inputs)),
         "a session must give what a fresh program gives: " + model.path);
  session.run(inputs_of(model.shared, random)).value();
  session.reset_buffers().value();
  expect(is_same(value_of(session.run(inputs), "a call"), model.right(inputs)),
         "buffers that are reset must be as loaded: " + model.path);
}

void call_into(Model& model, Random& random) {
  litz::Session session = value_of(model.shared.session(), "a session");
  const std::vector<Value> inputs = inputs_of(model.shared, random);
  const std::vector<Value> right = model.right(inputs);
  std::vector<Tensor> outputs;
  std::vector<std::vector<std::byte>> memory;
  for (const Value& value : right) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    if (tensor == nullptr) return;
    const size_t shift = below(random, 2) == 0 ? 0 : 8;
    memory.emplace_back(tensor->bytes() + 64 + shift);
    auto at = reinterpret_cast<uintptr_t>(memory.back().data());
    at = (at + 63) / 64 * 64 + shift;
    if (at + tensor->bytes() >
        reinterpret_cast<uintptr_t>(memory.back().data()) + memory.back().size()) {
      at -= 64;
    }
    outputs.push_back(Tensor::over(tensor->dtype(), tensor->sizes(), reinterpret_cast<void*>(at)));
  }
  session.run_into(inputs, outputs).value();
  for (size_t i = 0; i < outputs.size(); ++i) {
    expect(is_same(outputs[i], std::get<Tensor>(right[i])),
           "results in memory of the caller must be right: " + model.path);
  }
}

void call_reloaded(Model& model, Random& random) {
  Executable again = value_of(litz::load(model.path, {.threads = 1}), "a reload");
  const std::vector<Value> inputs = inputs_of(again, random);
  expect(is_same(value_of(again.run(inputs), "a call"), model.right(inputs)),
         "a program that is loaded again must give the same: " + model.path);
}

/// The file of the program, at a multiple of 64.
std::pair<std::shared_ptr<std::byte>, size_t> saved(Model& model) {
  const std::lock_guard lock(model.mutex);
  model.quiet.reset_buffers().value();
  const std::vector<std::byte> bytes = value_of(model.quiet.save(), "a save");
  auto* const memory =
      static_cast<std::byte*>(std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64));
  std::memcpy(memory, bytes.data(), bytes.size());
  return {std::shared_ptr<std::byte>(memory, std::free), bytes.size()};
}

void call_saved(Model& model, Random& random) {
  const auto [bytes, size] = saved(model);
  Executable again =
      value_of(litz::load_compiled(std::span(bytes.get(), size), bytes, {.threads = 1}), "a file");
  const std::vector<Value> inputs = inputs_of(again, random);
  expect(is_same(value_of(again.run(inputs), "a call"), model.right(inputs)),
         "a program that was saved must give the same: " + model.path);
}

void refuse_damage(Model& model, Random& random) {
  const auto [bytes, size] = saved(model);
  const int64_t at = below(random, static_cast<int64_t>(size));
  bytes.get()[at] ^= static_cast<std::byte>(1 + below(random, 255));
  expect(!litz::load_compiled(std::span(bytes.get(), size), bytes),
         "a damaged file must be refused: " + model.path + ", byte " + std::to_string(at));
}

void refuse_inputs(Model& model, Random& random) {
  std::vector<Value> inputs = inputs_of(model.shared, random);
  const auto which = static_cast<size_t>(below(random, static_cast<int64_t>(inputs.size())));
  switch (below(random, 3)) {
    case 0:
      inputs[which] = Tensor(litz::DType::complex64, {1});
      break;
    case 1:
      inputs[which] = std::monostate();
      break;
    default:
      inputs.pop_back();
  }
  expect(!model.shared.run(inputs), "inputs that do not fit must be refused: " + model.path);
}

void stop_call(Model& model, Random& random) {
  litz::Session session = value_of(model.shared.session(), "a session");
  litz::CallLimit limit;
  limit.deadline = Clock::now() + std::chrono::microseconds(below(random, 200));
  const std::vector<Value> inputs = inputs_of(model.shared, random);
  const auto stopped = session.run(inputs, limit);
  expect(stopped || stopped.error().kind == litz::ErrorKind::cancelled,
         "a call must end by its limit, or not at all");
  session.reset_buffers().value();
  expect(is_same(value_of(session.run(inputs), "a call"), model.right(inputs)),
         "a call after one that was stopped must be right: " + model.path);
}

/// Nothing is compiled here: LLVM ends the process when memory is refused.
void refuse_memory(Model& model, Random& random) {
  const auto [bytes, size] = saved(model);
  Executable again =
      value_of(litz::load_compiled(std::span(bytes.get(), size), bytes, {.threads = 1}), "a file");
  const std::vector<Value> inputs = inputs_of(again, random);
  const auto fails_as_it_should = [&](const litz::ErrorKind* kind) {
    expect(kind == nullptr || *kind == litz::ErrorKind::out_of_memory,
           "a call without memory must end with that error, or not: " + model.path);
  };
  const int64_t first = below(random, 40);
  for (int64_t step = 0; step < 4; ++step) {
    allocations_to_failure = first + 10 * step;
    const auto called = again.run(inputs);
    allocations_to_failure = first + 100 * step;
    const auto loaded = litz::load_compiled(std::span(bytes.get(), size), bytes, {.threads = 1});
    allocations_to_failure = -1;
    fails_as_it_should(called ? nullptr : &called.error().kind);
    fails_as_it_should(loaded ? nullptr : &loaded.error().kind);
  }
  again.reset_buffers().value();
  expect(is_same(value_of(again.run(inputs), "a call"), model.right(inputs)),
         "a call after one without memory must be right: " + model.path);
}

/// A folder that cannot be made, and one that is a file: kernels are compiled anew.
void refuse_cache(Model& model, Random& random) {
  litz::Options options{.threads = 1};
  options.cache_directory = below(random, 2) == 0 ? "/proc/litz-cache" : "/dev/full";
  Executable again = value_of(litz::load(model.path, options), "a load without a cache");
  const std::vector<Value> inputs = inputs_of(again, random);
  expect(is_same(value_of(again.run(inputs), "a call"), model.right(inputs)),
         "a program without a cache must give the same: " + model.path);
}

/// The other side of fill_disk, in a process of its own, since limits are the process's: writes fail
/// past so many bytes of a file, as they do on a full disk.
int full_disk(const std::string& folder, const std::string& path, uint64_t bytes, uint64_t seed) {
  Executable right = value_of(litz::load(path, {.threads = 1}), "a load");
  Random random(seed);
  const std::vector<Value> inputs = inputs_of(right, random);
  const std::vector<Value> expected = value_of(right.run(inputs), "a call");
  litz::Options options{.threads = 1};
  options.cache_directory = folder;
  const auto expect_right = [&](const char* what) {
    Executable again = value_of(litz::load(path, options), what);
    expect(is_same(value_of(again.run(inputs), "a call"), expected), what + (": " + path));
  };
  std::signal(SIGXFSZ, SIG_IGN);  // A limit has a signal where a disk has an error only.
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  expect_right("a program whose cache is on a full disk must give the same");
  const std::string file = folder + "/saved.litz";
  const bool is_saved = static_cast<bool>(right.save(file));
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  expect(is_saved == std::filesystem::exists(file), "a file must be saved whole or not at all");
  expect(!is_saved || litz::load_compiled(file), "a file that was saved must load");
  expect_right("what a full disk left in a cache must not matter");
  return mistakes == 0 ? 0 : 1;
}

void fill_disk(Model& model, Random& random) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("litz-soak-" + std::to_string(::getpid()) + "-" + std::to_string(random()));
  std::filesystem::create_directory(folder);
  const std::string bytes = std::to_string(int64_t{1} << below(random, 20));
  const std::string seed = std::to_string(random());
  const char* const words[] = {"litz-soak",   "--full-disk", folder.c_str(), model.path.c_str(),
                               bytes.c_str(), seed.c_str(),  nullptr};
  pid_t child = 0;
  int status = -1;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                                   const_cast<char* const*>(words), environ);
  expect(failed == 0 && ::waitpid(child, &status, 0) == child && status == 0,
         "a process with a full disk must end well: " + model.path + ", " + bytes +
             " bytes, status " + std::to_string(status));
  std::filesystem::remove_all(folder);
}

struct Weighted {
  int weight;
  Action run;
};

const std::vector<Weighted>& all_actions() {
  static const std::vector<Weighted> all{
      {50, call_session}, {30, call_into},     {3, call_reloaded}, {3, call_saved},
      {4, refuse_damage}, {10, refuse_inputs}, {10, stop_call},    {6, refuse_memory},
      {1, refuse_cache},  {1, fill_disk}};
  return all;
}

void act(std::vector<std::unique_ptr<Model>>& models, Random& random) {
  Model& model = *models[static_cast<size_t>(below(random, static_cast<int64_t>(models.size())))];
  int sum = 0;
  for (const Weighted& action : all_actions()) sum += action.weight;
  int64_t left = below(random, sum);
  for (const Weighted& action : all_actions()) {
    left -= action.weight;
    if (left >= 0) continue;
    action.run(model, random);
    ++actions;
    return;
  }
}

/// What must not grow.
struct Footprint {
  size_t bytes = 0;
  size_t files = 0;
  size_t threads = 0;

  static Footprint now() {
    const struct mallinfo2 info = ::mallinfo2();
    const auto count = [](const char* folder) {
      size_t entries = 0;
      for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) {
        ++entries;
      }
      return entries;
    };
    return {info.uordblks + info.hblkhd, count("/proc/self/fd"), count("/proc/self/task")};
  }
};

struct Arguments {
  double seconds = 0;
  uint64_t seed = 1;
  int threads = 4;
  std::vector<std::string> models;
};

int soak(const Arguments& arguments) {
  litz::Options options;
  options.pool = std::make_shared<litz::Threads>(2);
  std::vector<std::unique_ptr<Model>> models;
  for (const std::string& path : arguments.models) {
    models.push_back(std::make_unique<Model>(path, options));
  }
  std::barrier pause(arguments.threads + 1);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < arguments.threads; ++i) {
    workers.emplace_back([&, i] {
      Random random(arguments.seed + static_cast<uint64_t>(i));
      while (!is_over) {
        const Clock::time_point until = Clock::now() + kBetweenPauses;
        while (Clock::now() < until) act(models, random);
        pause.arrive_and_wait();  // Nothing runs from here ...
        pause.arrive_and_wait();  // ... to here.
      }
    });
  }
  const Clock::time_point end =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(arguments.seconds));
  Footprint warm;
  std::printf("%10s %12s %12s %8s %8s\n", "seconds", "actions", "bytes", "files", "threads");
  const Clock::time_point start = Clock::now();
  for (int round = 0; !is_over; ++round) {
    pause.arrive_and_wait();
    const Footprint now = Footprint::now();
    std::printf("%10.0f %12lld %12zu %8zu %8zu\n",
                std::chrono::duration<double>(Clock::now() - start).count(),
                static_cast<long long>(actions), now.bytes, now.files, now.threads);
    std::fflush(stdout);
    if (round <= 1) warm = now;  // The first pauses find caches that still fill.
    expect(now.bytes <= warm.bytes + kMostGrowth, "memory in use must not grow");
    expect(now.files <= warm.files, "open files must not become more");
    expect(now.threads <= warm.threads, "threads must not become more");
    is_over = Clock::now() >= end || mistakes > 20;
    pause.arrive_and_wait();
  }
  for (std::thread& worker : workers) worker.join();
  std::printf("%lld actions, %lld mistakes\n", static_cast<long long>(actions),
              static_cast<long long>(mistakes));
  return mistakes == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 6 && std::strcmp(argv[1], "--full-disk") == 0) {
    return full_disk(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10),
                     std::strtoull(argv[5], nullptr, 10));
  }
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seed" && i + 1 < argc) {
      arguments.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--threads" && i + 1 < argc) {
      arguments.threads = std::max(1, std::atoi(argv[++i]));
    } else if (i == 1) {
      arguments.seconds = std::atof(argv[1]);
    } else {
      arguments.models.push_back(word);
    }
  }
  if (arguments.models.empty()) {
    std::fprintf(stderr, "usage: soak SECONDS MODEL.pt2 ... [--seed N] [--threads N]\n");
    return 2;
  }
  return soak(arguments);
}

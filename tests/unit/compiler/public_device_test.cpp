// Tensors on cards, calls without waits and streams of callers, through the public header, on the emulated
// card, whose work runs late and whose streams overtake each other.

#include <array>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <filesystem>
#include <fstream>
#include <litz/arguments.h>
#include <litz/c_api.h>
#include <litz/dlpack.h>
#include <litz/graph_trees.h>
#include <litz/litz.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMlp = "tests/data/pt2/v2_15_mlp_dynamic.raw.pt2";
constexpr const char* kCounting = "tests/data/pt2/v2_6_buffers.raw.pt2";

/// The driver as another library of the process would use it.
template <typename F>
F* driver_function(const char* name) {
  static void* const library = ::dlopen(std::getenv("LITZ_CUDA_DRIVER"), RTLD_NOW);
  return reinterpret_cast<F*>(::dlsym(library, name));
}

/// A stream of the caller's.
class Stream {
 public:
  Stream() {
    Tensor(DType::float32, {1}).to("cuda");  // Makes the card current.
    driver_function<int(void**, unsigned)>("cuStreamCreate")(&handle_, 1);
  }

  ~Stream() { driver_function<int(void*)>("cuStreamDestroy_v2")(handle_); }

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void* get() const { return handle_; }

  /// Work that other libraries would do.
  void fill(std::byte* to, unsigned word, size_t words) const {
    driver_function<int(unsigned long long, unsigned, size_t, void*)>("cuMemsetD32Async")(
        reinterpret_cast<uintptr_t>(to), word, words, handle_);
  }

  void synchronize() const { driver_function<int(void*)>("cuStreamSynchronize")(handle_); }

 private:
  void* handle_ = nullptr;
};

Tensor input(int64_t rows, float begin = 0) {
  Tensor x(DType::float32, {rows, 8});
  for (float& element : x.as<float>()) element = std::sin(begin += 0.7F);
  return x;
}

Executable on_card(const std::string& model, ResultPlace results = ResultPlace::automatic,
                   std::shared_ptr<GraphContext> graphs = nullptr) {
  Options options;
  options.device = "cuda";
  options.threads = 1;
  options.results = results;
  options.graphs = std::move(graphs);
  return load(model, options).value();
}

std::vector<float> on_host(const std::string& model, const Tensor& x) {
  return std::get<Tensor>(load(model).value().run({x}).value()[0]).to_vector<float>();
}

Tensor call(Executable& program, const Tensor& x) {
  return std::get<Tensor>(program.run({x}).value()[0]);
}

void expect_near(const std::vector<float>& values, const std::vector<float>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-5) << i;
}

/// Writes a program with an index.
std::filesystem::path lookup() {
  const auto path = std::filesystem::path(testing::TempDir()) / "device_lookup.ir";
  std::ofstream(path) << "graph @main(%x: f32[4], %i: i64[2]) -> (f32[2]) {\n"
                         "  %y = aten.index_select(%x, 0, %i) : f32[2]\n"
                         "  return %y\n"
                         "}\n";
  return path;
}

TEST(PublicDevice, TensorsMoveToCardsAndBack) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Tensor x = Tensor::from<float>({2, 3}, values);
  EXPECT_EQ(x.device(), "cpu");
  const Tensor there = x.to("cuda");
  EXPECT_EQ(there.device(), "cuda:0");
  EXPECT_EQ(there.sizes(), x.sizes());
  EXPECT_NE(there.data(), nullptr);
  EXPECT_EQ(there.to("cuda:0").data(), there.data());
  EXPECT_EQ(there.to_vector<float>(), values);
  EXPECT_EQ(there.to("cpu").as<float>()[5], 6);
  EXPECT_EQ(Tensor::from<float>({1}, std::vector<float>{7}).to("cuda").item<float>(), 7);
  EXPECT_THROW(there.as<float>(), std::invalid_argument);
  EXPECT_THROW(x.to("cuda:7"), Error);
  EXPECT_THROW(x.to("tpu"), Error);
  EXPECT_THROW(x.to("sim"), Error);
  EXPECT_THROW(x.wait_on(nullptr), Error);
  x.wait();
  there.wait();
  synchronize("cuda:0");
  EXPECT_THROW(synchronize("cpu"), Error);
}

TEST(PublicDevice, ResultsLieWhereInputsDo) {
  const Tensor x = input(4);
  const std::vector<float> expected = on_host(kMlp, x);
  Executable program = on_card(kMlp);
  const Tensor here = call(program, x);
  EXPECT_EQ(here.device(), "cpu");
  expect_near(here.to_vector<float>(), expected);
  const Tensor there = call(program, x.to("cuda"));
  EXPECT_EQ(there.device(), "cuda:0");
  expect_near(there.to_vector<float>(), expected);
  Executable keeping = on_card(kMlp, ResultPlace::device);
  EXPECT_EQ(call(keeping, x).device(), "cuda:0");
  expect_near(call(keeping, x).to_vector<float>(), expected);
  Executable fetching = on_card(kMlp, ResultPlace::host);
  EXPECT_EQ(call(fetching, x.to("cuda")).device(), "cpu");
}

// A call of other sizes sets the nodes of a graph that is there, products among them.
TEST(PublicDevice, OtherSizesNeedNoOtherGraph) {
  const auto instantiations = driver_function<int()>("litz_emulated_instantiations");
  Executable program = on_card(kMlp);
  call(program, input(3).to("cuda")).wait();
  const int first = instantiations();
  for (const int64_t rows : {5, 2, 17, 4, 9}) {
    const Tensor x = input(rows, static_cast<float>(rows));
    expect_near(call(program, x.to("cuda")).to_vector<float>(), on_host(kMlp, x));
  }
  EXPECT_EQ(instantiations(), first);
  for (const int64_t rows : {5, 2, 17, 4, 9, 5, 2, 17, 4, 9}) {
    const Tensor x = input(rows, static_cast<float>(-rows));
    expect_near(call(program, x.to("cuda")).to_vector<float>(), on_host(kMlp, x));
  }
  EXPECT_LE(instantiations(), first + 5) << "sizes that return have graphs of their own";
}

// Tensors are dropped as soon as the calls that use them have been submitted, and sizes change.
TEST(PublicDevice, ManyCallsNeedOneWait) {
  Executable program = on_card(kMlp);
  Executable other = on_card(kMlp);
  std::vector<Tensor> results;
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < 40; ++i) {
    const Tensor x = input(1 + i % 5, static_cast<float>(i));
    expected.push_back(on_host(kMlp, x));
    results.push_back(call(i % 3 == 0 ? other : program, x.to("cuda")));
    call(program, x.to("cuda"));  // Nobody keeps its result.
  }
  for (size_t i = 0; i < results.size(); ++i) {
    expect_near(results[i].to_vector<float>(), expected[i]);
  }
}

TEST(PublicDevice, ResultsOutliveTheirProgram) {
  const Tensor x = input(3);
  Tensor y;
  {
    Executable program = on_card(kMlp);
    y = call(program, x.to("cuda"));
  }
  expect_near(y.to_vector<float>(), on_host(kMlp, x));
}

TEST(PublicDevice, ThreadsAndStreamsShareAProgram) {
  Executable program = on_card(kMlp);
  std::vector<Tensor> inputs;
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < 8; ++i) {
    const Tensor x = input(1 + i % 3, static_cast<float>(i));
    inputs.push_back(x.to("cuda"));  // Of the main thread's stream.
    expected.push_back(on_host(kMlp, x));
  }
  std::vector<Tensor> results(4 * inputs.size());
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Stream stream;
      std::optional<StreamScope> scope;
      if (t % 2 == 0) scope.emplace(stream.get());
      for (size_t i = 0; i < inputs.size(); ++i) {
        results[t * inputs.size() + i] = call(program, inputs[i]);
      }
      // The stream ends, and its work goes on.
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < results.size(); ++i) {
    expect_near(results[i].to_vector<float>(), expected[i % inputs.size()]);
  }
}

// One arena and one store of results, in which later calls follow earlier ones without a wait.
TEST(PublicDevice, ThreadsShareAContext) {
  const auto graphs = GraphContext::make({.device = "cuda", .threads = 1}).value();
  std::array<Executable, 2> programs{on_card(kMlp, ResultPlace::automatic, graphs),
                                     on_card(kMlp, ResultPlace::automatic, graphs)};
  constexpr size_t kCalls = 12;
  std::vector<std::vector<float>> expected;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < kCalls; ++i) {
    const Tensor x = input(1 + static_cast<int64_t>(i % 3), static_cast<float>(i));
    inputs.push_back(x.to("cuda"));
    expected.push_back(on_host(kMlp, x));
  }
  std::array<std::array<Tensor, kCalls>, 3> results;
  std::vector<std::thread> threads;
  for (std::array<Tensor, kCalls>& mine : results) {
    threads.emplace_back([&] {
      for (size_t i = 0; i < kCalls; ++i) {
        mine[i] = call(programs[i % 2], inputs[i]);
        call(programs[1], inputs[i]);  // Nobody keeps its result.
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::array<Tensor, kCalls>& mine : results) {
    for (size_t i = 0; i < kCalls; ++i) expect_near(mine[i].to_vector<float>(), expected[i]);
  }
  EXPECT_EQ(graphs->report().calls, static_cast<int64_t>(3 * 2 * kCalls));
}

// The card draws when work runs, so that one round may miss a wait.
TEST(PublicDevice, AContextThatMovesResultsWaits) {
  for (int round = 0; round < 12; ++round) {
    const ResultPolicy policy = round % 2 == 0 ? ResultPolicy::clone : ResultPolicy::trap;
    const auto graphs =
        GraphContext::make({.device = "cuda", .threads = 1, .results = policy}).value();
    Executable program = on_card(kMlp, ResultPlace::device, graphs);
    const Tensor first = call(program, input(2, 1));
    const Tensor second = call(program, input(2, 2));
    expect_near(second.to_vector<float>(), on_host(kMlp, input(2, 2)));
    if (policy == ResultPolicy::trap) {
      EXPECT_THROW(first.to_vector<float>(), Error);
    } else {
      expect_near(first.to_vector<float>(), on_host(kMlp, input(2, 1)));
    }
  }
}

TEST(PublicDevice, CallsAreInTheOrderOfTheCallersStream) {
  Executable program = on_card(kMlp);
  const Tensor x = input(2).to("cuda");
  x.wait();
  const std::vector<float> zeros = on_host(kMlp, Tensor(DType::float32, {2, 8}));
  const Stream stream;
  {
    const StreamScope scope(stream.get());
    Tensor same = x;
    stream.fill(same.data(), 0, 16);  // In the order of the stream, before the call
    const Tensor y = call(program, x);
    stream.fill(same.data(), 0x7fc00000, 16);  // and after it.
    expect_near(y.to_vector<float>(), zeros);
  }
}

TEST(PublicDevice, WorkOfACallerFollowsResults) {
  Executable program = on_card(kMlp);
  for (int i = 0; i < 10; ++i) {
    const Stream stream;
    Tensor y = call(program, input(2).to("cuda"));
    y.wait_on(stream.get());
    stream.fill(y.data(), 0, 6);
    stream.synchronize();
    EXPECT_THAT(y.to_vector<float>(), ElementsAre(0, 0, 0, 0, 0, 0));
  }
}

TEST(PublicDevice, FailuresAreThrownByTheWaitAndNameTheOperator) {
  const auto path = lookup();
  Executable program = on_card(path.string());
  const Tensor x = Tensor::from<float>({4}, std::vector<float>{1, 2, 3, 4}).to("cuda");
  const auto at = [](int64_t i) {
    return Tensor::from<int64_t>({2}, std::vector<int64_t>{0, i}).to("cuda");
  };
  const auto select = [&](int64_t i) { return program.run({x, at(i)}); };
  const Result<std::vector<Value>> wrong = select(9);
  ASSERT_TRUE(wrong) << "the call has returned before its work ran";
  try {
    std::get<Tensor>((*wrong)[0]).wait();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("index_select"));
    EXPECT_THAT(error.what(), HasSubstr("9"));
    EXPECT_EQ(error.kind(), ErrorKind::out_of_range);
  }
  const Result<std::vector<Value>> right = select(3);
  EXPECT_THAT(std::get<Tensor>((*right)[0]).to_vector<float>(), ElementsAre(1, 4));
  // A call that waits meets it itself.
  const Tensor i = Tensor::from<int64_t>({2}, std::vector<int64_t>{0, 9});
  const Result<std::vector<Value>> met = program.run({x.to("cpu"), i});
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().kind, ErrorKind::out_of_range);
  // So do those who wait for what another thread makes of the result.
  const Result<std::vector<Value>> first = select(8);
  std::thread([&] {
    const Result<std::vector<Value>> second =
        program.run({x, Tensor::from<int64_t>({2}, std::vector<int64_t>{0, 1}).to("cuda")});
    EXPECT_THAT(std::get<Tensor>((*second)[0]).to_vector<float>(), ElementsAre(1, 2));
    EXPECT_THROW(std::get<Tensor>((*first)[0]).to("cpu"), Error);
  }).join();
  EXPECT_THROW(std::get<Tensor>((*first)[0]).wait(), Error);
  std::filesystem::remove(path);
}

TEST(PublicDevice, BuffersChangeInOrder) {
  Executable program = on_card(kCounting);
  Executable host = load(kCounting).value();
  Tensor x(DType::float32, {3, 4});
  for (float& element : x.as<float>()) element = 1;
  std::vector<Value> last;
  std::vector<Value> expected;
  for (int i = 0; i < 6; ++i) expected = host.run({x}).value();
  const Tensor there = x.to("cuda");
  for (int i = 0; i < 3; ++i) program.run({there}).value();
  std::thread([&] {
    for (int i = 0; i < 3; ++i) last = program.run({there}).value();
  }).join();
  EXPECT_EQ(std::get<Tensor>(last[1]).device(), "cuda:0");
  EXPECT_EQ(std::get<Tensor>(last[1]).item<int64_t>(), 6);
  expect_near(std::get<Tensor>(last[0]).to_vector<float>(),
              std::get<Tensor>(expected[0]).to_vector<float>());
  const std::string name = program.buffers().at(0).name;
  EXPECT_EQ(program.read_buffer(name).value().to_vector<float>(),
            host.read_buffer(name).value().to_vector<float>());
  ASSERT_TRUE(program.write_buffer(name, host.read_buffer(name).value().to("cuda")));
  Session session = program.session().value();
  const std::vector<Value> own = session.run({there}).value();
  EXPECT_EQ(std::get<Tensor>(own[1]).item<int64_t>(), 1);
}

TEST(PublicDevice, InputsAreWrittenWhereTheyLie) {
  Executable program = on_card("tests/data/pt2/input_mutation.raw.pt2");
  Executable host = load("tests/data/pt2/input_mutation.raw.pt2").value();
  Tensor x(DType::float32, {4, 4});
  Tensor y(DType::float32, {4, 4});
  for (float& element : x.as<float>()) element = 1;
  for (float& element : y.as<float>()) element = 2;
  const Tensor x_there = x.to("cuda");
  const Tensor y_there = y.to("cuda");
  program.run({x_there, y_there}).value();
  host.run({x, y}).value();
  EXPECT_EQ(x_there.to_vector<float>(), x.to_vector<float>());
  Tensor x_here(DType::float32, {4, 4});
  for (float& element : x_here.as<float>()) element = 1;
  program.run({x_here, y_there}).value();
  EXPECT_EQ(x_here.to_vector<float>(), x.to_vector<float>());
}

TEST(PublicDevice, ResultsAreWrittenToMemoryOfTheCaller) {
  Executable program = on_card(kMlp);
  const Tensor x = input(4);
  const std::vector<float> expected = on_host(kMlp, x);
  const std::vector<Value> inputs{x.to("cuda")};
  std::vector<Tensor> there{Tensor(DType::float32, {4, 3}).to("cuda")};
  const std::byte* const memory = there[0].data();
  ASSERT_TRUE(program.run_into(inputs, there));
  EXPECT_EQ(there[0].data(), memory);
  expect_near(there[0].to_vector<float>(), expected);
  std::vector<Tensor> here{Tensor(DType::float32, {4, 3})};
  ASSERT_TRUE(program.run_into(inputs, here));
  expect_near(here[0].to_vector<float>(), expected);
  std::vector<Tensor> wrong{Tensor(DType::float32, {3, 4}).to("cuda")};
  EXPECT_FALSE(program.run_into(inputs, wrong));
  EXPECT_TRUE(program.run_into(inputs, there)) << "the failed call has left nothing";
}

TEST(PublicDevice, OtherDevicesAreRefused) {
  Executable host = load(kMlp).value();
  const Result<std::vector<Value>> refused = host.run({input(4).to("cuda")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("not on cuda:0: copy them"));
}

/// Memory of the card that another library has allocated.
struct Foreign {
  unsigned long long address = 0;
  std::shared_ptr<bool> is_released = std::make_shared<bool>(false);

  explicit Foreign(const Stream& stream, unsigned word) {
    driver_function<int(unsigned long long*, size_t)>("cuMemAlloc_v2")(&address, 64);
    stream.fill(pointer(), word, 16);
  }

  std::byte* pointer() const { return reinterpret_cast<std::byte*>(address); }

  std::shared_ptr<const void> owner() const {
    return {pointer(), [at = address, released = is_released](const void*) {
              driver_function<int(unsigned long long)>("cuMemFree_v2")(at);
              *released = true;
            }};
  }
};

constexpr unsigned kOne = 0x3f800000;  // 1.0F

TEST(PublicDevice, MemoryOfCallersIsReleasedAfterTheWork) {
  Executable program = on_card(kMlp);
  const Tensor ones = [] {
    Tensor x(DType::float32, {2, 8});
    for (float& element : x.as<float>()) element = 1;
    return x;
  }();
  const Stream stream;
  const Foreign memory(stream, kOne);
  Tensor y;
  {
    const StreamScope scope(stream.get());  // What fills it is in this stream.
    Tensor x = Tensor::over(DType::float32, {2, 8}, memory.pointer(), {}, memory.owner(), "cuda:0");
    EXPECT_EQ(x.data(), memory.pointer());
    y = call(program, x);
  }
  expect_near(y.to_vector<float>(), on_host(kMlp, ones));
  synchronize();
  EXPECT_TRUE(*memory.is_released);
  EXPECT_THROW(Tensor::over(DType::float32, {1}, memory.pointer(), {}, nullptr, "sim"), Error);
}

TEST(PublicDevice, DlpackSharesTensorsOfCards) {
  Executable program = on_card(kMlp);
  const Stream stream;
  const Foreign memory(stream, kOne);
  const auto owner = std::make_shared<std::shared_ptr<const void>>(memory.owner());
  int64_t sizes[] = {2, 8};
  DLManagedTensor managed = {};
  managed.dl_tensor = {.data = memory.pointer(),
                       .device = {kDLCUDA, 0},
                       .ndim = 2,
                       .dtype = {kDLFloat, 32, 1},
                       .shape = sizes,
                       .strides = nullptr,
                       .byte_offset = 0};
  managed.manager_ctx = owner.get();
  managed.deleter = [](DLManagedTensor* self) {
    static_cast<std::shared_ptr<const void>*>(self->manager_ctx)->reset();
  };
  Tensor x = from_dlpack(&managed, stream.get());
  EXPECT_EQ(x.device(), "cuda:0");
  Tensor y = call(program, x);  // On a stream of Litz, after the one that fills it.
  x = Tensor();
  DLManagedTensor* const given = to_dlpack(y, stream.get());
  EXPECT_EQ(given->dl_tensor.device.device_type, kDLCUDA);
  EXPECT_EQ(given->dl_tensor.device.device_id, 0);
  EXPECT_EQ(given->dl_tensor.data, y.data());
  y = Tensor();
  stream.fill(static_cast<std::byte*>(given->dl_tensor.data), kOne, 6);
  Tensor back = from_dlpack(given, stream.get());
  EXPECT_THAT(back.to_vector<float>(), ElementsAre(1, 1, 1, 1, 1, 1));
  synchronize();
  EXPECT_TRUE(*memory.is_released);
}

// --- In C

struct FreeProgram {
  void operator()(litz_program* program) const { litz_program_free(program); }

  void operator()(litz_results* results) const { litz_results_free(results); }
};

TEST(PublicDevice, CallsInCTakeTensorsOfCards) {
  const std::vector<std::byte> saved = on_card(kMlp).save().value();
  const std::shared_ptr<std::byte> bytes(
      static_cast<std::byte*>(std::aligned_alloc(64, (saved.size() + 63) / 64 * 64)), std::free);
  std::copy(saved.begin(), saved.end(), bytes.get());
  litz_load_options options{};
  options.size = sizeof options;
  options.threads = 1;
  options.card = 1;
  litz_program* loaded = nullptr;
  ASSERT_EQ(litz_program_load_memory(bytes.get(), saved.size(), &options, &loaded, nullptr),
            LITZ_OK);
  const std::unique_ptr<litz_program, FreeProgram> program(loaded);

  const Stream stream;
  const Foreign memory(stream, kOne);
  const std::shared_ptr<const void> owner = memory.owner();
  const litz_call_stream on{.size = sizeof on, .card = 0, .stream = stream.get()};
  ASSERT_EQ(litz_set_call_stream(&on, nullptr), LITZ_OK);
  const int64_t sizes[] = {2, 8};
  litz_value input{};
  input.kind = LITZ_KIND_TENSOR;
  input.card = 1;
  input.tensor = {memory.pointer(), sizes, nullptr, 2, LITZ_FLOAT32};
  litz_results* made = nullptr;
  ASSERT_EQ(litz_program_run(program.get(), &input, 1, &made, nullptr), LITZ_OK);
  const std::unique_ptr<litz_results, FreeProgram> results(made);
  litz_value output{};
  ASSERT_EQ(litz_results_get(results.get(), 0, &output, nullptr), LITZ_OK);
  EXPECT_EQ(output.card, 1);
  EXPECT_EQ(litz_results_wait(results.get(), nullptr), LITZ_OK);
  std::vector<float> values(6);
  const int64_t output_sizes[] = {2, 3};
  const litz_tensor to{values.data(), output_sizes, nullptr, 2, LITZ_FLOAT32};
  ASSERT_EQ(litz_results_read(results.get(), 0, &to, nullptr), LITZ_OK);
  Tensor ones(DType::float32, {2, 8});
  for (float& element : ones.as<float>()) element = 1;
  expect_near(values, on_host(kMlp, ones));

  // Its own result as memory for the next one.
  const litz_value into = output;
  litz_value given = into;
  ASSERT_EQ(litz_program_run_into_values(program.get(), &input, 1, &given, 1, nullptr), LITZ_OK);
  EXPECT_EQ(given.tensor.data, into.tensor.data);
  ASSERT_EQ(litz_set_call_stream(nullptr, nullptr), LITZ_OK);
  input.card = -1;
  EXPECT_EQ(litz_program_run(program.get(), &input, 1, &made, nullptr), LITZ_INVALID_ARGUMENT);
  options.results = 7;
  EXPECT_EQ(litz_program_load_memory(bytes.get(), saved.size(), &options, &loaded, nullptr),
            LITZ_INVALID_ARGUMENT);
  synchronize();
}

TEST(PublicDevice, DefaultStreamsWork) {
  Executable program = on_card(kMlp);
  const StreamScope scope(nullptr);
  const Tensor x = input(4);
  expect_near(call(program, x.to("cuda")).to_vector<float>(), on_host(kMlp, x));
}

TEST(PublicDevice, SimulatedDevicesKeepResultsToo) {
  Options options;
  options.device = "sim";
  options.results = ResultPlace::device;
  Executable program = load(kMlp, options).value();
  const Tensor x = input(4);
  const Tensor y = call(program, x);
  EXPECT_EQ(y.device(), "sim:0");
  expect_near(y.to_vector<float>(), on_host(kMlp, x));
}

}  // namespace
}  // namespace litz

// Whole programs of several ranks on cards: threads on the emulated card, over the emulated NCCL.

#include <cmath>
#include <cstdlib>
#include <litz/litz.h>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using Join = std::function<std::shared_ptr<Group>(int rank)>;

constexpr int kRanks = 4;

/// Differ by rank.
std::vector<Value> inputs_of(const Executable& program, int rank) {
  std::vector<Value> inputs;
  for (const SignatureEntry& entry : program.inputs()) {
    std::vector<int64_t> sizes;
    for (const SizeInfo& size : entry.sizes) sizes.push_back(size.least);
    Tensor tensor(entry.dtype, sizes);
    float value = static_cast<float>(rank);
    for (float& element : tensor.as<float>()) element = std::sin(value += 0.7F);
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

struct Outcome {
  std::string said;  ///< Empty: all went well.
  std::vector<float> elements;
};

/// What each rank's second call gives.
std::vector<Outcome> run(const std::string& model, const std::string& device, const Join& join) {
  std::vector<Outcome> outcomes(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      Outcome& outcome = outcomes[static_cast<size_t>(rank)];
      Options options;
      options.threads = 1;
      options.device = device;
      options.group = join(rank);
      Result<Executable> program = load(model, options);
      if (!program) {
        outcome.said = program.error().message;
        return options.group->leave(outcome.said);
      }
      for (int call = 0; call < 2; ++call) {
        const auto outputs = program->run(inputs_of(*program, rank + call));
        if (!outputs) {
          outcome.said = outputs.error().message;
          return options.group->leave(outcome.said);
        }
        outcome.elements.clear();
        for (const Value& output : *outputs) {
          for (const float element : std::get<Tensor>(output).as<float>()) {
            outcome.elements.push_back(element);
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

TEST(CardRanks, ProgramsGiveWhatSimulatedRanksOfTheHostGive) {
  for (const std::string name : {"gpt2_forward", "step"}) {
    const std::string model = "tests/data/fsdp/" + name + ".pt2";
    auto host = Group::simulated(kRanks).value();
    const auto expected =
        run(model, "cpu", [&](int rank) { return std::move(host[static_cast<size_t>(rank)]); });
    const std::string meeting = ::testing::TempDir() + "card_ranks." + name +
                                std::to_string(std::rand());  // NOLINT: any name will do.
    const auto got =
        run(model, "cuda", [&](int rank) { return Group::nccl(0, rank, kRanks, meeting).value(); });
    for (size_t rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(expected[rank].said, "");
      EXPECT_EQ(got[rank].said, "");
      ASSERT_EQ(got[rank].elements.size(), expected[rank].elements.size());
      for (size_t i = 0; i < got[rank].elements.size(); ++i) {
        ASSERT_NEAR(got[rank].elements[i], expected[rank].elements[i], 1e-4)
            << name << " rank " << rank << " element " << i;
      }
    }
  }
}

}  // namespace
}  // namespace litz

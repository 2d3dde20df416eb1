// What NCCL gets, by a library that records it. Results are checked in nccl_ranks_test.cpp.

#include "runtime/cuda/nccl_calls.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

using distributed::Collective;
using distributed::CollectiveKind;
using distributed::Reduction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string>& calls() {
  static std::vector<std::string> calls;
  return calls;
}

int fails_at = -1;

int record(std::string text) {
  calls().push_back(std::move(text));
  return static_cast<int>(calls().size()) - 1 == fails_at ? 3 : 0;
}

std::string number(int64_t value) { return " " + std::to_string(value); }

NcclFunctions recording() {
  NcclFunctions functions;
  functions.all_reduce = [](const void*, void*, size_t count, int type, int reduction,
                            NcclCommunicator, Stream) {
    return record("all_reduce" + number(static_cast<int64_t>(count)) + number(type) +
                  number(reduction));
  };
  functions.reduce_scatter = [](const void*, void*, size_t count, int type, int reduction,
                                NcclCommunicator, Stream) {
    return record("reduce_scatter" + number(static_cast<int64_t>(count)) + number(type) +
                  number(reduction));
  };
  functions.all_gather = [](const void*, void*, size_t count, int type, NcclCommunicator, Stream) {
    return record("all_gather" + number(static_cast<int64_t>(count)) + number(type));
  };
  functions.broadcast = [](const void*, void*, size_t count, int type, int root, NcclCommunicator,
                           Stream) {
    return record("broadcast" + number(static_cast<int64_t>(count)) + number(type) + number(root));
  };
  functions.send = [](const void*, size_t count, int /*type*/, int to, NcclCommunicator, Stream) {
    return record("send" + number(static_cast<int64_t>(count)) + number(to));
  };
  functions.receive = [](void*, size_t count, int /*type*/, int from, NcclCommunicator, Stream) {
    return record("receive" + number(static_cast<int64_t>(count)) + number(from));
  };
  functions.begin_group = [] { return record("begin"); };
  functions.end_group = [] { return record("end"); };
  functions.error_text = [](int /*result*/) { return "internal error"; };
  calls().clear();
  fails_at = -1;
  return functions;
}

Collective made(CollectiveKind kind, DType dtype, std::vector<int64_t> operand,
                std::vector<int64_t> result) {
  Collective collective{.kind = kind};
  collective.operands = {Tensor::zeros(dtype, std::move(operand))};
  collective.results = {Tensor::zeros(dtype, std::move(result))};
  return collective;
}

constexpr size_t kRanks = 2;

TEST(NcclCalls, CountsAreThoseOfNccl) {
  const NcclFunctions functions = recording();
  const NcclGroup group{.ranks = kRanks};
  add_work(functions, group, made(CollectiveKind::all_gather, DType::f32, {3}, {6}));
  add_work(functions, group, made(CollectiveKind::all_reduce, DType::c64, {3}, {3}));
  Collective scatter = made(CollectiveKind::reduce_scatter, DType::i64, {4, 3}, {2, 3});
  scatter.reduction = Reduction::max;
  add_work(functions, group, scatter);
  Collective spread = made(CollectiveKind::broadcast, DType::f16, {5}, {5});
  spread.peer = 1;
  add_work(functions, group, spread);
  EXPECT_THAT(calls(), ElementsAre("begin", "all_gather 12 1", "end", "begin", "all_reduce 6 7 0",
                                   "end", "begin", "reduce_scatter 6 4 2", "end", "begin",
                                   "broadcast 10 1 1", "end"));
}

TEST(NcclCalls, ExchangesAreOneGroupWithoutEmptyParts) {
  const NcclFunctions functions = recording();
  Collective exchange = made(CollectiveKind::all_to_all, DType::f32, {3, 2}, {4, 2});
  exchange.sent = {3, 0};
  exchange.received = {3, 1};
  add_work(functions, {.ranks = kRanks}, exchange);
  EXPECT_THAT(calls(), ElementsAre("begin", "send 24 0", "receive 24 0", "receive 8 1", "end"));
}

TEST(NcclCalls, WhatIsRefusedAddsNothing) {
  const NcclFunctions functions = recording();
  Collective coalesced = made(CollectiveKind::all_reduce, DType::f32, {3}, {3});
  coalesced.operands.push_back(Tensor::zeros(DType::i16, {3}));
  coalesced.results.push_back(Tensor::zeros(DType::i16, {3}));
  EXPECT_THROW(add_work(functions, {.ranks = kRanks}, coalesced), Error);
  EXPECT_THROW(add_work(functions, {.ranks = kRanks},
                        made(CollectiveKind::all_gather, DType::f32, {3}, {5})),
               Error);
  EXPECT_THROW(add_work(functions, {.ranks = kRanks},
                        made(CollectiveKind::reduce_scatter, DType::f32, {3}, {1})),
               Error);
  EXPECT_THAT(calls(), IsEmpty());
}

TEST(NcclCalls, AGroupThatFailsEnds) {
  for (int call = 0; call < 3; ++call) {
    const NcclFunctions functions = recording();
    fails_at = call;
    try {
      add_work(functions, {.ranks = kRanks},
               made(CollectiveKind::all_reduce, DType::f32, {3}, {3}));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("all_reduce sum of f32[3]: internal error"));
    }
    if (call == 1) EXPECT_EQ(calls().back(), "end");
  }
}

TEST(NcclCalls, TransfersAreOneGroup) {
  const NcclFunctions functions = recording();
  Collective sent = made(CollectiveKind::send, DType::f32, {3}, {3});
  sent.peer = 1;
  Collective got = made(CollectiveKind::receive, DType::f64, {2}, {2});
  got.peer = 1;
  Collective empty = made(CollectiveKind::send, DType::f32, {0}, {0});
  add_transfers(functions, {.ranks = kRanks}, {sent, got, empty});
  EXPECT_THAT(calls(), ElementsAre("begin", "send 12 1", "receive 16 1", "end"));
}

}  // namespace
}  // namespace litz::runtime::cuda

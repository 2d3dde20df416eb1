#include "runtime/cuda/cuda_streams.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using CudaStreams = CudaTest;

TEST_F(CudaStreams, WorkIsUnfinishedUntilItIsAwaited) {
  const StreamId stream = streams().make();
  const auto before = streams().last_job();
  EXPECT_TRUE(streams().has_finished(before));
  { const auto use = streams().use(stream); }
  const auto job = streams().last_job();
  EXPECT_EQ(job, before + 1);
  EXPECT_FALSE(streams().has_finished(job));
  streams().synchronize(stream);
  EXPECT_TRUE(streams().has_finished(job));
}

// A stream that had nothing to do does not keep others' old work alive.
TEST_F(CudaStreams, IdleStreamsAreFinished) {
  const StreamId busy = streams().make();
  const StreamId idle = streams().make();
  { const auto use = streams().use(busy); }
  const auto job = streams().last_job();
  streams().synchronize(busy);
  { const auto use = streams().use(idle); }
  EXPECT_TRUE(streams().has_finished(job));
  EXPECT_FALSE(streams().has_finished(streams().last_job()));
}

TEST_F(CudaStreams, PollingFindsWhatHasFinished) {
  const StreamId stream = streams().make();
  { const auto use = streams().use(stream); }
  const auto job = streams().last_job();
  for (int i = 0; i < 1000 && !streams().has_finished(job); ++i) streams().poll();
  EXPECT_TRUE(streams().has_finished(job));
}

TEST_F(CudaStreams, EventsAreUsedAgain) {
  const StreamId stream = streams().make();
  const int64_t before = live_handles();
  EventId first = streams().record(stream);
  for (int i = 0; i < 200; ++i) {
    streams().wait(StreamId{}, first);
    streams().synchronize(stream);
    streams().synchronize(StreamId{});
    first = streams().record(stream);
  }
  EXPECT_LT(live_handles() - before, 10);
  EXPECT_THROW(streams().wait(stream, EventId{-1}), Error);
  EXPECT_THROW(streams().record(StreamId{9}), Error);
}

TEST_F(CudaStreams, WorkAtTheEndRunsOnceAndItsFailureIsThrownOnce) {
  int times = 0;
  streams().at_end({}, [&] { ++times; });
  streams().at_end({}, [] { fail(ErrorCode::out_of_range, "first"); });
  streams().at_end({}, [] { fail(ErrorCode::io, "second"); });
  streams().settle({});
  EXPECT_EQ(times, 1);
  try {
    streams().synchronize({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range);
  }
  EXPECT_NO_THROW(streams().synchronize({}));
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace litz::runtime

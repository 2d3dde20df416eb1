#include "runtime/cuda/cuda_streams.h"

#include <thread>

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

TEST_F(CudaStreams, WorkAtTheEndWithAKeyRunsOnce) {
  int times = 0;
  for (int i = 0; i < 3; ++i)
    streams().at_end(
        {}, [&] { ++times; }, &times);
  streams().synchronize({});
  EXPECT_EQ(times, 1);
  streams().at_end(
      {}, [&] { ++times; }, &times);
  streams().synchronize({});
  EXPECT_EQ(times, 2);
}

TEST_F(CudaStreams, ThreadsKeepTheirStreams) {
  const StreamId own = streams().of_thread();
  EXPECT_EQ(streams().of_thread(), own);
  std::thread([&] { EXPECT_NE(streams().of_thread(), own); }).join();
}

// Those who wait for work that follows a failure get it, and so do those who wait for that work itself.
TEST_F(CudaStreams, FailuresFollowTheOrder) {
  const StreamId first = streams().make();
  const StreamId second = streams().make();
  { const auto use = streams().use(first); }
  streams().at_end(first, [] { fail(ErrorCode::out_of_range, "an index"); });
  streams().order(first, second);  // Not for what the work makes.
  EXPECT_NO_THROW(streams().synchronize(second));
  streams().begin_call(first);
  { const auto use = streams().use(first); }
  streams().at_end(first, [] { fail(ErrorCode::out_of_range, "an index"); });
  const uint64_t call = streams().last_call(first);
  streams().end_call(first);
  streams().order_after_call(first, call, second);
  EXPECT_THROW(streams().synchronize(second), Error);
  EXPECT_NO_THROW(streams().synchronize(second));
  EXPECT_THROW(streams().synchronize(first), Error);
  EXPECT_NO_THROW(streams().synchronize(first));
  // Work that was awaited has no failures, whatever else the stream does.
  streams().begin_call(first);
  streams().at_end(first, [] { fail(ErrorCode::out_of_range, "another one"); });
  streams().end_call(first);
  streams().order_after_call(first, call, second);
  EXPECT_NO_THROW(streams().synchronize(second));
  EXPECT_THROW(streams().synchronize(first), Error);
}

// A caller may destroy its stream after a call: an event stands for it.
TEST_F(CudaStreams, CallersStreamsMayEnd) {
  const std::shared_ptr<Storage> memory = floats({1, 2, 3, 4});
  streams().synchronize({});
  cuda::Stream handle = nullptr;
  driver().create_stream(&handle, cuda::kStreamNonBlocking);
  const StreamId stream = streams().of_caller(handle);
  EXPECT_EQ(streams().of_caller(handle), stream);
  EXPECT_TRUE(streams().is_callers(stream));
  streams().begin_call(stream);
  device_->fill(stream, memory->address(), 0, 16);
  streams().end_call(stream);
  const StreamId other = streams().make();
  streams().order(stream, other);
  driver().destroy_stream(handle);
  streams().order(stream, other);
  streams().poll();
  streams().synchronize(stream);
  EXPECT_TRUE(streams().has_finished(streams().last_job()) || other.value > 0);
  Tensor host = Tensor::empty(DType::f32, {4});
  device_->copy(other, host, Tensor(DType::f32, {4}, {1}, 0, memory));
  streams().synchronize(other);
  EXPECT_EQ(host.at({3}), 0);
}

TEST_F(CudaStreams, ManyStreamsOfCallersTakeTurns) {
  for (int i = 0; i < 100; ++i) {
    cuda::Stream handle = nullptr;
    driver().create_stream(&handle, cuda::kStreamNonBlocking);
    const StreamId stream = streams().of_caller(handle);
    streams().begin_call(stream);
    { const auto use = streams().use(stream); }
    streams().end_call(stream);
    driver().destroy_stream(handle);
  }
  EXPECT_LT(streams().make().value, 64);
}

TEST_F(CudaStreams, OwnersAreReleasedAfterTheWork) {
  const std::shared_ptr<Storage> memory = floats({1});
  const StreamId stream = streams().make();
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> kept = owner;
  streams().finish();
  { const auto use = streams().use(stream); }
  streams().release_later(std::move(owner));
  EXPECT_FALSE(kept.expired());
  streams().synchronize(stream);
  EXPECT_TRUE(kept.expired());
  streams().release_later(std::make_shared<int>(2));  // Nothing waits.
}

}  // namespace
}  // namespace litz::runtime

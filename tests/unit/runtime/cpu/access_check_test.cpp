#include "runtime/cpu/access_check.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

ByteRange reads(uint64_t begin, uint64_t end) { return {begin, end, false}; }

ByteRange writes(uint64_t begin, uint64_t end) { return {begin, end, true}; }

TEST(AccessCheck, APathOrdersNodes) {
  const CheckedNode nodes[] = {
      {"a", {}, {writes(0, 8)}},
      {"b", {0}, {}},
      {"c", {1}, {reads(4, 12)}},
  };
  EXPECT_NO_THROW(check_node_order(nodes));
}

TEST(AccessCheck, MissingEdgesAreFound) {
  const CheckedNode read_after_write[] = {{"a", {}, {writes(0, 8)}}, {"b", {}, {reads(7, 9)}}};
  EXPECT_THROW(check_node_order(read_after_write), InternalError);
  const CheckedNode write_after_read[] = {{"a", {}, {reads(0, 8)}}, {"b", {}, {writes(0, 1)}}};
  EXPECT_THROW(check_node_order(write_after_read), InternalError);
  const CheckedNode write_after_write[] = {{"a", {}, {writes(0, 8)}}, {"b", {}, {writes(0, 8)}}};
  EXPECT_THROW(check_node_order(write_after_write), InternalError);
}

TEST(AccessCheck, ReadersAndNeighboursNeedNoEdge) {
  const CheckedNode nodes[] = {
      {"a", {}, {reads(0, 8), writes(8, 16)}},
      {"b", {}, {reads(0, 8), writes(16, 24)}},
      {"c", {}, {writes(24, 24), reads(12, 12), writes(4, 4)}},
  };
  EXPECT_NO_THROW(check_node_order(nodes));
}

TEST(StreamOrder, EventsOrderLaunches) {
  StreamOrder order;
  order.launch(0, {writes(0, 8)});
  order.wait(1, order.record(0));
  EXPECT_NO_THROW(order.launch(1, {reads(0, 8)}));
  // Stream 0 has not waited for stream 1.
  EXPECT_THROW(order.launch(0, {writes(0, 8)}), InternalError);
  order.wait(0, order.record(1));
  EXPECT_NO_THROW(order.launch(0, {writes(0, 8)}));
}

TEST(StreamOrder, WhatComesAfterTheEventIsNotOrdered) {
  StreamOrder order;
  const StreamOrder::Clock event = order.record(0);
  order.launch(0, {writes(0, 8)});
  order.wait(1, event);
  EXPECT_THROW(order.launch(1, {reads(0, 8)}), InternalError);
}

TEST(StreamOrder, OrderIsTransitive) {
  StreamOrder order;
  order.launch(0, {writes(0, 8)});
  order.wait(1, order.record(0));
  order.wait(2, order.record(1));
  EXPECT_NO_THROW(order.launch(2, {writes(0, 8)}));
}

TEST(StreamOrder, SynchronisingOrdersEverythingLater) {
  StreamOrder order;
  order.launch(0, {writes(0, 8)});
  order.synchronize(0);
  EXPECT_NO_THROW(order.launch(1, {writes(0, 8)}));
  EXPECT_THROW(order.launch(2, {reads(0, 8)}), InternalError);
}

}  // namespace
}  // namespace litz::runtime

#include "runtime/cuda/dnn_graph.h"

#include <map>

#include <gtest/gtest.h>

namespace litz::runtime::cuda::dnn {
namespace {

/// A library of which calls with this attribute fail, and which counts its descriptors.
struct FakeLibrary {
  int live = 0;
  int failing_attribute = -1;
  std::map<int, int64_t> counts;  ///< By attribute that was set.
};

FakeLibrary fake;

int create(int kind, void** descriptor) {
  ++fake.live;
  *descriptor = new int(kind);
  return 0;
}

int destroy(void* descriptor) {
  --fake.live;
  delete static_cast<int*>(descriptor);
  return 0;
}

int finalize(void* /*descriptor*/) { return 0; }

int set(void* /*descriptor*/, int attribute, int /*type*/, int64_t count, const void* /*values*/) {
  fake.counts[attribute] = count;
  return attribute == fake.failing_attribute ? 1 : 0;
}

int get(void* /*descriptor*/, int attribute, int /*type*/, int64_t wanted, int64_t* count,
        void* /*values*/) {
  *count = wanted;
  return attribute == fake.failing_attribute ? 1 : 0;
}

const GraphFunctions kFunctions{create, destroy, finalize, set, get, nullptr};

class DnnGraph : public testing::Test {
 protected:
  void SetUp() override { fake = {}; }
};

TEST_F(DnnGraph, DescriptorsAreFreedOnce) {
  {
    Descriptor one(kFunctions, Kind::tensor);
    const Descriptor other(std::move(one));
    EXPECT_EQ(fake.live, 1);
    EXPECT_NE(other.get(), nullptr);
  }
  EXPECT_EQ(fake.live, 0);
}

TEST_F(DnnGraph, WhatTheLibraryDidNotTakeShowsAtTheEnd) {
  Descriptor good(kFunctions, Kind::tensor);
  const int64_t sizes[] = {2, 3, 4};
  good.set_integers(Attribute::tensor_sizes, sizes);
  EXPECT_EQ(fake.counts.at(static_cast<int>(Attribute::tensor_sizes)), 3);
  EXPECT_TRUE(good.finalize());
  fake.failing_attribute = static_cast<int>(Attribute::tensor_strides);
  Descriptor bad(kFunctions, Kind::tensor);
  bad.set_integers(Attribute::tensor_strides, sizes);
  bad.set_integers(Attribute::tensor_sizes, sizes);
  EXPECT_FALSE(bad.finalize());
}

TEST_F(DnnGraph, ReadsCountValues) {
  const Descriptor engine(kFunctions, Kind::engine);
  int notes[4] = {};
  EXPECT_EQ(engine.read(Attribute::engine_notes, Type::note, 4, notes), 4);
  fake.failing_attribute = static_cast<int>(Attribute::engine_notes);
  EXPECT_EQ(engine.read(Attribute::engine_notes, Type::note, 4, notes), -1);
}

}  // namespace
}  // namespace litz::runtime::cuda::dnn

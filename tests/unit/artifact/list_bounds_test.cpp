#include "artifact/list_bounds.h"

#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::artifact {
namespace {

using testing::HasSubstr;

/// y = library(x), then kernel 0 on y; sizes are n, and y lies in the arena.
class ListBounds : public testing::Test {
 protected:
  ListBounds() {
    const TensorType row = contiguous_type(DType::f32, {n_});
    list_.name = "test";
    list_.storages = {{.name = "x", .kind = StorageKind::input, .index = 0, .bytes = 4 * n_},
                      {.name = "y", .kind = StorageKind::arena, .offset = 64, .bytes = 4 * n_},
                      {.name = "z", .kind = StorageKind::output, .index = 0, .bytes = 4 * n_}};
    list_.arena_bytes = 64 + 4 * n_;
    list_.launches.resize(2);
    list_.launches[0].work =
        LibraryLaunch{"f", {TensorSlot{{0, 0}, row}}, {TensorSlot{{1, 0}, row}}, std::nullopt};
    list_.launches[0].accesses = {{{0, 0}, 4 * n_, false}, {{1, 0}, 4 * n_, true}};
    list_.launches[1].work = KernelLaunch{0, {{1, 0}, {2, 0}}, {n_}};
    list_.launches[1].accesses = {{{1, 0}, 4 * n_, false}, {{2, 0}, 4 * n_, true}};
    list_.outputs = {TensorSlot{{2, 0}, row}};
    list_.inputs = {row};
    kernels_ = {{.name = "k", .scalars = {n_.symbol()}, .buffers = {{row}, {row, true}}}};
  }

  KernelLaunch& kernel() { return std::get<KernelLaunch>(list_.launches[1].work); }

  /// Adds a kernel that works on tiles of what the library writes, and of z.
  EpilogueLaunch& add_epilogue() {
    const TensorType square = contiguous_type(DType::f32, {n_, 1});
    const TensorType tile{DType::f32, {}, {n_, m_}, {k_, 1}, 0};
    kernels_.push_back({.name = "tile",
                        .scalars = {n_.symbol(), m_.symbol(), k_.symbol()},
                        .buffers = {{tile}, {tile, true}}});
    list_.launches[0].accesses.push_back({{2, 0}, 4 * n_, true});
    return library().epilogue.emplace(
        EpilogueLaunch{.kernel = 1,
                       .buffers = {TensorSlot{{1, 0}, square}, TensorSlot{{2, 0}, square}},
                       .scalars = {n_, m_, k_},
                       .rows = n_,
                       .columns = m_,
                       .row_strides = {k_, k_}});
  }

  LibraryLaunch& library() { return std::get<LibraryLaunch>(list_.launches[0].work); }

  TensorSlot& argument() { return std::get<TensorSlot>(library().arguments[0]); }

  /// True if sizes decide; throws Error for what is wrong for all.
  bool is_asserted(const std::function<void()>& change) {
    const LaunchList before = list_;
    change();
    add_bounds(list_, kernels_);
    const bool is_asserted = !list_.assertions.empty();
    list_ = before;
    return is_asserted;
  }

  void expect_refused(const std::function<void()>& change, const char* text) {
    const LaunchList before = list_;
    try {
      is_asserted(change);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
    list_ = before;
  }

  ExprPool pool_;
  Expr n_ = pool_.add_symbol({.name = "n", .range = {1, 64}});
  Expr m_ = pool_.add_symbol({.name = "m", .range = {0, 64}});
  Expr k_ = pool_.add_symbol({.name = "k", .range = {0, 64}});
  LaunchList list_;
  std::vector<KernelCode> kernels_;
};

TEST_F(ListBounds, NeedNoChecksWhereAllSizesAreInside) {
  EXPECT_FALSE(is_asserted([] {}));
  EXPECT_FALSE(is_asserted([&] { argument().type.strides[0] = 0; }));
}

TEST_F(ListBounds, AreAssertedWhereSizesDecide) {
  EXPECT_TRUE(is_asserted([&] { argument().type.sizes[0] = m_; }));
  EXPECT_TRUE(is_asserted([&] { argument().type.strides[0] = 2; })) << "one element lies inside";
  EXPECT_TRUE(is_asserted([&] { list_.arena_bytes = 8 * n_; }));
  EXPECT_TRUE(is_asserted([&] { list_.launches[0].accesses[0].bytes = 8 * m_; }));
  is_asserted([&] {
    argument().type.sizes[0] = m_;
    add_bounds(list_, kernels_);
    ASSERT_EQ(list_.assertions.size(), 1U);
    EXPECT_THAT(list_.assertions[0].message, HasSubstr("must end in its storage"));
    Bindings sizes;
    sizes.set(n_.symbol(), 3);
    for (const int64_t m : {0, 3, 4}) {
      sizes.set(m_.symbol(), m);
      EXPECT_EQ(evaluate_boolean(list_.assertions[0].condition, sizes), m <= 3) << m;
    }
  });
}

TEST_F(ListBounds, RefuseWhatIsOutsideForAllSizes) {
  expect_refused([&] { argument().slot.offset = -4; }, "must begin in its storage");
  expect_refused([&] { argument().slot.offset = 1 << 20; }, "must end in its storage");
  expect_refused([&] { argument().type.sizes[0] = -1; }, "sizes of 0 or more");
  expect_refused([&] { argument().type.strides[0] = -1; }, "strides of 0 or more");
  expect_refused([&] { argument().type.strides.clear(); }, "a stride for each size");
  expect_refused([&] { list_.inputs[0]->strides.clear(); }, "an input must have a stride");
  expect_refused([&] { std::get<TensorSlot>(list_.outputs[0]).slot.offset = 1 << 20; },
                 "output 0 must end in its storage");
  expect_refused([&] { list_.storages[1].offset = -64; }, "must begin in the arena");
  expect_refused([&] { list_.arena_bytes = 0; }, "must end in the arena");
  expect_refused([&] { list_.has_layouts = true; }, "must have a block of the arena");
  expect_refused(
      [&] {
        argument().type.sizes = {INT64_MAX, INT64_MAX};
        argument().type.strides = {INT64_MAX, 1};
      },
      "must have places that are numbers");
  expect_refused(
      [&] {
        list_.launches[1].work = CopyLaunch{{2, 0}, {0, 0}, 512};
      },
      "must end in its storage");
}

TEST_F(ListBounds, RefuseKernelsThatAreGivenOtherThingsThanTheyTake) {
  expect_refused([&] { kernel().buffers.pop_back(); }, "as many buffers as its kernel takes: 1");
  expect_refused([&] { kernel().buffers.push_back({0, 0}); }, "instead of 2");
  expect_refused([&] { kernel().scalars[0] = 4 * n_; }, "must pass the numbers of its kernel");
  expect_refused([&] { kernel().buffers[0].offset = -8; }, "launch 1");
  expect_refused([&] { kernel().buffers[0].storage = 0; }, "must access the memory of its buffers");
  expect_refused([&] { list_.launches[1].accesses[1].is_write = false; },
                 "must access the memory of its buffers");
  expect_refused([&] { kernels_[0].buffers[0].type.sizes[0] = 1 << 20; },
                 "must end in its storage");
  kernels_[0].buffers[0].type.sizes[0] = n_;
  expect_refused([&] { list_.storages[2].kind = StorageKind::weight; },
                 "launch 1 () must not write to weights");
  expect_refused([&] { list_.storages[1].kind = StorageKind::weight; },
                 "launch 0 () must not write to weights");
}

TEST_F(ListBounds, RefuseEpiloguesOfOtherMemoryThanTheResults) {
  const auto refuse = [&](const std::function<void(EpilogueLaunch&)>& change, const char* text) {
    const size_t count = kernels_.size();
    expect_refused([&] { change(add_epilogue()); }, text);
    kernels_.resize(count);
  };
  EXPECT_FALSE(is_asserted([&] { add_epilogue(); }));
  kernels_.pop_back();
  refuse([](EpilogueLaunch& work) { work.buffers.pop_back(); }, "as many buffers as its kernel");
  refuse([](EpilogueLaunch& work) { work.row_strides.clear(); }, "an epilogue with rows");
  refuse([](EpilogueLaunch& work) { std::swap(work.rows, work.columns); }, "those of its kernel");
  refuse([](EpilogueLaunch& work) { work.buffers[1].type.sizes[0] = 1; }, "those of its kernel");
  refuse([](EpilogueLaunch& work) { work.buffers[1].type.dtype = DType::f64; },
         "must end in its storage");
  refuse([](EpilogueLaunch& work) { std::swap(work.buffers[0], work.buffers[1]); },
         "must have an epilogue of its result");
  refuse([&](EpilogueLaunch& /*work*/) { library().results[0].type.sizes[0] = 65; },
         "must end in its storage");
}

}  // namespace
}  // namespace litz::artifact

#include "passes/bucketing/merge.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/verifier.h"
#include "ops/op_table.h"

namespace litz::passes {
namespace {

constexpr const char* kReductions = R"(
graph @main(%x: f32[3], %y: f32[2, 2]) -> (f32[3], f32[2, 2], f32[3]) {
  %s0 = _c10d_functional.all_reduce(%x, "sum", "0")
  %a = aten.neg(%x)
  %s1 = _c10d_functional.all_reduce(%y, "sum", "0")
  %b = aten.neg(%a)
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1, %b
})";

class Merge : public ::testing::Test {
 protected:
  SelectedBucket bucket() {
    SelectedBucket bucket;
    for (ir::Node* start : graph_.in_order("_c10d_functional.all_reduce")) {
      bucket.members.push_back(bucket_member(start));
    }
    return bucket;
  }

  std::unique_ptr<ir::Module> module_ = ir::read_module(kReductions, ops::standard_ops());
  ir::Graph& graph_ = *module_->find_graph("main");
};

TEST_F(Merge, StartsUsuallyWhereTheLastMemberDid) {
  const BucketPlace place = usual_place(bucket());
  EXPECT_EQ(std::string(place.start->output().name()), "b");
  EXPECT_EQ(std::string(place.wait->output().name()), "w0");
}

TEST_F(Merge, NewNodesAreWhereTheyShould) {
  ir::Node* const first = graph_.first();
  const MergedBucket merged = merge_bucket(graph_, bucket(), Bucketed::all_reduce,
                                           BucketMode::plain, {first, graph_.return_node()});
  ir::verify(*module_);
  ASSERT_EQ(merged.waits.size(), 1u);
  EXPECT_TRUE(merged.start->is_before(*graph_.in_order("aten.neg")[0]));
  EXPECT_TRUE(graph_.in_order("aten.neg")[1]->is_before(*merged.waits[0]));
  EXPECT_EQ(graph_.in_order("_c10d_functional.all_reduce").size(), 1u);
}

}  // namespace
}  // namespace litz::passes

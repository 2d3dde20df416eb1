#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

class ArgumentBinding : public ::testing::Test {
 protected:
  std::string error(std::string_view op, std::vector<Argument> arguments) {
    try {
      graph.create_typed(*module.ops().find(op), std::move(arguments), {});
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  }

  Node* typed(std::string_view op, std::vector<Argument> arguments) {
    return graph.create_typed(*module.ops().find(op), std::move(arguments), {});
  }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2, 3}));
  Value n = graph.add_input("n", ScalarType{ExprDomain::integer, 4});
};

TEST_F(ArgumentBinding, MissingArgumentsTakeDefaults) {
  const Node* add = graph.create("aten.add.Tensor", {x, x});
  EXPECT_EQ(add->scalar("alpha"), Expr(1));
  const Node* pool = typed("aten.avg_pool2d", {x, Scalars{3}});
  EXPECT_EQ(pool->ints("kernel_size"), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(pool->ints("stride"), std::vector<int64_t>{});
  EXPECT_EQ(pool->ints("padding"), (std::vector<int64_t>{0, 0}));
  const Node* explicit_none = graph.create("aten.add.Tensor", {x, x, Argument()});
  EXPECT_EQ(explicit_none->scalar("alpha"), Expr(1));
}

TEST_F(ArgumentBinding, TensorSlotsTakeWeakScalars) {
  EXPECT_EQ(error("aten.add.Tensor", {x, 1}), "");
  EXPECT_EQ(error("aten.add.Tensor", {x, Expr::real(0.5)}), "");
  EXPECT_EQ(error("aten.add.Tensor", {x, Attribute(std::complex<double>(1, 2))}), "");
  EXPECT_EQ(error("aten.add.Tensor", {x, n}), "");
  EXPECT_THAT(error("aten.add.Tensor", {x, std::string("one")}),
              HasSubstr("takes Tensor as other but was given \"one\""));
}

TEST_F(ArgumentBinding, ScalarsConvertWithoutLoss) {
  const Node* node = typed("test.attributes", {{}, {}, Expr::real(2), 3, Scalars{1}});
  EXPECT_EQ(node->scalar("f"), Expr::real(3));
  EXPECT_EQ(std::get<Scalars>(node->argument("fs").attribute()), Scalars{Expr::real(1)});
  EXPECT_THAT(
      error("test.attributes", {{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, Expr::real(1)}),
      HasSubstr("takes int as n"));
}

TEST_F(ArgumentBinding, ListsKeepTheirKind) {
  const Node* index = typed("aten.index.Tensor", {x, std::vector<Value>{Value(), x}});
  EXPECT_EQ(index->input_count(), 2u);
  EXPECT_FALSE(index->argument("indices").values()[0]);
  EXPECT_THAT(error("aten.cat", {std::vector<Value>{Value(), x}}), HasSubstr("Tensor[]"));
  EXPECT_TRUE(typed("aten.cat", {Scalars{}})->argument("tensors").is_value_list());
}

TEST_F(ArgumentBinding, ListsHaveTheirLengths) {
  const auto pool = [&](Scalars size) {
    return std::vector<Argument>{x, Attribute(std::move(size))};
  };
  EXPECT_EQ(typed("aten.avg_pool2d", pool({2}))->argument("kernel_size").attribute(),
            Attribute(Scalars{2, 2}));
  EXPECT_THAT(error("aten.avg_pool2d", pool({2, 2, 2})), HasSubstr("kernel_size"));
}

TEST_F(ArgumentBinding, RefusesWrongCalls) {
  EXPECT_THAT(error("aten.relu", {}), HasSubstr("aten.relu needs self"));
  EXPECT_THAT(error("aten.relu", {x, x}), HasSubstr("takes 1 but was given 2"));
  EXPECT_THAT(error("aten.permute", {x, std::vector<Value>{x}}), HasSubstr("int[]"));
  EXPECT_THROW(graph.create("aten.rel", {x}), Error);
  EXPECT_THROW(graph.create("aten.index.Tensor", {x, std::vector<Value>{x}}), Error);
}

TEST_F(ArgumentBinding, OperandsMustBelongToTheGraph) {
  Graph& other = module.add_graph("other");
  const Value foreign = other.add_input("y", f32({2, 3}));
  EXPECT_THROW(graph.create("aten.relu", {foreign}), InternalError);
  EXPECT_THROW(graph.create("aten.relu", {Value()}), InternalError);
}

}  // namespace
}  // namespace litz::ir

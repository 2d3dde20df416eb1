#include "artifact/expr_table.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::artifact {
namespace {

TEST(ExprTable, GivesTheSameExpressions) {
  ExprPool pool;
  const Expr s = pool.add_symbol({.name = "s0", .range = {2, 100}, .hint = 7});
  const Expr z = pool.add_symbol({.name = "zf0", .kind = SymbolKind::real_input, .range = {}});
  const std::vector<Expr> exprs{3,
                                Expr::real(0.5),
                                Expr::boolean(true),
                                s,
                                z,
                                2 * s + 1,
                                floor_div(s + 3, 4) * mod(s, 5),
                                where(lt(s, 9), s, 9),
                                z * Expr::real(2),
                                max(s, 12)};
  ExprTableWriter writer;
  ByteWriter body;
  for (const Expr expr : exprs) writer.write(body, expr);
  const std::vector<std::byte> table_bytes = writer.take();
  ByteReader table_in(table_bytes, "a table");
  const ExprTable table(table_in);
  EXPECT_TRUE(table_in.at_end());
  EXPECT_EQ(table.pool()->symbol(table.symbol(0)).name, "s0");
  EXPECT_EQ(table.pool()->symbol(table.symbol(0)).hint, 7);
  const std::vector<std::byte> bytes = body.take();
  ByteReader in(bytes, "a body");
  for (const Expr expr : exprs) EXPECT_EQ(to_string(table.read(in)), to_string(expr));
}

TEST(ExprTable, NothingElseIsRead) {
  const auto refuses = [](const std::vector<std::byte>& bytes) {
    ByteReader in(bytes, "a table");
    EXPECT_THROW(ExprTable{in}, Error);
  };
  refuses({});
  ByteWriter many;
  many.number<uint64_t>(1'000'000);
  refuses(many.take());
  ByteWriter unknown;  // A node of a kind that there is not.
  unknown.number<uint64_t>(0);
  unknown.number<uint64_t>(1);
  unknown.number<uint8_t>(250);
  refuses(unknown.take());
  ByteWriter later;  // An operand that comes after its node.
  later.number<uint64_t>(0);
  later.number<uint64_t>(1);
  later.number(static_cast<uint8_t>(ExprKind::add));
  later.number<uint64_t>(1);
  later.number<uint8_t>(3);
  later.number<uint32_t>(0);
  refuses(later.take());
}

}  // namespace
}  // namespace litz::artifact

// Functions that are traced inside of others, and what outlives a trace.

#include <litz/compile.h>
#include <litz/index.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tracing, CallsOfCompiledFunctionsJoinTheProgram) {
  const auto inner = compile([](const Tensor& x) { return x + 1; });
  const auto outer = compile([&](const Tensor& x) { return inner(inner(x)) * 2; });
  EXPECT_THAT(values(outer(row({1}))), ElementsAre(6));
  EXPECT_EQ(inner.program_count(), 0U);
}

TEST(Tracing, ReadingATracedValueIsAnError) {
  const auto function = compile([](const Tensor& x) { return x.item<float>() > 0 ? x : neg(x); },
                                {.full_graph = true});
  try {
    function(row({1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("return the tensor"));
  }
  Tensor kept;
  compile([&](const Tensor& x) { return kept = x + 1; })(row({1}));
  EXPECT_THROW(kept + 1, Error);
}

}  // namespace
}  // namespace litz

#include "support/markup.h"

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(Markup, EscapesWhatIsReserved) {
  EXPECT_EQ(escaped_markup("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(escaped_markup("line\none"), "line\none");
}

TEST(Markup, ReplacesWhatNoDocumentMayHold) {
  EXPECT_EQ(escaped_markup(std::string("a\0b\x01", 4)), "a?b?");
  EXPECT_EQ(escaped_markup("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(escaped_markup("\xc3"), "?");
}

}  // namespace
}  // namespace litz

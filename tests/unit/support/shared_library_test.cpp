#include "support/shared_library.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SharedLibrary, OpensTheFirstThatIsThere) {
  const std::vector<std::string> files{"libnone-such.so.7", "libm.so.6", "libc.so.6"};
  const SharedLibrary library(files);
  ASSERT_TRUE(library.is_open());
  EXPECT_EQ(library.file(), "libm.so.6");
  EXPECT_NE(library.find("cos"), nullptr);
  EXPECT_EQ(library.find("no_such_function"), nullptr);
  double (*cosine)(double) = nullptr;
  library.bind(cosine, "cos", "mathematics:");
  EXPECT_EQ(cosine(0), 1);
  EXPECT_THROW(library.bind(cosine, "no_such_function", "mathematics:"), Error);
}

TEST(SharedLibrary, SaysWhyNoneOpened) {
  const std::vector<std::string> files{"libnone-such.so.7"};
  const SharedLibrary library(files);
  EXPECT_FALSE(library.is_open());
  EXPECT_EQ(library.find("cos"), nullptr);
  EXPECT_THAT(library.failures(), HasSubstr("libnone-such.so.7"));
}

TEST(SharedLibrary, LibrariesOfTheToolkitAreLookedForInListedFolders) {
  ::setenv("LITZ_CUDA_LIBRARIES", "/one:/two", 1);
  const std::vector<std::string> files = cuda_library_files("LITZ_NONE_SUCH", {"libx.so"});
  EXPECT_EQ(files[0], "libx.so");
  EXPECT_THAT(files, Contains("/one/libx.so"));
  EXPECT_THAT(files, Contains("/two/libx.so"));
  ::unsetenv("LITZ_CUDA_LIBRARIES");
  ::setenv("LITZ_NONE_SUCH", "/own/liby.so", 1);
  EXPECT_THAT(cuda_library_files("LITZ_NONE_SUCH", {"libx.so"}), ElementsAre("/own/liby.so"));
  ::unsetenv("LITZ_NONE_SUCH");
}

}  // namespace
}  // namespace litz

#include "support/zip_directory.h"

#include <gtest/gtest.h>

#include "raw_zip.h"
#include "support/check.h"

namespace litz::zip {
namespace {

// The rules themselves are tested through ZipReader; this sweeps what nobody thought of.
TEST(ZipDirectory, SurvivesEverySingleByteChange) {
  const std::string archive = testing_support::small_archive().build();
  size_t accepted = 0;
  for (size_t at = 0; at < archive.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bent = archive;
      bent[at] = static_cast<char>(bent[at] ^ change);
      try {
        const Directory directory = read_directory(std::as_bytes(std::span(bent)), "bent", {});
        for (const ZipEntry& entry : directory.files) {
          ASSERT_LE(entry.data_offset + entry.compressed_size, bent.size());
        }
        ++accepted;
      } catch (const InternalError& error) {
        FAIL() << "byte " << at << ": " << error.what();
      } catch (const Error&) {
      }
    }
  }
  EXPECT_GT(accepted, 0u);  // Changes of payload bytes and of ignored fields.
}

TEST(ZipDirectory, NamesAreChecked) {
  EXPECT_NO_THROW(require_safe_name("a/b.c", "x", {}));
  EXPECT_THROW(require_safe_name("a/../b", "x", {}), Error);
}

}  // namespace
}  // namespace litz::zip

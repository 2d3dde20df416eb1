#include "distributed/mpi/mpi_library.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::distributed::mpi {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(MpiLibrary, IsFoundOrTheReasonIsTold) {
  const MpiSearch& found = find_mpi();
  if (found.functions == nullptr) {
    EXPECT_THAT(found.reason, HasSubstr("liblitz_mpi.so"));
    EXPECT_THAT(describe_mpi(), StartsWith("none ("));
  } else {
    EXPECT_EQ(found.functions->version, kTableVersion);
    EXPECT_THAT(found.reason, IsEmpty());
    EXPECT_THAT(describe_mpi(), AnyOf(HasSubstr("MPI"), HasSubstr("MPICH")));
  }
}

TEST(MpiLibrary, CountsTheProcessesThatWereLaunched) {
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
  ::unsetenv("PMI_SIZE");
  EXPECT_EQ(launched_processes(), 0);
  ::setenv("PMI_SIZE", "3", 1);
  EXPECT_EQ(launched_processes(), 3);
  ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_EQ(launched_processes(), 4);
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
  ::unsetenv("PMI_SIZE");
}

}  // namespace
}  // namespace litz::distributed::mpi

#include "distributed/mpi/mpi_library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include "support/shared_library.h"
#include "support/text.h"

namespace litz::distributed::mpi {
namespace {

constexpr const char* kName = "liblitz_mpi.so";

/// The folder of the program or library that holds this code, with a slash; empty if unknown.
std::string own_folder() {
  static const int kHere = 0;
  Dl_info info = {};
  if (::dladdr(&kHere, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string file(info.dli_fname);
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::vector<std::string> files() {
  if (const char* const own = std::getenv("LITZ_MPI")) return {own};
  std::vector<std::string> files;
  if (const std::string folder = own_folder(); !folder.empty()) {
    files.push_back(folder + kName);
    files.push_back(folder + "../lib/" + kName);
  }
  files.emplace_back(kName);
  return files;
}

MpiSearch search() {
  // Stays open: MPI ends with the process.
  static const SharedLibrary kLibrary(files());
  if (!kLibrary.is_open()) {
    return {nullptr, std::string(kName) +
                         " could not be opened; it is built where MPI's headers are "
                         "(libopenmpi-dev), and needs MPI itself (openmpi-bin): " +
                         kLibrary.failures()};
  }
  const auto functions =
      reinterpret_cast<const MpiFunctions* (*)()>(kLibrary.find("litz_mpi_functions"));
  if (functions == nullptr || functions()->version != kTableVersion) {
    return {nullptr, kLibrary.file() + " belongs to another build of Litz"};
  }
  return {functions(), ""};
}

}  // namespace

const MpiSearch& find_mpi() {
  static const MpiSearch kFound = search();
  return kFound;
}

std::string describe_mpi() {
  const MpiSearch& found = find_mpi();
  if (found.functions != nullptr) return found.functions->describe();
  return "none (" + found.reason.substr(0, found.reason.find('\n')) + ")";
}

int launched_processes() {
  // Open MPI, MPICH and Slurm.
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const text = std::getenv(name);
    if (text != nullptr) return static_cast<int>(parse_int(text).value_or(0));
  }
  return 0;
}

}  // namespace litz::distributed::mpi

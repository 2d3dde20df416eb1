// litz-check: runs .ir test files.
//
//   litz-check [--print] FILE...
//   litz-check --minimize FILE      prints the smallest file that fails alike
//
// Exit status 0 when every file holds, 1 when one does not, 2 for wrong usage.

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ops/op_table.h"
#include "test_file.h"

namespace {

bool read_file(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}

// True if the file has no failures.
bool check_file(const std::string& path, const std::shared_ptr<const litz::ir::OpSet>& ops,
                bool print) {
  std::string text;
  std::string printed;
  std::vector<std::string> failures;
  if (!read_file(path, text)) {
    failures.emplace_back("the file cannot be read");
  } else {
    try {
      failures = litz::check_tool::failures(text, ops, printed);
    } catch (const std::exception& error) {
      failures.emplace_back(error.what());
    }
  }
  for (const std::string& failure : failures) {
    std::fprintf(stderr, "%s:%s%s\n", path.c_str(),
                 !failure.empty() && failure[0] >= '0' && failure[0] <= '9' ? "" : " ",
                 failure.c_str());
  }
  if (print) std::fputs(printed.c_str(), stdout);
  return failures.empty();
}

// True if a smaller file was printed.
bool minimize_file(const std::string& path, const std::shared_ptr<const litz::ir::OpSet>& ops) {
  std::string text;
  if (!read_file(path, text)) {
    std::fprintf(stderr, "%s: the file cannot be read\n", path.c_str());
    return false;
  }
  try {
    std::fputs(litz::check_tool::minimized(text, ops).c_str(), stdout);
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), error.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  const bool print = std::erase(files, "--print") > 0;
  const bool minimize = std::erase(files, "--minimize") > 0;
  if (files.empty() || files.front().starts_with("-") || (minimize && files.size() > 1)) {
    std::fputs("usage: litz-check [--print] FILE...\n       litz-check --minimize FILE\n", stderr);
    return 2;
  }
  const std::shared_ptr<const litz::ir::OpSet> ops = litz::ops::standard_ops();
  if (minimize) return minimize_file(files[0], ops) ? 0 : 1;
  size_t failed = 0;
  for (const std::string& file : files) failed += check_file(file, ops, print) ? 0 : 1;
  if (failed > 0) std::fprintf(stderr, "%zu of %zu files failed\n", failed, files.size());
  return failed > 0 ? 1 : 0;
}

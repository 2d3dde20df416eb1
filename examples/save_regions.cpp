// Compiles the regions that a program's annotations mark, saves each to a file, and loads them again.
//
//   save_regions model.pt2 PREFIX        writes PREFIX0.litz, PREFIX1.litz, ...

#include <cstdio>
#include <litz/litz.h>
#include <string>

namespace {

int fail(const litz::Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: save_regions MODEL.pt2 PREFIX\n");
    return 2;
  }
  litz::Options options;
  options.regional = true;
  litz::Result<litz::Executable> program = litz::load(argv[1], options);
  if (!program) return fail(program.error());
  for (size_t i = 0; i < program->region_count(); ++i) {
    const std::string path = argv[2] + std::to_string(i) + ".litz";
    litz::Result<litz::Executable> region = program->region(i);
    if (!region) return fail(region.error());
    litz::Result<size_t> size = region->save(path);
    if (!size) return fail(size.error());
    litz::Result<litz::Executable> again = litz::load_compiled(path);
    if (!again) return fail(again.error());
    std::printf("%s: %zu bytes, takes", path.c_str(), *size);
    for (const std::string& name : again->input_names()) std::printf(" %s", name.c_str());
    std::printf("\n");
  }
  return 0;
}

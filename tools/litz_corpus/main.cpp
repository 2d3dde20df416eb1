// litz-corpus: runs recorded programs and compares every result with PyTorch's.
//
//   litz-corpus ops|models|extras|versions|reports|calls|grads DIR [--executor cpu|interpreter|sim|cuda]
//               [--only PATTERN] [--jobs N] [--json FILE] [--known FILE] [--corrected DIR]
//               [--test-mode poison,access,order=SEED,fault]
//   litz-corpus list-calls
//
// Ends with "N right, N wrong, N refused, N crashed"; the exit status is 0 when every program is
// right and every inferred type is the recorded one, except what the --known file lists.

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include <CLI/CLI.hpp>

#include "litz_corpus/known_failures.h"
#include "litz_corpus/op_call.h"
#include "litz_corpus/recorded_case.h"
#include "litz_corpus/resize.h"
#include "litz_corpus/run_program.h"
#include "litz_corpus/workers.h"
#include "machine/cpu_targets.h"
#include "machine/executors.h"
#include "runtime/placement.h"
#include "support/check.h"
#include "support/json.h"
#include "support/json_writer.h"
#include "support/progress.h"
#include "support/text.h"

namespace litz::corpus {
namespace {

/// A card's context takes a tenth of a second, and more if several are made at a time.
constexpr int kJobsPerContext = 50;

struct Settings {
  std::string corpus;
  std::string folder;
  std::string executor = "cpu";
  bool cuda_graphs = false;
  std::string target = "host";
  std::string test_modes;
  int threads = 1;
  std::string only;
  int every = 1;
  std::string json;
  std::vector<std::string> known;
  std::string corrected;
  int jobs = 1;
  double limit_s = 600;
  bool list_types = false;
  bool resize = false;
  bool reparse = false;
  bool all_samples = false;
  bool no_passes = false;
  bool no_fusion = false;
};

std::string to_json(const RecordedProgram& program, const Verdict& verdict) {
  JsonWriter out;
  out.begin_object()
      .member("case", program.name)
      .member("verdict", name(verdict.outcome))
      .member("error", verdict.error)
      .member("seconds", verdict.seconds)
      .member("random", verdict.random)
      .member("types", verdict.types)
      .member("reason", verdict.reason);
  out.key("type_differences").begin_array();
  for (const std::string& text : verdict.type_differences) out.value(text);
  return out.end_array().end_object().take();
}

// Sample calls of the table without a recording, or with a recording of another table.
std::vector<std::string> unrecorded(const std::vector<RecordedProgram>& programs,
                                    const KnownFailures& known) {
  std::set<std::string, std::less<>> recorded;
  for (const RecordedProgram& program : programs) recorded.insert(program.name);
  std::vector<std::string> unexpected;
  for (const std::string& name_of_case : sample_cases()) {
    const bool is_missing = recorded.erase(name_of_case) == 0;
    if (is_missing == known.contains(KnownFailures::kUnrecorded, name_of_case)) continue;
    unexpected.push_back(name_of_case + (is_missing ? ": not recorded" : ": recorded now"));
  }
  for (const std::string& name_of_case : recorded) {
    unexpected.push_back(name_of_case + ": recorded, and no sample");
  }
  return unexpected;
}

struct Tally {
  std::array<int, 4> outcomes{};
  int random = 0;
  int corrected = 0;
  int64_t types = 0;
  int64_t type_differences = 0;
  std::map<std::string, int> reasons;   // Why programs were refused, by first line.
  std::vector<std::string> unexpected;  // Failures that are not known, known ones that are over.
};

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

void count(Tally& tally, const JsonValue& line, const KnownFailures& known) {
  const std::string_view verdict = line.at("verdict").as_string();
  const std::string name_of_case(line.at("case").as_string());
  const auto compare = [&](std::string_view failure, bool fails) {
    if (fails == known.contains(failure, name_of_case)) return;
    const std::string_view what = fails ? ": not known to be " : ": no longer ";
    tally.unexpected.push_back(name_of_case + std::string(what) + std::string(failure));
  };
  for (int i = 0; i < 4; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const bool is_it = verdict == name(outcome);
    if (is_it) ++tally.outcomes[static_cast<size_t>(i)];
    if (outcome != Outcome::right) compare(name(outcome), is_it);
  }
  const auto differences = static_cast<int64_t>(line.at("type_differences").size());
  compare(KnownFailures::kTypes, differences > 0);
  tally.random += line.at("random").as_bool() ? 1 : 0;
  tally.types += line.at("types").as_int();
  tally.type_differences += differences;
  if (verdict == "refused") ++tally.reasons[first_line(line.at("reason").as_string())];
}

void print_line(const JsonValue& line, bool list_types) {
  const std::string_view verdict = line.at("verdict").as_string();
  if (verdict != "right") {
    std::printf("%-8s %s: %s\n", std::string(verdict).c_str(),
                std::string(line.at("case").as_string()).c_str(),
                std::string(line.at("reason").as_string()).c_str());
  }
  if (!list_types) return;
  for (const JsonValue& text : line.at("type_differences").as_array()) {
    std::printf("type     %s: %s\n", std::string(line.at("case").as_string()).c_str(),
                std::string(text.as_string()).c_str());
  }
}

void print_summary(const Tally& tally) {
  std::vector<std::pair<int, std::string>> reasons;
  for (const auto& [text, times] : tally.reasons) reasons.emplace_back(times, text);
  std::sort(reasons.rbegin(), reasons.rend());
  if (!reasons.empty()) std::printf("\nRefused because:\n");
  constexpr size_t kMostReasons = 25;
  for (size_t i = 0; i < reasons.size() && i < kMostReasons; ++i) {
    std::printf("%6d  %s\n", reasons[i].first, reasons[i].second.c_str());
  }
  std::printf("\n%lld inferred types compared with the recorded ones, %lld differ\n",
              static_cast<long long>(tally.types), static_cast<long long>(tally.type_differences));
  if (tally.random > 0) {
    std::printf(
        "%d programs return random numbers or uninitialised memory: only dtypes and sizes of "
        "those results were compared\n",
        tally.random);
  }
  if (tally.corrected > 0) {
    std::printf("%d programs have recorded results that are wrong: corrected ones were compared\n",
                tally.corrected);
  }
  for (const std::string& name_of_case : tally.unexpected) {
    std::printf("unexpected: %s\n", name_of_case.c_str());
  }
  std::printf("%d right, %d wrong, %d refused, %d crashed\n", tally.outcomes[0], tally.outcomes[1],
              tally.outcomes[2], tally.outcomes[3]);
}

int run(const Settings& settings) {
  const std::optional<Corpus> corpus = parse_corpus(settings.corpus);
  require(corpus.has_value(),
          "the corpus must be ops, models, extras, versions, reports, calls or grads, got",
          settings.corpus);
  std::vector<RecordedProgram> programs = list_programs(*corpus, settings.folder);
  if (!settings.corrected.empty()) add_corrections(programs, settings.folder, settings.corrected);
  const KnownFailures known = KnownFailures::read(settings.known);
  Tally tally;
  if (settings.all_samples) tally.unexpected = unrecorded(programs, known);
  std::erase_if(programs, [&](const RecordedProgram& program) {
    return program.name.find(settings.only) == std::string::npos;
  });
  int number = 0;
  std::erase_if(programs, [&](const RecordedProgram&) { return number++ % settings.every != 0; });
  require(!programs.empty(), ErrorCode::not_found, "no program matches", settings.only);
  tally.corrected = static_cast<int>(std::ranges::count_if(
      programs, [](const RecordedProgram& program) { return !program.corrections.empty(); }));

  std::ofstream json;
  if (!settings.json.empty()) {
    json.open(settings.json);
    require(json.is_open(), ErrorCode::io, "cannot write", settings.json);
  }
  Progress progress("running", programs.size());
  RunOptions run_options{.reparse = settings.reparse};
  compiler::Options& options = run_options.compile;
  if (settings.executor == "sim") {
    options.device = Device{DeviceKind::sim, 0};
  } else if (settings.executor == "cuda") {
    options.device = Device{DeviceKind::cuda, 0};
    options.use_cache = true;  // Programs run in processes of their own, and share many kernels.
  } else {
    options.executor = compiler::parse_executor(settings.executor);
  }
  options.cuda_graphs = settings.cuda_graphs;
  options.threads = settings.threads;
  options.target = settings.target;
  options.verify = true;
  options.optimize = !settings.no_passes;
  options.fuse = !settings.no_fusion;
  // Others were recorded without checking guards, some for inputs that a guard excludes.
  options.enforce_guards = *corpus == Corpus::reports;
  options.passes.run_twice = true;
  if (!settings.test_modes.empty()) {
    options.test_modes = runtime::parse_test_modes(settings.test_modes);
  }
  const bool is_on_card = settings.executor == "cuda";
  run_in_children(
      static_cast<int>(programs.size()),
      {.children = settings.jobs,
       .jobs = is_on_card ? kJobsPerContext : 1,
       .seconds = settings.limit_s},
      [&](int job) {
        // Programs of one process share the card's context while a device lives.
        static const auto card =
            is_on_card ? runtime::make_device(options.device, nullptr) : nullptr;
        const RecordedProgram& program = programs[static_cast<size_t>(job)];
        return to_json(program, settings.resize ? run_at_other_sizes(program, options)
                                                : run_program(program, run_options));
      },
      [&](int job, std::string text, std::string failure) {
        const RecordedProgram& program = programs[static_cast<size_t>(job)];
        if (!failure.empty() || text.empty()) {
          Verdict verdict{.outcome = Outcome::crashed, .reason = std::move(failure)};
          text = to_json(program, verdict);
        }
        const JsonDocument line = JsonDocument::parse(text, program.name);
        count(tally, line.root(), known);
        print_line(line.root(), settings.list_types);
        if (json.is_open()) json << text << "\n";
        progress.advance();
      });
  print_summary(tally);
  return tally.unexpected.empty() ? 0 : 1;
}

}  // namespace
}  // namespace litz::corpus

int main(int argc, char** argv) {
  CLI::App app{"Runs recorded programs and compares every result with PyTorch's."};
  litz::corpus::Settings settings;
  app.add_option(
         "corpus", settings.corpus,
         "ops, models, extras, versions, reports, calls or grads; or list-calls, which prints a "
         "line of JSON for every sample call of every operator")
      ->required();
  app.add_option("dir", settings.folder, "unpacked folder with manifest.jsonl");
  app.add_option("--executor", settings.executor,
                 litz::machine::executor_list() +
                     ", sim (compiled, on a simulated device), cuda (on an NVIDIA card)");
  app.add_flag("--cudagraphs", settings.cuda_graphs, "record what a CUDA graph can hold");
  app.add_option("--threads", settings.threads, "threads of one program; 0: one a CPU")
      ->check(CLI::Range(0, 256));
  app.add_option("--target", settings.target,
                 "processor to make code for: " + litz::machine::target_list());
  app.add_option(
      "--test-mode", settings.test_modes,
      "poison, access, order[=SEED] or fault, several with commas: run in ways that show "
      "what is wrong now and then; fault fails every call at many places first");
  app.add_option("--only", settings.only, "only programs whose name contains this");
  app.add_option("--every", settings.every, "only the first of so many of these, and so on")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--jobs", settings.jobs, "programs at a time")->check(CLI::Range(1, 256));
  app.add_option("--json", settings.json, "write one line of JSON per program");
  app.add_option("--known", settings.known,
                 "file with a failure per line: wrong, refused, crashed, types or unrecorded, the "
                 "program, the "
                 "reason; other failures, and those that are over, are the error");
  app.add_option("--corrected", settings.corrected,
                 "folder with arrays that replace recorded ones which PyTorch computed wrong, in "
                 "files named as in dir");
  app.add_option("--limit", settings.limit_s, "seconds per program");
  app.add_flag("--types", settings.list_types,
               "list inferred types that differ from recorded ones");
  app.add_flag("--resize", settings.resize,
               "run dynamic programs at three other sizes, against the program fixed to each");
  app.add_flag("--reparse", settings.reparse, "calls: print each graph and read it back first");
  app.add_flag("--all-samples", settings.all_samples,
               "calls: fail unless every sample of every operator is recorded");
  app.add_flag("--no-passes", settings.no_passes, "run programs without optimising passes");
  app.add_flag("--no-fusion", settings.no_fusion, "one kernel a node");
  CLI11_PARSE(app, argc, argv);
  try {
    if (settings.corpus == "list-calls") {
      std::fputs(litz::corpus::list_calls().c_str(), stdout);
      return 0;
    }
    return litz::corpus::run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "litz-corpus: %s\n", error.what());
    return 2;
  }
}

// Runs .ir test files. See test_file.h.

#include "test_file.h"

#include <optional>

#include "compiler/backend.h"
#include "compiler/execution/run_graph.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "made_up_program.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::check_tool {
namespace {

constexpr std::string_view kExpected = ".expected";

void parse_run(std::string_view words, Directives& out) {
  for (std::string_view word : split(words, ' ')) {
    word = trim(word);
    if (word.empty()) continue;
    if (word.starts_with("--pass=")) {
      for (const std::string_view name : split(word.substr(7), ',')) out.passes.emplace_back(name);
    } else if (word == "--once") {
      out.once = true;
    } else if (word == "--strip-loc") {
      out.strip_locations = true;
    } else if (word == "--stated-types") {
      out.stated_types = true;
    } else if (word == "--program") {
      out.program = true;
    } else if (word == "--reproducer") {
      out.reproducer = true;
    } else if (word == "--same-results") {
      out.same_results = true;
    } else if (word.starts_with("--edit-limit=")) {
      const auto limit = parse_int(word.substr(13));
      require(limit && *limit >= 0, "--edit-limit= takes a number >= 0, not", std::string(word));
      out.edit_limit = static_cast<uint64_t>(*limit);
    } else {
      fail(ErrorCode::invalid_argument,
           "a run line knows --pass=, --once, --strip-loc, --stated-types, --program, "
           "--edit-limit=, --reproducer and --same-results, not",
           std::string(word));
    }
  }
}

void parse_error(std::string_view comment, size_t line, Directives& out) {
  const size_t colon = comment.find(':');
  ExpectedError error{0, std::string(trim(comment.substr(colon + 1)))};
  if (comment.starts_with("error@")) {
    const std::string_view number = comment.substr(6, colon - 6);
    const auto offset = parse_int(number.starts_with('+') ? number.substr(1) : number);
    require(offset.has_value(), "an error line looks like 'error@+1: text':", std::string(comment));
    error.line = static_cast<size_t>(static_cast<int64_t>(line) + *offset);
  }
  out.errors.push_back(std::move(error));
}

// Every diagnostic must be expected, and every expectation met.
std::vector<std::string> compare_errors(const std::vector<ir::Diagnostic>& errors,
                                        const std::vector<ExpectedError>& expected) {
  std::vector<std::string> failures;
  std::vector<bool> met(expected.size());
  for (const ir::Diagnostic& error : errors) {
    bool known = false;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expected[i].line == error.line &&
          error.message.find(expected[i].text) != std::string::npos) {
        met[i] = known = true;
      }
    }
    if (!known) failures.push_back("unexpected error\n" + error.to_string());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!met[i] && expected[i].line != 0) {
      failures.push_back(std::to_string(expected[i].line) +
                         ": expected an error here that contains: " + expected[i].text);
    }
  }
  return failures;
}

std::string round_trip_failure(const ir::Module& module,
                               const std::shared_ptr<const ir::OpSet>& ops) {
  const std::string printed = ir::to_string(module);
  const ir::ParseResult again = ir::parse_module(printed, ops);
  if (!again.ok()) return "the printed text does not parse\n" + again.errors.front().to_string();
  const std::string second = ir::to_string(*again.module);
  if (second != printed) {
    return "printing, parsing and printing must not change the text\n" + printed + "\nbecame\n" +
           second;
  }
  return "";
}

const passes::Pass& pass_named(const std::string& name) {
  const passes::Pass* pass = passes::find_pass(name);
  require(pass != nullptr, "a run line must name known passes:", name);
  return *pass;
}

void erase_expected(ir::Module& module) {
  for (ir::Graph* graph : module.graphs()) {
    if (graph->name().ends_with(kExpected)) module.erase_graph({graph->id()});
  }
}

class Runner {
 public:
  Runner(std::string_view text, std::shared_ptr<const ir::OpSet> ops)
      : text_(text), ops_(std::move(ops)), directives_(parse_directives(text)) {}

  std::vector<std::string> run(std::string& printed) {
    ir::ParseResult parsed = ir::parse_module(text_, ops_, {.max_errors = 1000});
    failures_ = compare_errors(parsed.errors, directives_.errors);
    if (!parsed.ok() || !failures_.empty()) return std::move(failures_);
    std::unique_ptr<ir::Module> actual = std::move(parsed.module);
    const std::unique_ptr<ir::Module> expected = ir::read_module(text_, ops_);
    inspect(*actual);
    if (!directives_.passes.empty()) erase_expected(*actual);
    run_passes(actual);
    printed = ir::to_string(*actual, {.locations = !directives_.strip_locations});
    compare(*actual, *expected);
    const std::string unmet = unmet_check(directives_.checks, printed);
    if (!unmet.empty()) failures_.push_back(unmet + "\nin\n" + printed);
    const bool asserts = asserted_ || directives_.reproducer || directives_.same_results ||
                         !directives_.checks.empty() || !directives_.errors.empty();
    if (!directives_.passes.empty() && !asserts) {
      failures_.emplace_back("a file that runs passes must assert something about the result");
    }
    return std::move(failures_);
  }

 private:
  void note(std::string failure) {
    if (!failure.empty()) failures_.push_back(std::move(failure));
  }

  void inspect(const ir::Module& module) {
    for (std::string& error :
         ir::verification_errors(module, {.infer_types = !directives_.stated_types}))
      note(std::move(error));
    note(round_trip_failure(module, ops_));
  }

  void run_passes(std::unique_ptr<ir::Module>& owner) {
    ir::Module& module = *owner;
    passes::PassContext context{.machine = compiler::interpreted_machine()};
    context.rewrite_limit = directives_.edit_limit;
    std::optional<ir::Program> program;
    if (directives_.program) {
      program = made_up_program(std::move(owner));
      context.program = &*program;
      context.evaluate = compiler::run_graph;
    }
    run_passes(module, context);
    if (directives_.same_results && failures_.empty()) {
      note(result_difference(text_, ops_, module, program ? &*program : nullptr));
    }
    if (program) owner = std::move(program->module);
  }

  void run_passes(ir::Module& module, passes::PassContext& context) {
    std::string message;
    try {
      for (const std::string& name : directives_.passes) {
        passes::run_pass(pass_named(name), module, context);
        inspect(module);
      }
      for (size_t i = 0; i < directives_.passes.size() && !directives_.once; ++i) {
        const bool again = passes::run_pass(pass_named(directives_.passes[i]), module, context) ==
                           passes::Changed::yes;
        if (again) note("a second run must change nothing: " + directives_.passes[i]);
      }
    } catch (const Error& error) {
      message = error.what();
    }
    compare_run_error(message);
  }

  void compare_run_error(const std::string& message) {
    bool expected = false;
    for (const ExpectedError& error : directives_.errors) {
      if (error.line != 0) continue;
      expected = true;
      if (message.find(error.text) == std::string::npos) {
        note("expected the passes to fail with: " + error.text +
             (message.empty() ? "\nbut they succeed" : "\nbut they fail with: " + message));
      }
    }
    if (!expected && !message.empty()) note("the passes fail: " + message);
  }

  void compare(const ir::Module& actual, const ir::Module& expected) {
    for (const ir::Graph* want : expected.graphs()) {
      if (!want->name().ends_with(kExpected)) continue;
      asserted_ = true;
      const std::string name = want->name().substr(0, want->name().size() - kExpected.size());
      const ir::Graph* got = actual.find_graph(name);
      if (got == nullptr) {
        note("@" + want->name() + " needs a graph @" + name + " to be compared with");
        continue;
      }
      const std::string difference = ir::structural_difference(*got, *want);
      if (!difference.empty())
        note("@" + name + ": " + difference + "\nin\n" + ir::to_string(*got));
    }
  }

  std::string_view text_;
  std::shared_ptr<const ir::OpSet> ops_;
  Directives directives_;
  std::vector<std::string> failures_;
  bool asserted_ = false;
};

}  // namespace

Directives parse_directives(std::string_view text) {
  Directives out;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view trimmed = trim(line);
    if (!trimmed.starts_with("//")) continue;
    const std::string_view comment = trim(trimmed.substr(2));
    CheckLine check;
    if (comment.starts_with("run:")) {
      parse_run(comment.substr(4), out);
    } else if (comment.starts_with("error@") || comment.starts_with("error:")) {
      parse_error(comment, number, out);
    } else if (parse_check_line(comment, number, check)) {
      out.checks.push_back(std::move(check));
    }
  }
  return out;
}

std::vector<std::string> failures(std::string_view text, std::shared_ptr<const ir::OpSet> ops,
                                  std::string& printed) {
  return Runner(text, std::move(ops)).run(printed);
}

}  // namespace litz::check_tool

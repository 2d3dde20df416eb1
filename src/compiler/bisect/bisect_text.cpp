// The result of bisecting, for people and for programs.

#include "compiler/bisect/bisect.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::compiler {
namespace {

constexpr size_t kMostLines = 12;

std::string indented(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    out += "  " + std::string(line) + "\n";
  }
  return out;
}

std::string listed(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = std::string(title) + "\n";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == kMostLines && lines.size() > i + 1) {
      return out + "  and " + std::to_string(lines.size() - i) + " more lines\n";
    }
    out += "  " + lines[i] + "\n";
  }
  return out;
}

std::string pass_text(const BisectResult& result) {
  std::string text = "wrong: pass " + result.pass + ", number " +
                     std::to_string(result.pass_number) + " of the pipeline";
  if (result.rewrite) {
    text +=
        ", rewrite " + std::to_string(*result.rewrite) + " of " + std::to_string(result.rewrites);
  }
  text += "\n" + indented(result.message);
  if (result.edit_limit) {
    text += "right with --edit-limit " + std::to_string(*result.edit_limit) + "\n";
  }
  return text + listed("before", result.lines_before) + listed("after", result.lines_after);
}

void write_lines(JsonWriter& out, const char* key, const std::vector<std::string>& lines) {
  out.key(key).begin_array();
  for (const std::string& line : lines) out.value(line);
  out.end_array();
}

}  // namespace

std::string to_text(const BisectResult& result) {
  switch (result.culprit) {
    case Culprit::none:
      return "all is right\n";
    case Culprit::reference:
      return "wrong: the program as imported, interpreted without optimising passes; an operator, "
             "a "
             "library call or what is expected\n" +
             indented(result.message);
    case Culprit::pass:
      return pass_text(result);
    case Culprit::fusion:
      return "wrong: fusion, " + (result.kernel.empty() ? "of no kernel alone" : result.kernel) +
             ", which stands for " + result.label + "\n" + indented(result.message) + result.loops;
    case Culprit::kernel:
      return "wrong: the code of kernel " + result.kernel + ", which stands for " + result.label +
             "\n" + indented(result.message) + result.loops;
    case Culprit::launches:
      return "wrong: the memory plan or the launch list, since passes, fusions and each kernel by "
             "itself are right within the tolerance\n" +
             indented(result.message);
  }
  return "";
}

std::string to_json(const BisectResult& result) {
  JsonWriter out;
  out.begin_object().member("culprit", name(result.culprit)).member("message", result.message);
  if (result.culprit == Culprit::pass) {
    out.member("pass", result.pass)
        .member("pass_number", result.pass_number)
        .member("rewrites", result.rewrites);
    if (result.rewrite) out.member("rewrite", *result.rewrite);
    if (result.edit_limit) out.member("edit_limit", *result.edit_limit);
    write_lines(out, "before", result.lines_before);
    write_lines(out, "after", result.lines_after);
  }
  if (!result.kernel.empty()) {
    out.member("kernel", result.kernel).member("label", result.label).member("loops", result.loops);
  }
  return out.end_object().take();
}

}  // namespace litz::compiler

#include "artifact/program_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "artifact/program_file.h"
#include "small_program.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

using testing::HasSubstr;

std::string text_of(const Program& program, bool with_weights = true) {
  return program_json(program, *program.symbols, "test", with_weights);
}

std::string error_of(const std::string& text) {
  try {
    read_program_json(text, "test");
  } catch (const InternalError& error) {
    return "internal";
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ProgramJson, GivesTheSameProgram) {
  const Program program = small_program();
  const std::string text = text_of(program);
  EXPECT_TRUE(is_program_json(text));
  const Program read = read_program_json(text, "test");
  EXPECT_EQ(to_string(read), to_string(program));
  EXPECT_EQ(text_of(read), text);
  EXPECT_EQ(write_program_file(read, *read.symbols, "test"),
            write_program_file(program, *program.symbols, "test"));
}

TEST(ProgramJson, IsKnownWhateverItsSpaces) {
  EXPECT_TRUE(is_program_json("{\"litz_program\":8}"));
  EXPECT_TRUE(is_program_json(" {\r\n\t\"litz_program\" : 8}"));
  for (const char* const other : {"", " ", "{", "{}", "[\"litz_program\"]", "{\"litz\": 8}"}) {
    EXPECT_FALSE(is_program_json(other)) << other;
  }
}

TEST(ProgramJson, WithoutWeightsIsToRead) {
  const std::string text = text_of(small_program(), false);
  EXPECT_THAT(text, testing::Not(HasSubstr("\"weights\"")));
  EXPECT_THAT(error_of(text), HasSubstr("must have its weights to run"));
}

TEST(ProgramJson, MistakesHaveAPlace) {
  const std::string text = text_of(small_program());
  EXPECT_THAT(error_of(replaced(text, "\"build\": \"test\"", "\"build\": \"old\"")),
              HasSubstr("made by this build"));
  EXPECT_THAT(error_of(replaced(text, "\"grain\": ", "\"grains\": ")), HasSubstr("grain"));
  EXPECT_THAT(error_of(replaced(text, "\"grain\": ", "\"more\": 1, \"grain\": ")),
              HasSubstr("program.kernels[0].phases[0] must have only the fields of its kind"));
  EXPECT_THAT(error_of(replaced(text, "\"kind\": \"parameter\"", "\"kind\": \"paramter\"")),
              HasSubstr("must be a word that is known: paramter"));
  EXPECT_THAT(error_of(replaced(text, "\"object\": \"", "\"object\": \"x")), HasSubstr("must"));
  EXPECT_THAT(error_of(text.substr(0, text.size() / 2)), HasSubstr("JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("must be an object"));
}

}  // namespace
}  // namespace litz::artifact

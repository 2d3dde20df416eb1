#include "import/pickle.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::import_ {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

PickleDocument parse(const std::string& text, bool opaque = false) {
  PickleOptions options;
  options.opaque_objects = opaque;
  options.storage = [](const std::string& key) -> std::shared_ptr<Storage> {
    return key == "7" ? nullptr : Storage::allocate(16);
  };
  return PickleDocument::parse(std::as_bytes(std::span(text.data(), text.size())), options);
}

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const InternalError& error) {
    ADD_FAILURE() << error.what();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "the pickle must be refused";
  return {};
}

// Building blocks: a pickle is a prefix, values and a STOP.
const std::string kStart = "\x80\x02";
const std::string kStop = ".";

std::string text(const std::string& value) {
  std::string length(4, '\0');
  length[0] = static_cast<char>(value.size());
  return "X" + length + value;
}

std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

std::string integer(int value) { return "K"s + static_cast<char>(value); }

std::string tuple(const std::string& items) { return "(" + items + "t"; }

std::string storage(const std::string& type, const std::string& key, int count) {
  return tuple(text("storage") + global("torch", type) + text(key) + text("cpu") + integer(count)) +
         "Q";
}

std::string tensor(const std::string& storage_text, int offset, const std::string& sizes,
                   const std::string& strides) {
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple(storage_text + integer(offset) + sizes + strides + "\x89" +
               global("collections", "OrderedDict") + ")R") +
         "R";
}

TEST(Pickle, ReadsScalars) {
  EXPECT_EQ(parse(kStart + "N" + kStop).root().kind, PickleKind::none);
  EXPECT_TRUE(parse(kStart + "\x88" + kStop).root().boolean());
  EXPECT_EQ(parse(kStart + "J\xFE\xFF\xFF\xFF" + kStop).root().integer(), -2);
  EXPECT_EQ(parse(kStart + "M\x01\x02" + kStop).root().integer(), 513);
  EXPECT_EQ(parse(kStart + "\x8A\x02\x00\x80"s + kStop).root().integer(), -32768);
  EXPECT_EQ(parse(kStart + "\x8A\x00"s + kStop).root().integer(), 0);
  EXPECT_EQ(parse(kStart + "G\x3F\xF8\0\0\0\0\0\0"s + kStop).root().real(), 1.5);
  EXPECT_EQ(parse(kStart + text("h\xC3\xA9") + kStop).root().text(), "h\xC3\xA9");
}

TEST(Pickle, ReadsContainers) {
  const PickleDocument list = parse(kStart + "]q\0(K\1K\2e"s + kStop);
  EXPECT_EQ(list.root().items().size(), 2U);
  const PickleDocument dict = parse(kStart + "}" + text("a") + "K\1s" + kStop);
  EXPECT_EQ(dict.root().kind, PickleKind::dict);
  EXPECT_EQ(dict.root().items()[0]->text(), "a");
  const PickleDocument memo = parse(kStart + "K\5q\1h\1\x86"s + kStop);
  EXPECT_EQ(memo.root().items()[1]->integer(), 5);
}

TEST(Pickle, ReadsTensors) {
  const PickleDocument document = parse(
      kStart + tensor(storage("FloatStorage", "0", 4), 1, tuple(integer(3)), tuple(integer(1))) +
      kStop);
  const PickleTensor& tensor = document.root().tensor();
  EXPECT_EQ(tensor.dtype, DType::f32);
  EXPECT_EQ(tensor.offset, 1);
  EXPECT_TRUE(tensor.tensor().defined());
}

TEST(Pickle, SharesStorages) {
  const std::string one =
      tensor(storage("FloatStorage", "0", 4), 0, tuple(integer(2)), tuple(integer(1)));
  const PickleDocument document = parse(kStart + one + one + "\x86" + kStop);
  EXPECT_EQ(document.root().items()[0]->tensor().storage,
            document.root().items()[1]->tensor().storage);
}

TEST(Pickle, ReadsParametersAndBytes) {
  const std::string inner =
      tensor(storage("FloatStorage", "0", 4), 0, tuple(integer(4)), tuple(integer(1)));
  const PickleDocument parameter =
      parse(kStart + global("torch._utils", "_rebuild_parameter") +
            tuple(inner + "\x88" + global("collections", "OrderedDict") + ")R") + "R" + kStop);
  EXPECT_TRUE(parameter.root().tensor().is_parameter);
  const PickleDocument bytes = parse(kStart + global("_codecs", "encode") +
                                     tuple(text("\xC3\xBF") + text("latin1")) + "R" + kStop);
  EXPECT_EQ(bytes.root().text(), "\xFF");
}

TEST(Pickle, MissingRecordsGiveShapes) {
  const PickleDocument document = parse(
      kStart + tensor(storage("FloatStorage", "7", 4), 0, tuple(integer(4)), tuple(integer(1))) +
      kStop);
  EXPECT_FALSE(document.root().tensor().tensor().defined());
}

TEST(Pickle, P1Opcodes) {
  EXPECT_THAT(refusal(kStart + "i" + kStop), HasSubstr("P1"));
  EXPECT_THAT(refusal("\x80\x07N."), HasSubstr("P1"));
  EXPECT_THAT(refusal("\x80\x01N."), HasSubstr("P1"));
  EXPECT_THAT(refusal(kStart + "\x82\x01" + kStop), HasSubstr("P1"));
}

TEST(Pickle, P2Globals) {
  EXPECT_THAT(refusal(kStart + global("os", "system") + tuple(text("true")) + "R" + kStop),
              HasSubstr("P2"));
  EXPECT_THAT(refusal(kStart + global("os", "system") + tuple(text("true")) + "R" + kStop),
              HasSubstr("os system"));
  EXPECT_THAT(refusal(kStart + "K\1K\2\x93" + kStop), HasSubstr("P2"));
}

TEST(Pickle, UnknownGlobalsMayBeOpaque) {
  const PickleDocument document =
      parse(kStart + global("my", "Thing") + tuple(text("x")) + "R" + kStop, true);
  EXPECT_EQ(document.root().kind, PickleKind::opaque);
}

TEST(Pickle, P3Calls) {
  EXPECT_THAT(refusal(kStart + "K\1)R" + kStop), HasSubstr("P3"));
  EXPECT_THAT(refusal(kStart + global("torch._utils", "_rebuild_tensor_v2") + ")R" + kStop),
              HasSubstr("P3"));
  EXPECT_THAT(refusal(kStart + global("torch._utils", "_rebuild_qtensor") + ")R" + kStop),
              HasSubstr("quantized"));
  EXPECT_THAT(refusal(kStart + global("my", "Thing") + ")\x81" + kStop), HasSubstr("P3"));
  EXPECT_THAT(refusal(kStart + "K\1}b" + kStop), HasSubstr("P3"));
  EXPECT_THAT(refusal(kStart + "K\1K\2a" + kStop), HasSubstr("P3"));
}

TEST(Pickle, P4Memo) {
  EXPECT_THAT(refusal(kStart + "h\1" + kStop), HasSubstr("P4"));
  EXPECT_THAT(refusal(kStart + "Nr\xFF\xFF\xFF\x7F" + kStop), HasSubstr("P4"));
}

TEST(Pickle, P5Stack) {
  EXPECT_THAT(refusal(kStart + kStop), HasSubstr("P5"));
  EXPECT_THAT(refusal(kStart + "\x85" + kStop), HasSubstr("P5"));
  EXPECT_THAT(refusal(kStart + "NN" + kStop), HasSubstr("P5"));
  EXPECT_THAT(refusal(kStart + "}(Nu" + kStop), HasSubstr("P5"));
}

TEST(Pickle, P6Marks) {
  EXPECT_THAT(refusal(kStart + "Nt" + kStop), HasSubstr("P6"));
  EXPECT_THAT(refusal(kStart + "N(" + kStop), HasSubstr("P6"));
}

TEST(Pickle, P7Lengths) {
  EXPECT_THAT(refusal(kStart + "X\xFF\xFF\xFF\x7Fxx"s), HasSubstr("P7"));
  EXPECT_THAT(refusal(kStart + "\x8E\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFxx"s), HasSubstr("P7"));
  EXPECT_THAT(refusal(kStart + "cno line end"), HasSubstr("P7"));
  EXPECT_THAT(refusal(kStart + "N"), HasSubstr("P7"));
  EXPECT_THAT(refusal(kStart + text("\xFF") + kStop), HasSubstr("P7"));
}

TEST(Pickle, P8WideIntegers) {
  EXPECT_THAT(refusal(kStart + "\x8A\x09\1\1\1\1\1\1\1\1\1"s + kStop), HasSubstr("P8"));
}

TEST(Pickle, P9Limits) {
  PickleOptions options;
  options.max_opcodes = 10;
  const std::string many = kStart + std::string(50, 'N') + kStop;
  EXPECT_THROW(PickleDocument::parse(std::as_bytes(std::span(many.data(), many.size())), options),
               Error);
}

TEST(Pickle, P10Cycles) {
  EXPECT_THAT(refusal(kStart + "]q\0h\0a"s + kStop), HasSubstr("P10"));
  EXPECT_THAT(refusal(kStart + "}q\0K\1h\0s"s + kStop), HasSubstr("P10"));
}

TEST(Pickle, P11StorageKeys) {
  for (const char* key : {"", "../1", "a", "1/2"}) {
    EXPECT_THAT(refusal(kStart + storage("FloatStorage", key, 1) + kStop), HasSubstr("P11"));
  }
  EXPECT_THAT(refusal(kStart + storage("FloatStorage", "0", 5) + kStop), HasSubstr("P11"));
}

TEST(Pickle, P12Spans) {
  const std::string four = storage("FloatStorage", "0", 4);
  EXPECT_THAT(refusal(kStart + tensor(four, 0, tuple(integer(5)), tuple(integer(1))) + kStop),
              HasSubstr("P12"));
  EXPECT_THAT(refusal(kStart + tensor(four, 0, tuple(integer(2)), ")") + kStop), HasSubstr("P12"));
  EXPECT_THAT(
      refusal(kStart + tensor(four, 0, tuple("J\xFF\xFF\xFF\xFF"), tuple(integer(1))) + kStop),
      HasSubstr("P12"));
  const std::string huge = "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s;
  EXPECT_THAT(
      refusal(kStart + tensor(four, 0, tuple(huge + huge), tuple(integer(1) + integer(1))) + kStop),
      HasSubstr("P12"));
}

TEST(Pickle, P13Nesting) {
  std::string deep = kStart + "N";
  for (int i = 0; i < 300; ++i) deep += "\x85";
  EXPECT_THAT(refusal(deep + kStop), HasSubstr("P13"));
}

TEST(Pickle, P13SharedNestingIsNotExponential) {
  std::string doubling = kStart + ")";
  for (int i = 0; i < 200; ++i) doubling += "2\x86";
  // DUP (0x32) is not part of the subset, so sharing goes through the memo.
  EXPECT_THAT(refusal(doubling + kStop), HasSubstr("P1"));
  std::string shared = kStart + ")q\0000"s;
  for (int i = 0; i < 200; ++i) shared += "h\0h\0\x86q\0000"s;
  EXPECT_EQ(parse(shared + "h\0"s + kStop).root().kind, PickleKind::tuple);
}

TEST(Pickle, P14DataAfterStopIsAWarning) {
  EXPECT_EQ(parse(kStart + "N" + kStop + "rest").warnings().size(), 1U);
}

TEST(Pickle, P15PersistentIds) {
  EXPECT_THAT(refusal(kStart + "NQ" + kStop), HasSubstr("P15"));
  EXPECT_THAT(refusal(kStart + storage("QInt8Storage", "0", 1) + kStop), HasSubstr("P15"));
  EXPECT_THAT(refusal(kStart +
                      tuple(text("module") + global("torch", "FloatStorage") + text("0") +
                            text("cpu") + integer(1)) +
                      "Q" + kStop),
              HasSubstr("P15"));
}

}  // namespace
}  // namespace litz::import_

// The C functions, on programs in memory.

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "artifact/file_signature.h"
#include "artifact/program_file.h"
#include "litz/c_api.h"
#include "products_program.h"
#include "runtime/program/program_loader.h"

namespace litz {
namespace {

/// Bytes at a multiple of 64, as the functions ask for.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::vector<std::byte>& bytes) : whole_(bytes.size() + 64) {
    void* at = whole_.data();
    size_t space = whole_.size();
    data_ = static_cast<std::byte*>(std::align(64, bytes.size(), at, space));
    std::memcpy(data_, bytes.data(), bytes.size());
    size_ = bytes.size();
  }

  const std::byte* data() const { return data_; }

  size_t size() const { return size_; }

 private:
  std::vector<std::byte> whole_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

AlignedBytes stored(artifact::Program program) {
#if defined(__x86_64__)
  program.target.name = "avx2";
#else
  program.target.name = "neon";
#endif
  return AlignedBytes(
      artifact::write_program_file(program, *program.symbols, runtime::build_name()));
}

class CApi : public testing::Test {
 protected:
  explicit CApi(artifact::Program program = runtime::product_program())
      : bytes_(stored(std::move(program))) {
    EXPECT_EQ(litz_program_load_memory(bytes_.data(), bytes_.size(), nullptr, &program_, nullptr),
              LITZ_OK);
    value_.kind = LITZ_KIND_TENSOR;
    value_.tensor.data = x_;
    value_.tensor.sizes = sizes_;
    value_.tensor.rank = 2;
    value_.tensor.dtype = LITZ_FLOAT32;
  }

  ~CApi() override { litz_program_free(program_); }

  float corner() {
    litz_results* results = nullptr;
    litz_error* error = nullptr;
    EXPECT_EQ(litz_program_run(program_, &value_, 1, &results, &error), LITZ_OK)
        << litz_error_message(error);
    litz_error_free(error);
    EXPECT_EQ(litz_results_count(results), 1U);
    litz_value y{};
    EXPECT_EQ(litz_results_get(results, 0, &y, nullptr), LITZ_OK);
    EXPECT_EQ(y.kind, LITZ_KIND_TENSOR);
    EXPECT_EQ(y.tensor.rank, 2);
    const float result = static_cast<const float*>(y.tensor.data)[8];
    litz_results_free(results);
    return result;
  }

  AlignedBytes bytes_;
  litz_program* program_ = nullptr;
  float x_[9] = {1, 0, 0, 0, 1, 0, 0, 0, 4};
  int64_t sizes_[2] = {3, 3};
  litz_value value_{};
};

TEST_F(CApi, ProgramsTellWhatTheyTake) {
  ASSERT_EQ(litz_program_input_count(program_), 1U);
  litz_entry entry{};
  entry.size = sizeof entry;
  ASSERT_EQ(litz_program_input(program_, 0, &entry, nullptr), LITZ_OK);
  EXPECT_STREQ(entry.name, "x");
  EXPECT_EQ(entry.kind, LITZ_KIND_TENSOR);
  EXPECT_EQ(entry.dtype, LITZ_FLOAT32);
  ASSERT_EQ(entry.rank, 2);
  EXPECT_EQ(entry.sizes[1].least, 1);
  EXPECT_EQ(entry.sizes[1].most, 64);
  EXPECT_STREQ(entry.sizes[1].text, "s0");
  EXPECT_STREQ(entry.constant, "");
  EXPECT_EQ(litz_program_input(program_, 1, &entry, nullptr), LITZ_OUT_OF_RANGE);
  ASSERT_EQ(litz_program_output_count(program_), 1U);
  ASSERT_EQ(litz_program_output(program_, 0, &entry, nullptr), LITZ_OK);
  EXPECT_STREQ(entry.name, "y");
  EXPECT_EQ(litz_program_buffer_count(program_), 0U);
  EXPECT_STREQ(litz_program_weight_name(program_, 0), "w");
  entry.size = 0;
  EXPECT_EQ(litz_program_output(program_, 0, &entry, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_output(program_, 0, nullptr, nullptr), LITZ_INVALID_ARGUMENT);
}

TEST_F(CApi, CallsAreRight) {
  EXPECT_EQ(corner(), 8);
  const int64_t turned[2] = {1, 3};
  value_.tensor.strides = turned;
  EXPECT_EQ(corner(), 8);
}

TEST_F(CApi, WeightsAreReplaced) {
  const float w[9] = {1, 0, 0, 0, 1, 0, 0, 0, 7};
  litz_tensor tensor{};
  tensor.data = const_cast<float*>(w);
  tensor.sizes = sizes_;
  tensor.rank = 2;
  tensor.dtype = LITZ_FLOAT32;
  const char* name = "w";
  ASSERT_EQ(litz_program_set_weights(program_, &name, &tensor, 1, nullptr), LITZ_OK);
  EXPECT_EQ(corner(), 28);
  name = "v";
  EXPECT_EQ(litz_program_set_weights(program_, &name, &tensor, 1, nullptr), LITZ_NOT_FOUND);
}

TEST_F(CApi, ResultsAreWrittenToMemoryOfTheCaller) {
  float y[9] = {};
  litz_tensor tensor{};
  tensor.data = y;
  tensor.sizes = sizes_;
  tensor.rank = 2;
  tensor.dtype = LITZ_FLOAT32;
  ASSERT_EQ(litz_program_run_into(program_, &value_, 1, &tensor, 1, nullptr), LITZ_OK);
  EXPECT_EQ(y[8], 8);
  const int64_t turned[2] = {1, 3};
  y[8] = 0;
  tensor.strides = turned;
  ASSERT_EQ(litz_program_run_into(program_, &value_, 1, &tensor, 1, nullptr), LITZ_OK);
  EXPECT_EQ(y[8], 8);
  EXPECT_EQ(litz_program_run_into(program_, &value_, 1, &tensor, 0, nullptr),
            LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_run_into(program_, &value_, 1, nullptr, 1, nullptr),
            LITZ_INVALID_ARGUMENT);
  tensor.dtype = LITZ_FLOAT64;
  EXPECT_EQ(litz_program_run_into(program_, &value_, 1, &tensor, 1, nullptr),
            LITZ_INVALID_ARGUMENT);
}

TEST_F(CApi, ValuesAreWrittenOrReplaced) {
  float y[9] = {};
  litz_value value{};
  value.kind = LITZ_KIND_TENSOR;
  value.tensor.data = y;
  value.tensor.sizes = sizes_;
  value.tensor.rank = 2;
  value.tensor.dtype = LITZ_FLOAT32;
  ASSERT_EQ(litz_program_run_into_values(program_, &value_, 1, &value, 1, nullptr), LITZ_OK);
  EXPECT_EQ(y[8], 8);
  EXPECT_EQ(value.tensor.data, y);
  litz_value none{};
  none.kind = LITZ_KIND_NONE;
  EXPECT_EQ(litz_program_run_into_values(program_, &value_, 1, &none, 1, nullptr),
            LITZ_INVALID_ARGUMENT)
      << "nobody would own the tensor";
  EXPECT_EQ(litz_program_run_into_values(program_, &value_, 1, nullptr, 1, nullptr),
            LITZ_INVALID_ARGUMENT);
  litz_session* session = nullptr;
  ASSERT_EQ(litz_session_new(program_, &session, nullptr), LITZ_OK);
  EXPECT_EQ(litz_session_run_into_values(session, &value_, 1, &value, 1, nullptr), LITZ_OK);
  litz_session_free(session);
}

class CBuffers : public CApi {
 protected:
  CBuffers() : CApi(runtime::updating_program()) {
    tensor_.data = w_;
    tensor_.sizes = sizes_;
    tensor_.rank = 2;
    tensor_.dtype = LITZ_FLOAT32;
  }

  float w_[9] = {};
  litz_tensor tensor_{};
};

TEST_F(CBuffers, AreReadWrittenAndReset) {
  ASSERT_EQ(litz_program_buffer_count(program_), 1U);
  litz_entry entry{};
  entry.size = sizeof entry;
  ASSERT_EQ(litz_program_buffer(program_, 0, &entry, nullptr), LITZ_OK);
  EXPECT_STREQ(entry.name, "w");
  EXPECT_EQ(corner(), 8);
  ASSERT_EQ(litz_program_read_buffer(program_, "w", &tensor_, nullptr), LITZ_OK);
  EXPECT_EQ(w_[8], 8);
  w_[8] = 5;
  ASSERT_EQ(litz_program_write_buffer(program_, "w", &tensor_, nullptr), LITZ_OK);
  EXPECT_EQ(corner(), 20);
  ASSERT_EQ(litz_program_reset_buffers(program_, nullptr), LITZ_OK);
  EXPECT_EQ(corner(), 8);
  EXPECT_EQ(litz_program_read_buffer(program_, "x", &tensor_, nullptr), LITZ_NOT_FOUND);
  EXPECT_EQ(litz_program_read_buffer(program_, nullptr, &tensor_, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_read_buffer(program_, "w", nullptr, nullptr), LITZ_INVALID_ARGUMENT);
  tensor_.dtype = LITZ_INT32;
  EXPECT_EQ(litz_program_read_buffer(program_, "w", &tensor_, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_write_buffer(program_, "w", &tensor_, nullptr), LITZ_INVALID_ARGUMENT);
}

TEST_F(CBuffers, OfSessionsAreTheirOwn) {
  litz_session* session = nullptr;
  ASSERT_EQ(litz_session_new(program_, &session, nullptr), LITZ_OK);
  EXPECT_EQ(corner(), 8);
  litz_results* results = nullptr;
  ASSERT_EQ(litz_session_run(session, &value_, 1, &results, nullptr), LITZ_OK);
  litz_results_free(results);
  ASSERT_EQ(litz_session_run_into(session, &value_, 1, &tensor_, 1, nullptr), LITZ_OK);
  EXPECT_EQ(w_[8], 32);
  litz_program_free(program_);
  program_ = nullptr;
  ASSERT_EQ(litz_session_read_buffer(session, "w", &tensor_, nullptr), LITZ_OK);
  EXPECT_EQ(w_[8], 32);
  w_[8] = 1;
  ASSERT_EQ(litz_session_write_buffer(session, "w", &tensor_, nullptr), LITZ_OK);
  ASSERT_EQ(litz_session_run_into(session, &value_, 1, &tensor_, 1, nullptr), LITZ_OK);
  EXPECT_EQ(w_[8], 4);
  ASSERT_EQ(litz_session_reset_buffers(session, nullptr), LITZ_OK);
  ASSERT_EQ(litz_session_run_into(session, &value_, 1, &tensor_, 1, nullptr), LITZ_OK);
  EXPECT_EQ(w_[8], 8);
  litz_session_free(session);
  litz_session_free(nullptr);
  EXPECT_EQ(litz_session_new(nullptr, &session, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_session_run(nullptr, &value_, 1, &results, nullptr), LITZ_INVALID_ARGUMENT);
}

TEST_F(CApi, ErrorsTellWhatToDo) {
  litz_results* results = nullptr;
  litz_error* error = nullptr;
  value_.tensor.dtype = LITZ_INT32;
  EXPECT_EQ(litz_program_run(program_, &value_, 1, &results, &error), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(results, nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(litz_error_status(error), LITZ_INVALID_ARGUMENT);
  EXPECT_NE(std::string(litz_error_message(error)).find("input \"x\" must be of dtype"),
            std::string::npos)
      << litz_error_message(error);
  litz_error_free(error);
}

TEST_F(CApi, SignaturesAreVerified) {
  const SecretKey key = new_secret_key();
  const std::span<const std::byte> plain(bytes_.data(), bytes_.size());
  std::vector<std::byte> with_signature(plain.begin(), plain.end());
  const std::vector<std::byte> signature = artifact::signature_bytes(plain, key);
  with_signature.insert(with_signature.end(), signature.begin(), signature.end());
  const AlignedBytes bytes(with_signature);
  const std::string own = to_line(key.public_key, "test");
  const std::string other = to_string(new_secret_key().public_key);
  const char* keys[] = {other.c_str(), own.c_str(), nullptr};
  litz_load_options options{};
  options.size = sizeof options;
  options.trusted_keys = keys;
  const auto status = [&](const AlignedBytes& file, size_t count) {
    options.trusted_key_count = count;
    litz_program* program = nullptr;
    const litz_status result =
        litz_program_load_memory(file.data(), file.size(), &options, &program, nullptr);
    litz_program_free(program);
    return result;
  };
  EXPECT_EQ(status(bytes, 2), LITZ_OK);
  EXPECT_EQ(status(bytes, 0), LITZ_OK);
  EXPECT_EQ(status(bytes, 1), LITZ_UNTRUSTED);
  EXPECT_EQ(status(bytes_, 2), LITZ_UNTRUSTED);
  EXPECT_EQ(status(bytes, 3), LITZ_INVALID_ARGUMENT);
}

// Callers of the first version have fewer fields, those of later ones may have more.
TEST_F(CApi, OptionsHaveVersions) {
  struct Later {
    litz_load_options known{};
    uint64_t added = 0;
  } options;

  const char* const none[] = {nullptr};
  options.known.trusted_keys = none;
  options.known.trusted_key_count = 1;
  const auto status = [&](size_t size) {
    options.known.size = static_cast<uint32_t>(size);
    litz_program* program = nullptr;
    const litz_status result =
        litz_program_load_memory(bytes_.data(), bytes_.size(), &options.known, &program, nullptr);
    litz_program_free(program);
    return result;
  };
  EXPECT_EQ(status(offsetof(litz_load_options, trusted_keys)), LITZ_OK) << "keys are not read";
  EXPECT_EQ(status(sizeof(litz_load_options)), LITZ_INVALID_ARGUMENT) << "keys are read";
  options.known.trusted_key_count = 0;
  EXPECT_EQ(status(sizeof options), LITZ_OK);
  options.added = 1;
  EXPECT_EQ(status(sizeof options), LITZ_UNSUPPORTED) << "nothing is ignored silently";
  EXPECT_EQ(status(8), LITZ_INVALID_ARGUMENT);
  options.known.reserved = 5;
  EXPECT_EQ(status(sizeof(litz_load_options)), LITZ_UNSUPPORTED) << "a later version may use it";
}

TEST_F(CApi, MistakesOfCallersAreRefused) {
  litz_results* results = nullptr;
  const auto status = [&] { return litz_program_run(program_, &value_, 1, &results, nullptr); };
  EXPECT_EQ(litz_program_run(nullptr, &value_, 1, &results, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_run(program_, &value_, 1, nullptr, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_run(program_, nullptr, 0, &results, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_program_run(program_, &value_, SIZE_MAX, &results, nullptr),
            LITZ_INVALID_ARGUMENT);
  value_.kind = 77;
  EXPECT_EQ(status(), LITZ_INVALID_ARGUMENT);
  value_.kind = LITZ_KIND_TENSOR;
  value_.tensor.dtype = 99;
  EXPECT_EQ(status(), LITZ_INVALID_ARGUMENT);
  value_.tensor.dtype = LITZ_FLOAT32;
  value_.tensor.rank = -1;
  EXPECT_EQ(status(), LITZ_INVALID_ARGUMENT);
  value_.tensor.rank = 2;
  sizes_[0] = -3;
  EXPECT_EQ(status(), LITZ_INVALID_ARGUMENT);
  sizes_[0] = INT64_MAX;
  EXPECT_NE(status(), LITZ_OK);
  sizes_[0] = 3;
  value_.tensor.data = nullptr;
  EXPECT_EQ(status(), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(results, nullptr);
  litz_program* none = nullptr;
  EXPECT_EQ(litz_program_load("/nonexistent/model.litz", nullptr, &none, nullptr), LITZ_NOT_FOUND);
  EXPECT_EQ(
      litz_program_load_memory(bytes_.data() + 64, bytes_.size() - 64, nullptr, &none, nullptr),
      LITZ_CORRUPT);
  litz_load_options options{};
  EXPECT_EQ(litz_program_load_memory(bytes_.data(), bytes_.size(), &options, &none, nullptr),
            LITZ_INVALID_ARGUMENT);  // Without its size.
  EXPECT_EQ(none, nullptr);
  litz_program_free(nullptr);
  litz_results_free(nullptr);
  litz_error_free(nullptr);
}

}  // namespace
}  // namespace litz

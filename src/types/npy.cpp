// The header is a Python dict literal. The scanner only accepts the three known keys and the valid
// forms of their values; nothing is evaluated.

#include "types/npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "support/check.h"
#include "support/mapped_file.h"
#include "support/text.h"

namespace litz {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
// Real headers have about a hundred bytes; the limit only stops broken files.
constexpr size_t kMaxHeader = size_t{64} << 10;
constexpr size_t kMaxRank = 64;

struct Header {
  std::string descr;
  bool is_fortran_order = false;
  std::vector<int64_t> shape;
};

/// Reads the dict literal of one header.
class HeaderScanner {
 public:
  HeaderScanner(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  Header scan() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string_literal();
      expect(':');
      bool& is_seen = key == "descr"           ? has_descr
                      : key == "fortran_order" ? has_order
                      : key == "shape"         ? has_shape
                                               : refuse_key(key);
      must(!is_seen, "each npy header key must occur once");
      is_seen = true;
      if (key == "descr") {
        must(peek() != '[', "an npy array must not be structured", ErrorCode::unsupported);
        header.descr = string_literal();
      } else if (key == "fortran_order") {
        header.is_fortran_order = boolean();
      } else {
        header.shape = shape();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    must(position_ == text_.size(), "an npy header must end after its dict");
    must(has_descr && has_order && has_shape,
         "an npy header must have descr, fortran_order and shape");
    return header;
  }

 private:
  void must(bool condition, const char* text, ErrorCode code = ErrorCode::corrupt) {
    require(condition, code, text, "at header byte", position_, "in", origin_);
  }

  bool& refuse_key(const std::string& key) {
    fail(ErrorCode::corrupt, "an npy header must have no other keys:", key, "in", origin_);
  }

  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) {
      ++position_;
    }
  }

  char peek() {
    skip_blanks();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }

  void expect(char c) {
    std::string_view wanted(&c, 1);
    require(accept(c), ErrorCode::corrupt, "an npy header must be a dict literal, expected", wanted,
            "at header byte", position_, "in", origin_);
  }

  std::string string_literal() {
    char quote = peek();
    must(quote == '\'' || quote == '"', "an npy header must have a string here");
    size_t end = text_.find(quote, ++position_);
    must(end != std::string_view::npos, "an npy header string must end");
    std::string_view content = text_.substr(position_, end - position_);
    must(content.find('\\') == std::string_view::npos, "an npy header string has no escapes");
    position_ = end + 1;
    return std::string(content);
  }

  bool boolean() {
    skip_blanks();
    for (std::string_view word : {"True", "False"}) {
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return word == "True";
      }
    }
    must(false, "fortran_order must be True or False");
    return false;
  }

  std::vector<int64_t> shape() {
    std::vector<int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(integer());
      must(sizes.size() <= kMaxRank, "an npy array must have at most 64 dimensions");
      if (!accept(',')) {
        must(sizes.size() > 1, "a tuple of one must have a comma");
        expect(')');
        break;
      }
    }
    return sizes;
  }

  int64_t integer() {
    int64_t value = 0;
    must(peek() >= '0' && peek() <= '9', "an npy shape must have sizes >= 0");
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      must(!__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, text_[position_] - '0', &value),
           "an npy size must fit 64 bits");
      ++position_;
    }
    // Python 2 wrote long integers this way.
    accept('L');
    return value;
  }

  std::string_view text_;
  std::string_view origin_;
  size_t position_ = 0;
};

struct ElementType {
  DType dtype;
  bool is_big_endian;
};

struct DescrRow {
  std::string_view descr;
  DType dtype;
};

// Written with these spellings too, so each of NumPy's dtypes is listed once.
constexpr DescrRow kDescrs[] = {
    {"b1", DType::bool_}, {"u1", DType::u8},    {"i1", DType::i8},  {"u2", DType::u16},
    {"i2", DType::i16},   {"u4", DType::u32},   {"i4", DType::i32}, {"u8", DType::u64},
    {"i8", DType::i64},   {"f2", DType::f16},   {"f4", DType::f32}, {"f8", DType::f64},
    {"c8", DType::c64},   {"c16", DType::c128},
};

ElementType element_type(std::string_view descr, std::string_view origin) {
  require(!descr.empty(), ErrorCode::corrupt, "an npy descr must not be empty, in", origin);
  char order = descr.front();
  bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  std::string_view kind = has_order ? descr.substr(1) : descr;
  for (const DescrRow& row : kDescrs) {
    if (row.descr == kind) return {row.dtype, order == '>'};
  }
  require(kind != "O", ErrorCode::unsupported,
          "an npy array must not hold pickled Python objects, in", origin);
  fail(ErrorCode::unsupported,
       "an npy array must hold booleans, integers, or floats of 2, 4 or 8 bytes:", descr, "in",
       origin);
}

/// Reverses the bytes of each number; the two parts of a complex number are reversed separately.
void swap_bytes(std::byte* data, size_t bytes, DType dtype) {
  auto width = static_cast<size_t>(item_size(real_dtype(dtype)));
  for (size_t i = 0; i < bytes; i += width) std::reverse(data + i, data + i + width);
}

/// The header text and the number of bytes before the data.
std::pair<std::string_view, size_t> split_header(std::span<const std::byte> bytes,
                                                 std::string_view origin) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  require(text.starts_with(kMagic) && text.size() >= 10, ErrorCode::corrupt,
          "an npy file must start with its magic bytes:", origin);
  int major = std::to_integer<int>(bytes[6]);
  require(major >= 1 && major <= 3, ErrorCode::unsupported,
          "an npy file must have version 1, 2 or 3:", major, "in", origin);
  size_t length_bytes = major == 1 ? 2 : 4;
  size_t start = 8 + length_bytes;
  require(bytes.size() >= start, ErrorCode::corrupt, "an npy file must hold its header:", origin);
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= std::to_integer<size_t>(bytes[8 + i]) << (8 * i);
  }
  require(length <= kMaxHeader, ErrorCode::limit_exceeded,
          "an npy header must have at most 64 KiB:", length, "in", origin);
  require(length <= bytes.size() - start, ErrorCode::corrupt,
          "an npy file must hold its header:", origin);
  return {text.substr(start, length), start + length};
}

std::string descr_of(DType dtype) {
  auto bits_dtype = [](int64_t bytes) {
    return bytes == 1 ? DType::u8 : bytes == 2 ? DType::u16 : DType::u32;
  };
  auto is_row = [](DType wanted) {
    return [=](const DescrRow& row) { return row.dtype == wanted; };
  };
  const auto* row = std::find_if(std::begin(kDescrs), std::end(kDescrs), is_row(dtype));
  if (row == std::end(kDescrs)) {
    row =
        std::find_if(std::begin(kDescrs), std::end(kDescrs), is_row(bits_dtype(item_size(dtype))));
  }
  return (item_size(dtype) == 1 ? '|' : '<') + std::string(row->descr);
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, std::string_view origin) {
  auto [text, data_offset] = split_header(bytes, origin);
  Header header = HeaderScanner(text, origin).scan();
  ElementType element = element_type(header.descr, origin);
  std::span<const std::byte> data = bytes.subspan(data_offset);

  int64_t count = checked_numel(header.shape);
  int64_t needed = 0;
  bool fits = !__builtin_mul_overflow(count, item_size(element.dtype), &needed);
  require(fits && static_cast<size_t>(needed) == data.size(), ErrorCode::corrupt,
          "an npy file must hold exactly its array, elements and data bytes:", count, data.size(),
          "in", origin);

  Tensor result = Tensor::of_bytes(element.dtype, header.shape, data);
  if (element.is_big_endian) swap_bytes(result.mutable_data(), data.size(), element.dtype);
  if (element.dtype == DType::bool_) normalize_booleans(result.mutable_data(), data.size());
  if (!header.is_fortran_order) return result;
  std::vector<int64_t> reversed(header.shape.rbegin(), header.shape.rend());
  std::vector<int64_t> strides = contiguous_strides(reversed);
  std::reverse(strides.begin(), strides.end());
  return result.view(header.shape, strides, 0);
}

Tensor read_npy(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  return file.reading([&] { return parse_npy(file.bytes(), path); });
}

std::vector<std::byte> format_npy(const Tensor& tensor) {
  Tensor dense = tensor.contiguous();
  std::string shape = join(dense.sizes(), ", ");
  if (dense.rank() == 1) shape += ',';
  std::string header = "{'descr': '" + std::string(descr_of(dense.dtype())) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // NumPy pads the header with blanks so that the data is aligned to 64 bytes, and ends it with a
  // line feed.
  size_t padding = (64 - (10 + header.size() + 1) % 64) % 64;
  header.append(padding, ' ');
  header += '\n';

  std::string prefix(kMagic);
  prefix +=
      {'\1', '\0', static_cast<char>(header.size() & 0xffU), static_cast<char>(header.size() >> 8)};
  prefix += header;
  auto data_bytes = static_cast<size_t>(dense.numel() * item_size(dense.dtype()));
  std::vector<std::byte> bytes(prefix.size() + data_bytes);
  std::memcpy(bytes.data(), prefix.data(), prefix.size());
  if (data_bytes > 0) std::memcpy(bytes.data() + prefix.size(), dense.data(), data_bytes);
  return bytes;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  std::vector<std::byte> bytes = format_npy(tensor);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  require(file.good(), ErrorCode::io, "an npy file must be writable:", path);
}

}  // namespace litz

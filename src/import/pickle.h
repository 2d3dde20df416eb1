// A restricted interpreter of the pickle format: just enough for tensors in plain containers.
//
// Nothing is imported or called: names of functions are data, and the few that build tensors or
// containers have a counterpart here. Everything else is an Error in strict mode, or an opaque
// value if the content does not matter (example inputs). Every rule is a named refusal:
//
//   P1 opcode         P2 global         P3 call          P4 memo        P5 stack     P6 mark
//   P7 length         P8 integer        P9 limit         P10 cycle      P11 storage key
//   P12 tensor span   P13 nesting       P14 after STOP   P15 persistent id

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "types/tensor.h"

namespace litz::import_ {

enum class PickleKind : uint8_t {
  none,
  boolean,
  integer,
  real,
  complex,
  string,
  bytes,
  list,
  tuple,
  dict,  ///< Items alternate between keys and values.
  set,
  global,  ///< A name, "module name"; dtypes and classes are globals too.
  storage,
  tensor,
  opaque,  ///< An object whose construction was not followed.
};

std::string_view name(PickleKind kind);

/// A reference to the bytes of a storage, by the record that contains them.
struct PickleStorage {
  std::string key;
  DType dtype = DType::u8;
  bool untyped = false;            ///< Lengths count bytes.
  std::shared_ptr<Storage> bytes;  ///< Null when the record is missing.
};

struct PickleTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  bool is_parameter = false;
  std::string storage_key;           ///< Empty for tensors without data.
  std::shared_ptr<Storage> storage;  ///< Null if shape-only or missing.

  /// The tensor, or an undefined one if it has no data.
  Tensor tensor() const;
};

/// One value; owned by its PickleDocument.
struct PickleObject {
  using Items = std::vector<const PickleObject*>;
  PickleKind kind = PickleKind::none;
  std::variant<std::monostate, bool, int64_t, double, std::complex<double>, std::string, Items,
               std::shared_ptr<PickleStorage>, std::shared_ptr<PickleTensor>>
      payload;

  // Accessors check-fail for another kind: callers check `kind` first.
  int64_t integer() const { return std::get<int64_t>(payload); }

  bool boolean() const { return std::get<bool>(payload); }

  double real() const { return std::get<double>(payload); }

  const std::string& text() const { return std::get<std::string>(payload); }

  const Items& items() const { return std::get<Items>(payload); }

  const PickleTensor& tensor() const { return *std::get<std::shared_ptr<PickleTensor>>(payload); }

  const PickleStorage& storage() const {
    return *std::get<std::shared_ptr<PickleStorage>>(payload);
  }
};

struct PickleOptions {
  std::string origin = "pickle";  ///< Names the data in messages.
  /// Unknown globals, calls and objects become opaque values instead of errors.
  bool opaque_objects = false;
  uint64_t max_opcodes = 10'000'000;
  uint32_t max_nesting = 256;
  /// The bytes of record `key`; null if it is missing.
  std::function<std::shared_ptr<Storage>(const std::string& key)> storage;
};

class PickleDocument {
 public:
  /// Interprets a whole pickle. Throws Error{corrupt, unsupported, limit_exceeded} with the rule
  /// and the offset of the opcode.
  static PickleDocument parse(std::span<const std::byte> bytes, const PickleOptions& options);

  const PickleObject& root() const { return *root_; }

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class PickleMachine;
  // A deque, for stable addresses; values refer to each other by pointer, so cycles cannot leak.
  std::deque<PickleObject> objects_;
  const PickleObject* root_ = nullptr;
  std::vector<std::string> warnings_;
};

}  // namespace litz::import_

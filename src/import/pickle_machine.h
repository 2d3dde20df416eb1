// The stack machine behind PickleDocument, shared by the opcode loop and the table of known calls.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/pickle.h"
#include "support/check.h"

namespace litz::import_ {

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const PickleOptions& options,
                PickleDocument& document);
  void run();

  // For pickle_calls.cpp.
  using Items = PickleObject::Items;

  const PickleOptions& options() const { return options_; }

  PickleObject* make(PickleKind kind, decltype(PickleObject::payload) payload);
  PickleObject* make_opaque(std::string description);

  /// Throws Error with the rule, the origin and the offset of the current opcode.
  template <typename... Values>
  void expect(bool condition, ErrorCode code, const char* rule, const Values&... values) const {
    if (!condition) [[unlikely]] {
      fail(code, detail::with_values(rule, values...));
    }
  }

  [[noreturn]] void fail(ErrorCode code, const std::string& message) const;

 private:
  bool step(uint8_t opcode);
  bool step_scalar(uint8_t opcode);
  bool step_text(uint8_t opcode);
  bool step_container(uint8_t opcode);
  bool step_memo(uint8_t opcode);
  void step_object(uint8_t opcode);

  // --- Reading
  std::string_view take(uint64_t count);
  uint64_t take_unsigned(int bytes);
  std::string_view take_line();
  int64_t take_long(uint64_t bytes);

  // --- The stack
  void push(PickleObject* value) { stack_.push_back(value); }

  PickleObject* pop();
  PickleObject* top() const;
  Items pop_to_mark();
  void remember(uint64_t index);
  void recall(uint64_t index);

  void append(PickleObject* list, const Items& items);
  void set_items(PickleObject* dict, const Items& items);
  void push_storage(const PickleObject& id);
  void push_global(std::string_view module, std::string_view global);
  void build();
  void finish();

  std::string_view text_;
  const PickleOptions& options_;
  PickleDocument& document_;
  size_t at_ = 0;
  size_t opcode_at_ = 0;
  std::vector<PickleObject*> stack_;
  std::vector<size_t> marks_;
  std::vector<PickleObject*> memo_;
  std::map<std::string, std::shared_ptr<PickleStorage>, std::less<>> storages_;
  PickleObject* none_;
  PickleObject* true_;
  PickleObject* false_;
};

/// The result of calling a global: a value for a known function, opaque if allowed, else an Error.
PickleObject* call_global(PickleMachine& machine, const PickleObject& callable,
                          const PickleObject& arguments);
/// The dtype of a storage class ("torch FloatStorage"); throws for quantized and unknown ones.
PickleStorage storage_class(const PickleMachine& machine, std::string_view global);

}  // namespace litz::import_

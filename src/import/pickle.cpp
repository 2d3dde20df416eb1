// The opcode loop of the restricted pickle interpreter.

#include "import/pickle.h"

#include <bit>
#include <cstring>
#include <set>

#include "import/pickle_machine.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

// The memo may hold no more entries than there can be opcodes to fill it.
constexpr uint64_t kMaxMemo = 10'000'000;

bool is_container(PickleKind kind) {
  return kind == PickleKind::list || kind == PickleKind::tuple || kind == PickleKind::dict ||
         kind == PickleKind::set;
}

}  // namespace

std::string_view name(PickleKind kind) {
  switch (kind) {
    case PickleKind::none:
      return "none";
    case PickleKind::boolean:
      return "bool";
    case PickleKind::integer:
      return "int";
    case PickleKind::real:
      return "float";
    case PickleKind::complex:
      return "complex";
    case PickleKind::string:
      return "string";
    case PickleKind::bytes:
      return "bytes";
    case PickleKind::list:
      return "list";
    case PickleKind::tuple:
      return "tuple";
    case PickleKind::dict:
      return "dict";
    case PickleKind::set:
      return "set";
    case PickleKind::global:
      return "global";
    case PickleKind::storage:
      return "storage";
    case PickleKind::tensor:
      return "tensor";
    case PickleKind::opaque:
      return "opaque object";
  }
  return "?";
}

Tensor PickleTensor::tensor() const {
  if (storage == nullptr) return {};
  return {dtype, sizes, strides, offset, storage};
}

PickleMachine::PickleMachine(std::span<const std::byte> bytes, const PickleOptions& options,
                             PickleDocument& document)
    : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
      options_(options),
      document_(document),
      none_(make(PickleKind::none, std::monostate())),
      true_(make(PickleKind::boolean, true)),
      false_(make(PickleKind::boolean, false)) {}

void PickleMachine::fail(ErrorCode code, std::string message) const {
  throw Error(code, "pickle " + message + " (" + options_.origin + ", offset " +
                        std::to_string(opcode_at_) + ")");
}

PickleObject* PickleMachine::make(PickleKind kind, decltype(PickleObject::payload) payload) {
  document_.objects_.push_back({kind, std::move(payload)});
  return &document_.objects_.back();
}

PickleObject* PickleMachine::make_opaque(std::string description) {
  return make(PickleKind::opaque, std::move(description));
}

// Reading.

std::string_view PickleMachine::take(uint64_t count) {
  expect(count <= text_.size() - at_, ErrorCode::corrupt,
         "P7: a length must not reach beyond the end of the data:", count);
  const std::string_view view = text_.substr(at_, count);
  at_ += count;
  return view;
}

uint64_t PickleMachine::take_unsigned(int bytes) {
  const std::string_view raw = take(static_cast<uint64_t>(bytes));
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i) {
    value = value << 8 | static_cast<uint8_t>(raw[static_cast<size_t>(i)]);
  }
  return value;
}

std::string_view PickleMachine::take_line() {
  const size_t end = text_.find('\n', at_);
  expect(end != std::string_view::npos, ErrorCode::corrupt,
         "P7: a text line must end before the data does");
  const std::string_view line = text_.substr(at_, end - at_);
  at_ = end + 1;
  return line;
}

int64_t PickleMachine::take_long(uint64_t bytes) {
  const std::string_view raw = take(bytes);
  expect(bytes <= 8, ErrorCode::unsupported,
         "P8: integers must fit 64 bits, this one has bytes:", bytes);
  if (bytes == 0) return 0;
  uint64_t value = static_cast<int8_t>(raw.back()) < 0 ? ~uint64_t{0} : 0;
  for (size_t i = raw.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(raw[i]);
  return static_cast<int64_t>(value);
}

// The stack.

PickleObject* PickleMachine::top() const {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  expect(stack_.size() > floor, ErrorCode::corrupt, "P5: the stack must not run empty");
  return stack_.back();
}

PickleObject* PickleMachine::pop() {
  PickleObject* value = top();
  stack_.pop_back();
  return value;
}

PickleObject::Items PickleMachine::pop_to_mark() {
  expect(!marks_.empty(), ErrorCode::corrupt, "P6: a mark must be on the stack");
  Items items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

void PickleMachine::remember(uint64_t index) {
  // A gap larger than the data could fill is an attempt to allocate.
  expect(index < kMaxMemo && index <= memo_.size() + text_.size(), ErrorCode::limit_exceeded,
         "P4: memo index out of range:", index);
  if (index >= memo_.size()) memo_.resize(index + 1);
  memo_[index] = top();
}

void PickleMachine::recall(uint64_t index) {
  expect(index < memo_.size() && memo_[index] != nullptr, ErrorCode::corrupt,
         "P4: memo index out of range:", index);
  push(memo_[index]);
}

void PickleMachine::append(PickleObject* list, const Items& items) {
  if (list->kind == PickleKind::opaque) return;
  expect(list->kind == PickleKind::list || list->kind == PickleKind::set, ErrorCode::corrupt,
         "P3: only lists and sets can be appended to, not:", name(list->kind));
  auto& own = std::get<Items>(list->payload);
  own.insert(own.end(), items.begin(), items.end());
}

void PickleMachine::set_items(PickleObject* dict, const Items& items) {
  expect(items.size() % 2 == 0, ErrorCode::corrupt, "P5: keys and values must come in pairs");
  if (dict->kind == PickleKind::opaque) return;
  expect(dict->kind == PickleKind::dict, ErrorCode::corrupt,
         "P3: only dicts have items, not:", name(dict->kind));
  auto& own = std::get<Items>(dict->payload);
  own.insert(own.end(), items.begin(), items.end());
}

void PickleMachine::push_global(std::string_view module, std::string_view global) {
  expect(is_valid_utf8(module) && is_valid_utf8(global) && !global.empty(), ErrorCode::corrupt,
         "P2: a global must have a name in UTF-8");
  push(make(PickleKind::global, std::string(module) + " " + std::string(global)));
}

void PickleMachine::push_storage(const PickleObject& id) {
  if (id.kind != PickleKind::tuple && options_.opaque_objects) {
    push(make_opaque("persistent object"));
    return;
  }
  expect(id.kind == PickleKind::tuple && id.items().size() >= 5, ErrorCode::corrupt,
         "P15: a persistent id must be a tuple of five");
  const Items& parts = id.items();
  expect(parts[0]->kind == PickleKind::string && parts[0]->text() == "storage" &&
             parts[1]->kind == PickleKind::global && parts[2]->kind == PickleKind::string &&
             parts[4]->kind == PickleKind::integer,
         ErrorCode::corrupt, "P15: a persistent id must be (\"storage\", type, key, place, count)");
  const std::string& key = parts[2]->text();
  const bool numeric =
      !key.empty() && key.size() <= 18 && key.find_first_not_of("0123456789") == std::string::npos;
  expect(numeric, ErrorCode::corrupt, "P11: a storage key must be a number:", quote(key));
  PickleStorage storage = storage_class(*this, parts[1]->text());
  storage.key = key;
  const int64_t count = parts[4]->integer();
  int64_t bytes = 0;
  expect(count >= 0 &&
             !__builtin_mul_overflow(count, storage.untyped ? 1 : item_size(storage.dtype), &bytes),
         ErrorCode::corrupt, "P11: the size of a storage must fit 64 bits:", count);
  auto& shared = storages_[key];
  if (shared == nullptr) {
    storage.bytes = options_.storage ? options_.storage(key) : nullptr;
    shared = std::make_shared<PickleStorage>(std::move(storage));
  } else if (shared->dtype != storage.dtype || shared->untyped != storage.untyped) {
    // Two types on one record: the same bytes under another type.
    storage.bytes = shared->bytes;
    push(make(PickleKind::storage, std::make_shared<PickleStorage>(std::move(storage))));
    return;
  }
  expect(shared->bytes == nullptr || static_cast<uint64_t>(bytes) <= shared->bytes->size(),
         ErrorCode::corrupt, "P11: a storage must not be larger than its record:", key, bytes);
  push(make(PickleKind::storage, shared));
}

void PickleMachine::build() {
  const PickleObject* state = pop();
  const PickleObject* object = top();
  // State dicts of modules carry a `_metadata` attribute, which nothing here needs.
  const bool ignorable = object->kind == PickleKind::opaque ||
                         (object->kind == PickleKind::dict && state->kind == PickleKind::dict);
  expect(ignorable, ErrorCode::unsupported,
         "P3: state can only be set on an ordered dict, not on:", name(object->kind));
}

// Opcodes.

bool PickleMachine::step_scalar(uint8_t opcode) {
  switch (opcode) {
    case 0x4E:
      push(none_);
      return true;
    case 0x88:
      push(true_);
      return true;
    case 0x89:
      push(false_);
      return true;
    case 0x4A:
      push(make(PickleKind::integer, static_cast<int64_t>(static_cast<int32_t>(take_unsigned(4)))));
      return true;
    case 0x4B:
      push(make(PickleKind::integer, static_cast<int64_t>(take_unsigned(1))));
      return true;
    case 0x4D:
      push(make(PickleKind::integer, static_cast<int64_t>(take_unsigned(2))));
      return true;
    case 0x8A:
      push(make(PickleKind::integer, take_long(take_unsigned(1))));
      return true;
    case 0x8B:
      push(make(PickleKind::integer, take_long(take_unsigned(4))));
      return true;
    case 0x47: {
      uint64_t bits = 0;  // The one big-endian number of the format.
      for (const char c : take(8)) bits = bits << 8 | static_cast<uint8_t>(c);
      push(make(PickleKind::real, std::bit_cast<double>(bits)));
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::step_text(uint8_t opcode) {
  int length_bytes = 0;
  PickleKind kind = PickleKind::string;
  switch (opcode) {
    case 0x58:
      length_bytes = 4;
      break;
    case 0x8C:
      length_bytes = 1;
      break;
    case 0x8D:
      length_bytes = 8;
      break;
    case 0x54:
      length_bytes = 4;
      kind = PickleKind::bytes;
      break;
    case 0x55:
      length_bytes = 1;
      kind = PickleKind::bytes;
      break;
    case 0x42:
      length_bytes = 4;
      kind = PickleKind::bytes;
      break;
    case 0x43:
      length_bytes = 1;
      kind = PickleKind::bytes;
      break;
    case 0x8E:
      length_bytes = 8;
      kind = PickleKind::bytes;
      break;
    default:
      return false;
  }
  const std::string_view text = take(take_unsigned(length_bytes));
  // Python 2 wrote plain ASCII text with the byte-string opcodes.
  if (opcode == 0x54 || opcode == 0x55) kind = PickleKind::string;
  expect(kind == PickleKind::bytes || is_valid_utf8(text), ErrorCode::corrupt,
         "P7: text must be UTF-8");
  push(make(kind, std::string(text)));
  return true;
}

bool PickleMachine::step_container(uint8_t opcode) {
  switch (opcode) {
    case 0x29:
      push(make(PickleKind::tuple, Items()));
      return true;
    case 0x5D:
      push(make(PickleKind::list, Items()));
      return true;
    case 0x7D:
      push(make(PickleKind::dict, Items()));
      return true;
    case 0x8F:
      push(make(PickleKind::set, Items()));
      return true;
    case 0x74:
      push(make(PickleKind::tuple, pop_to_mark()));
      return true;
    case 0x6C:
      push(make(PickleKind::list, pop_to_mark()));
      return true;
    case 0x91:
      push(make(PickleKind::set, pop_to_mark()));
      return true;
    case 0x64: {
      Items items = pop_to_mark();
      PickleObject* dict = make(PickleKind::dict, Items());
      set_items(dict, items);
      push(dict);
      return true;
    }
    case 0x85:
    case 0x86:
    case 0x87: {
      Items items(static_cast<size_t>(opcode - 0x84));
      for (size_t i = items.size(); i-- > 0;) items[i] = pop();
      push(make(PickleKind::tuple, std::move(items)));
      return true;
    }
    case 0x61: {
      const PickleObject* item = pop();
      append(top(), {item});
      return true;
    }
    case 0x65:
    case 0x90: {
      const Items items = pop_to_mark();
      append(top(), items);
      return true;
    }
    case 0x73: {
      const PickleObject* value = pop();
      const PickleObject* key = pop();
      set_items(top(), {key, value});
      return true;
    }
    case 0x75: {
      const Items items = pop_to_mark();
      set_items(top(), items);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::step_memo(uint8_t opcode) {
  switch (opcode) {
    case 0x71:
      remember(take_unsigned(1));
      return true;
    case 0x72:
      remember(take_unsigned(4));
      return true;
    case 0x94:
      remember(memo_.size());
      return true;
    case 0x68:
      recall(take_unsigned(1));
      return true;
    case 0x6A:
      recall(take_unsigned(4));
      return true;
    default:
      return false;
  }
}

void PickleMachine::step_object(uint8_t opcode) {
  switch (opcode) {
    case 0x63: {
      const std::string_view module = take_line();
      push_global(module, take_line());
      return;
    }
    case 0x93: {
      const PickleObject* global = pop();
      const PickleObject* module = pop();
      expect(global->kind == PickleKind::string && module->kind == PickleKind::string,
             ErrorCode::corrupt, "P2: a global must be named by two strings");
      push_global(module->text(), global->text());
      return;
    }
    case 0x52: {
      const PickleObject* arguments = pop();
      const PickleObject* callable = pop();
      push(call_global(*this, *callable, *arguments));
      return;
    }
    case 0x81: {
      pop();
      const PickleObject* type = pop();
      const std::string text =
          type->kind == PickleKind::global ? type->text() : std::string(name(type->kind));
      expect(options_.opaque_objects, ErrorCode::unsupported,
             "P3: only tensors and plain containers can be read, not an object of:", text);
      push(make_opaque(text));
      return;
    }
    case 0x51: {
      const PickleObject* id = pop();
      push_storage(*id);
      return;
    }
    case 0x62:
      build();
      return;
    default:
      expect(false, ErrorCode::unsupported,
             "P1: unknown or refused opcode:", static_cast<int>(opcode));
  }
}

bool PickleMachine::step(uint8_t opcode) {
  switch (opcode) {
    case 0x80: {
      const uint64_t protocol = take_unsigned(1);
      expect(protocol >= 2 && protocol <= 5, ErrorCode::unsupported,
             "P1: the protocol must be 2 to 5:", protocol);
      return true;
    }
    case 0x95:
      take(8);
      return true;
    case 0x28:
      marks_.push_back(stack_.size());
      return true;
    case 0x2E:
      return false;
    case 0x30:
      // POP also removes a mark that lies on top.
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      return true;
    case 0x31:
      pop_to_mark();
      return true;
    default:
      break;
  }
  if (step_scalar(opcode) || step_text(opcode) || step_container(opcode) || step_memo(opcode)) {
    return true;
  }
  step_object(opcode);
  return true;
}

void PickleMachine::finish() {
  expect(marks_.empty(), ErrorCode::corrupt, "P6: marks must be balanced at the end");
  expect(stack_.size() == 1, ErrorCode::corrupt,
         "P5: exactly one value must be left at the end:", stack_.size());
  if (at_ != text_.size()) {
    document_.warnings_.push_back(options_.origin + ": " + std::to_string(text_.size() - at_) +
                                  " bytes follow the end of the pickle");
  }
  document_.root_ = stack_.back();
}

void PickleMachine::run() {
  for (uint64_t count = 0;; ++count) {
    expect(count < options_.max_opcodes, ErrorCode::limit_exceeded,
           "P9: a pickle may have at most so many opcodes:", options_.max_opcodes);
    expect(at_ < text_.size(), ErrorCode::corrupt, "P7: the data must end with a STOP opcode");
    opcode_at_ = at_;
    const auto opcode = static_cast<uint8_t>(text_[at_++]);
    if (!step(opcode)) break;
  }
  finish();
}

namespace {

// Walks the tree: a container that holds itself, or nesting beyond the limit, would send every
// reader of the document into endless recursion. Shared containers are walked once per depth.
void check_shape(const PickleObject& object, uint32_t depth, const PickleOptions& options,
                 std::set<const PickleObject*>& open,
                 std::set<std::pair<const PickleObject*, uint32_t>>& done) {
  if (!is_container(object.kind)) return;
  require(depth < options.max_nesting, ErrorCode::limit_exceeded,
          "pickle P13: containers may nest at most so deep:", options.max_nesting, options.origin);
  require(open.insert(&object).second, ErrorCode::corrupt,
          "pickle P10: a container must not contain itself:", options.origin);
  if (done.insert({&object, depth}).second) {
    for (const PickleObject* item : object.items()) {
      check_shape(*item, depth + 1, options, open, done);
    }
  }
  open.erase(&object);
}

}  // namespace

PickleDocument PickleDocument::parse(std::span<const std::byte> bytes,
                                     const PickleOptions& options) {
  PickleDocument document;
  PickleMachine machine(bytes, options, document);
  machine.run();
  std::set<const PickleObject*> open;
  std::set<std::pair<const PickleObject*, uint32_t>> done;
  check_shape(document.root(), 0, options, open, done);
  return document;
}

}  // namespace litz::import_

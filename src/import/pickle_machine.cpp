// The data of the pickle machine: reading, the stack, the memo, storages.

#include "import/pickle_machine.h"

#include "support/text.h"

namespace litz::import_ {
namespace {

// Limits the memo to the number of opcodes that could fill it.
constexpr uint64_t kMaxMemo = 10'000'000;

}  // namespace

PickleMachine::PickleMachine(std::span<const std::byte> bytes, const PickleOptions& options,
                             PickleDocument& document)
    : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
      options_(options),
      document_(document),
      none_(make(PickleKind::none, std::monostate())),
      true_(make(PickleKind::boolean, true)),
      false_(make(PickleKind::boolean, false)) {}

void PickleMachine::fail(ErrorCode code, const std::string& message) const {
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

// --- Reading

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

// --- The stack

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
  // A gap larger than the remaining data could fill is an attack on memory.
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
    // One record with two types: the same bytes under another type.
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
  // State dicts of modules have a `_metadata` attribute, which is not needed.
  const bool ignorable = object->kind == PickleKind::opaque ||
                         (object->kind == PickleKind::dict && state->kind == PickleKind::dict);
  expect(ignorable, ErrorCode::unsupported,
         "P3: state can only be set on an ordered dict, not on:", name(object->kind));
}

}  // namespace litz::import_

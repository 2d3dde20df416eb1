// The opcode loop of the restricted pickle interpreter.

#include <bit>

#include "import/pickle_machine.h"
#include "support/text.h"

namespace litz::import_ {

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
      uint64_t bits = 0;  // The only big-endian number of the format.
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
      // POP also removes a mark on top.
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

}  // namespace litz::import_

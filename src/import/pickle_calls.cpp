// The calls that the pickle interpreter knows: torch.save's encoding of tensors and containers.

#include <algorithm>
#include <array>

#include "import/pickle_machine.h"
#include "import/schema_json.h"
#include "support/json.h"
#include "support/text.h"
#include "types/dtype.h"

namespace litz::import_ {
namespace {

using Items = PickleObject::Items;

/// The arguments of one call, with checks for all calls.
class CallArguments {
 public:
  CallArguments(PickleMachine& machine, std::string_view function, const PickleObject& arguments)
      : machine_(machine), function_(function) {
    machine.expect(arguments.kind == PickleKind::tuple, ErrorCode::corrupt,
                   "P3: a call must have a tuple of arguments:", function);
    items_ = &arguments.items();
  }

  size_t size() const { return items_->size(); }

  void require_count(size_t least, size_t most) const {
    machine_.expect(size() >= least && size() <= most, ErrorCode::corrupt,
                    "P3: a call must have the right number of arguments:", function_, size());
  }

  const PickleObject& at(size_t i, PickleKind kind) const {
    const PickleObject& item = *(*items_)[i];
    machine_.expect(item.kind == kind, ErrorCode::corrupt,
                    "P3: an argument must have the right kind:", function_, i, name(item.kind));
    return item;
  }

  const PickleObject& operator[](size_t i) const { return *(*items_)[i]; }

  int64_t length(size_t i) const {
    const int64_t value = at(i, PickleKind::integer).integer();
    machine_.expect(value >= 0, ErrorCode::corrupt,
                    "P12: sizes, strides and offsets must not be negative:", value);
    return value;
  }

  std::vector<int64_t> lengths(size_t i) const {
    std::vector<int64_t> values;
    for (const PickleObject* item : at(i, PickleKind::tuple).items()) {
      machine_.expect(item->kind == PickleKind::integer && item->integer() >= 0, ErrorCode::corrupt,
                      "P12: sizes, strides and offsets must be integers that are not negative");
      values.push_back(item->integer());
    }
    return values;
  }

  DType dtype(size_t i) const {
    const std::string& text = at(i, PickleKind::global).text();
    const auto dtype =
        text.starts_with("torch ") ? parse_dtype(std::string_view(text).substr(6)) : std::nullopt;
    machine_.expect(dtype.has_value(), ErrorCode::unsupported, "P2: unknown dtype:", text);
    return *dtype;
  }

  /// A trailing dict marks conjugate and negative views; their bits are not resolved.
  void refuse_lazy_bits(size_t i) const {
    if (i >= size() || (*items_)[i]->kind != PickleKind::dict) return;
    const Items& flags = (*items_)[i]->items();
    for (size_t k = 0; k + 1 < flags.size(); k += 2) {
      machine_.expect(flags[k + 1]->kind != PickleKind::boolean || !flags[k + 1]->boolean(),
                      ErrorCode::unsupported,
                      "P3: conjugate and negative views must be resolved before saving");
    }
  }

 private:
  PickleMachine& machine_;
  std::string_view function_;
  const Items* items_ = nullptr;
};

PickleObject* make_tensor(PickleMachine& machine, PickleTensor tensor) {
  machine.expect(tensor.sizes.size() == tensor.strides.size() && tensor.sizes.size() <= 64,
                 ErrorCode::corrupt,
                 "P12: a tensor must have as many strides as sizes, at most 64");
  int64_t span = 0;
  try {
    checked_numel(tensor.sizes);
    span = storage_span(tensor.sizes, tensor.strides, tensor.offset);
  } catch (const Error& error) {
    machine.fail(ErrorCode::corrupt, "P12: a tensor must fit 64 bits: " + error.message());
  }
  int64_t bytes = 0;
  machine.expect(!__builtin_mul_overflow(span, item_size(tensor.dtype), &bytes), ErrorCode::corrupt,
                 "P12: a tensor must fit 64 bits");
  machine.expect(
      tensor.storage == nullptr || static_cast<uint64_t>(bytes) <= tensor.storage->size(),
      ErrorCode::corrupt, "P12: a tensor must lie inside its storage, needs bytes:", bytes);
  return machine.make(PickleKind::tensor, std::make_shared<PickleTensor>(std::move(tensor)));
}

PickleObject* rebuild_tensor(PickleMachine& machine, const CallArguments& call, bool states_dtype) {
  const PickleStorage& storage = call.at(0, PickleKind::storage).storage();
  PickleTensor tensor;
  tensor.dtype = states_dtype ? call.dtype(6) : storage.dtype;
  machine.expect(states_dtype || !storage.untyped, ErrorCode::corrupt,
                 "P3: a tensor on untyped bytes must state its dtype");
  tensor.offset = call.length(1);
  tensor.sizes = call.lengths(2);
  tensor.strides = call.lengths(3);
  tensor.storage_key = storage.key;
  tensor.storage = storage.bytes;
  return make_tensor(machine, std::move(tensor));
}

PickleObject* rebuild_parameter(PickleMachine& machine, const CallArguments& call) {
  PickleTensor tensor = call.at(0, PickleKind::tensor).tensor();
  tensor.is_parameter = true;
  return machine.make(PickleKind::tensor, std::make_shared<PickleTensor>(std::move(tensor)));
}

PickleObject* rebuild_meta(PickleMachine& machine, const CallArguments& call) {
  PickleTensor tensor;
  tensor.dtype = call.dtype(0);
  tensor.sizes = call.lengths(1);
  tensor.strides = call.lengths(2);
  return make_tensor(machine, std::move(tensor));
}

PickleObject* rebuild_from_type(PickleMachine& machine, const CallArguments& call) {
  // The class is only a label: the inner call has the data. Python attributes are dropped.
  const std::string& type = call.at(1, PickleKind::global).text();
  constexpr std::array<std::string_view, 5> kPlain = {
      "torch Tensor", "torch.nn.parameter Parameter", "torch.nn.parameter Buffer",
      "torch._tensor Tensor", "torch.nn.Parameter Parameter"};
  if (std::find(kPlain.begin(), kPlain.end(), type) == kPlain.end()) {
    machine.expect(machine.options().opaque_objects, ErrorCode::unsupported,
                   "P2: tensor subclasses are not supported:", type);
    return machine.make_opaque(type);
  }
  const PickleObject& inner = call.at(0, PickleKind::global);
  machine.expect(inner.text() != "torch._tensor _rebuild_from_type_v2", ErrorCode::corrupt,
                 "P13: a tensor's class is stated once");
  return call_global(machine, inner, call.at(2, PickleKind::tuple));
}

/// OrderedDict(), dict(), OrderedDict([(key, value), ...]).
PickleObject* make_dict(PickleMachine& machine, const CallArguments& call, size_t source) {
  Items items;
  if (call.size() > source) {
    const PickleObject& pairs = call[source];
    if (pairs.kind == PickleKind::dict) {
      items = pairs.items();
    } else {
      machine.expect(pairs.kind == PickleKind::list || pairs.kind == PickleKind::tuple,
                     ErrorCode::corrupt, "P3: a dict is made of pairs");
      for (const PickleObject* pair : pairs.items()) {
        machine.expect((pair->kind == PickleKind::tuple || pair->kind == PickleKind::list) &&
                           pair->items().size() == 2,
                       ErrorCode::corrupt, "P3: a dict is made of pairs");
        items.insert(items.end(), pair->items().begin(), pair->items().end());
      }
    }
  }
  return machine.make(PickleKind::dict, std::move(items));
}

PickleObject* make_sequence(PickleMachine& machine, const CallArguments& call, PickleKind kind) {
  Items items;
  if (call.size() > 0) {
    const PickleObject& source = call[0];
    machine.expect(source.kind == PickleKind::list || source.kind == PickleKind::tuple ||
                       source.kind == PickleKind::set,
                   ErrorCode::corrupt, "P3: a sequence is made of a sequence");
    items = source.items();
  }
  return machine.make(kind, std::move(items));
}

PickleObject* make_complex(PickleMachine& machine, const CallArguments& call) {
  std::complex<double> value;
  for (size_t i = 0; i < call.size() && i < 2; ++i) {
    const PickleObject& part = call[i];
    machine.expect(part.kind == PickleKind::real || part.kind == PickleKind::integer,
                   ErrorCode::corrupt, "P3: complex numbers are made of numbers");
    const double number =
        part.kind == PickleKind::real ? part.real() : static_cast<double>(part.integer());
    if (i == 0) value.real(number);
    if (i == 1) value.imag(number);
  }
  return machine.make(PickleKind::complex, value);
}

/// Protocol 2 encodes bytes as text with one character per byte.
PickleObject* encode_latin1(PickleMachine& machine, const CallArguments& call) {
  const std::string& text = call.at(0, PickleKind::string).text();
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<uint8_t>(text[i]);
    if (c < 0x80) {
      bytes += static_cast<char>(c);
      continue;
    }
    machine.expect((c == 0xC2 || c == 0xC3) && i + 1 < text.size(), ErrorCode::corrupt,
                   "P3: bytes written as text must be latin-1");
    bytes += static_cast<char>((c & 3) << 6 | (static_cast<uint8_t>(text[++i]) & 0x3F));
  }
  return machine.make(PickleKind::bytes, std::move(bytes));
}

/// Exports of fake weights: the bytes are a JSON tensor description without data.
PickleObject* reconstruct_fake(PickleMachine& machine, const CallArguments& call) {
  const JsonDocument document =
      JsonDocument::parse(call.at(0, PickleKind::bytes).text(), machine.options().origin);
  const LiteralTensorMeta meta =
      read_literal_tensor_meta(document.root(), JsonPath(machine.options().origin));
  PickleTensor tensor;
  tensor.dtype = meta.dtype;
  tensor.sizes = meta.sizes;
  tensor.strides = meta.strides;
  tensor.offset = meta.offset;
  return make_tensor(machine, std::move(tensor));
}

using Function = PickleObject* (*)(PickleMachine&, const CallArguments&);

struct KnownCall {
  std::string_view name;
  size_t least;
  size_t most;
  Function function;
};

constexpr KnownCall kKnownCalls[] = {
    {"torch._utils _rebuild_tensor_v2", 6, 7,
     [](PickleMachine& machine, const CallArguments& call) {
       call.refuse_lazy_bits(6);
       return rebuild_tensor(machine, call, false);
     }},
    {"torch._utils _rebuild_tensor_v3", 7, 8,
     [](PickleMachine& machine, const CallArguments& call) {
       call.refuse_lazy_bits(7);
       return rebuild_tensor(machine, call, true);
     }},
    {"torch._utils _rebuild_tensor", 4, 4,
     [](PickleMachine& machine, const CallArguments& call) {
       return rebuild_tensor(machine, call, false);
     }},
    {"torch._utils _rebuild_parameter", 3, 3, rebuild_parameter},
    {"torch._utils _rebuild_parameter_with_state", 4, 4, rebuild_parameter},
    {"torch._utils _rebuild_meta_tensor_no_storage", 4, 4, rebuild_meta},
    {"torch._tensor _rebuild_from_type_v2", 4, 4, rebuild_from_type},
    {"torch._export.serde.serialize _reconstruct_fake_tensor", 2, 2, reconstruct_fake},
    {"collections OrderedDict", 0, 1,
     [](PickleMachine& machine, const CallArguments& call) { return make_dict(machine, call, 0); }},
    {"collections defaultdict", 0, 2,
     [](PickleMachine& machine, const CallArguments& call) { return make_dict(machine, call, 1); }},
    {"collections deque", 0, 2,
     [](PickleMachine& machine, const CallArguments& call) {
       return make_sequence(machine, call, PickleKind::list);
     }},
    {"torch Size", 1, 1,
     [](PickleMachine& machine, const CallArguments& call) {
       return make_sequence(machine, call, PickleKind::tuple);
     }},
    {"torch device", 1, 2,
     [](PickleMachine& machine, const CallArguments& call) {
       return machine.make(PickleKind::string, call.at(0, PickleKind::string).text());
     }},
    {"torch.serialization _get_layout", 1, 1,
     [](PickleMachine& machine, const CallArguments& call) {
       const std::string& layout = call.at(0, PickleKind::string).text();
       machine.expect(layout == "torch.strided", ErrorCode::unsupported,
                      "P3: only strided tensors are supported, not:", layout);
       return machine.make(PickleKind::string, layout);
     }},
    {"_codecs encode", 1, 2, encode_latin1},
};

struct KnownBuiltin {
  std::string_view name;
  Function function;
};

constexpr KnownBuiltin kKnownBuiltins[] = {
    {"set",
     [](PickleMachine& machine, const CallArguments& call) {
       return make_sequence(machine, call, PickleKind::set);
     }},
    {"list",
     [](PickleMachine& machine, const CallArguments& call) {
       return make_sequence(machine, call, PickleKind::list);
     }},
    {"dict",
     [](PickleMachine& machine, const CallArguments& call) { return make_dict(machine, call, 0); }},
    {"complex", make_complex},
    {"bytearray",
     [](PickleMachine& machine, const CallArguments& call) {
       if (call.size() == 0) return machine.make(PickleKind::bytes, std::string());
       return machine.make(PickleKind::bytes, call.at(0, PickleKind::bytes).text());
     }},
};

const char* unsupported_reason(std::string_view global) {
  if (global == "torch._utils _rebuild_qtensor") return "P3: quantized tensors are not supported:";
  if (global == "torch._utils _rebuild_sparse_tensor" ||
      global == "torch._utils _rebuild_sparse_csr_tensor") {
    return "P3: sparse tensors are not supported:";
  }
  return "P2: only tensors and plain containers can be read, this needs:";
}

}  // namespace

PickleObject* call_global(PickleMachine& machine, const PickleObject& callable,
                          const PickleObject& arguments) {
  if (callable.kind != PickleKind::global) {
    machine.expect(machine.options().opaque_objects && callable.kind == PickleKind::opaque,
                   ErrorCode::corrupt, "P3: only globals can be called, not:", name(callable.kind));
    return machine.make_opaque("result of a call");
  }
  const std::string& global = callable.text();
  for (const KnownCall& known : kKnownCalls) {
    if (known.name != global) continue;
    const CallArguments call(machine, global, arguments);
    call.require_count(known.least, known.most);
    return known.function(machine, call);
  }
  for (const std::string_view prefix : {"__builtin__ ", "builtins "}) {
    if (!global.starts_with(prefix)) continue;
    for (const KnownBuiltin& known : kKnownBuiltins) {
      if (known.name != std::string_view(global).substr(prefix.size())) continue;
      const CallArguments call(machine, global, arguments);
      call.require_count(0, 2);
      return known.function(machine, call);
    }
  }
  machine.expect(machine.options().opaque_objects, ErrorCode::unsupported,
                 unsupported_reason(global), global);
  return machine.make_opaque(global);
}

PickleStorage storage_class(const PickleMachine& machine, std::string_view global) {
  struct Known {
    std::string_view name;
    DType dtype;
  };

  constexpr Known kKnown[] = {
      {"torch DoubleStorage", DType::f64},       {"torch FloatStorage", DType::f32},
      {"torch HalfStorage", DType::f16},         {"torch BFloat16Storage", DType::bf16},
      {"torch LongStorage", DType::i64},         {"torch IntStorage", DType::i32},
      {"torch ShortStorage", DType::i16},        {"torch CharStorage", DType::i8},
      {"torch ByteStorage", DType::u8},          {"torch BoolStorage", DType::bool_},
      {"torch ComplexFloatStorage", DType::c64}, {"torch ComplexDoubleStorage", DType::c128},
  };
  PickleStorage storage;
  for (const Known& known : kKnown) {
    if (known.name == global) {
      storage.dtype = known.dtype;
      return storage;
    }
  }
  machine.expect(global == "torch.storage UntypedStorage" || global == "torch.storage TypedStorage",
                 ErrorCode::unsupported, "P15: storage class is not supported:", global);
  storage.untyped = true;
  return storage;
}

}  // namespace litz::import_

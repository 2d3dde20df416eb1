#include "import/payloads.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "import/schema_json.h"
#include "import/torch_save.h"
#include "support/check.h"
#include "support/json.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

// Bytes from the start of the storage to the end of the furthest element.
int64_t bytes_needed(const Payload& payload, const std::string& fqn) {
  int64_t bytes = 0;
  try {
    checked_numel(payload.sizes);
    const int64_t span = storage_span(payload.sizes, payload.strides, payload.offset);
    if (!__builtin_mul_overflow(span, item_size(payload.dtype), &bytes)) return bytes;
  } catch (const Error&) {
    // The error is reported below, with the name.
  }
  fail(ErrorCode::corrupt, "W2: the extent of a weight must fit 64 bits:", quote(fqn));
}

bool same_content(const Payload& a, const Payload& b) {
  if (a.dtype != b.dtype || a.sizes != b.sizes) return false;
  if (!a.tensor.defined() || !b.tensor.defined()) return a.tensor.defined() == b.tensor.defined();
  const Tensor x = a.tensor.contiguous();
  const Tensor y = b.tensor.contiguous();
  const auto bytes = static_cast<size_t>(x.numel() * item_size(x.dtype()));
  return bytes == 0 || std::memcmp(x.data(), y.data(), bytes) == 0;
}

}  // namespace

class PayloadTable::Loader {
 public:
  Loader(const Archive& archive, const ImportOptions& options, PayloadTable& table)
      : archive_(archive), options_(options), table_(table) {}

  void read_config(const ZipEntry* config, const std::string& folder);
  void read_pickle(const ZipEntry* entry, bool allow_objects);

 private:
  struct Record {
    std::string fqn;
    std::string path;
    Payload payload;
    int64_t need = 0;
  };

  Record read_record(const JsonMember& member, const JsonPath& path, const std::string& folder);
  void resolve(std::vector<Record> records);
  void load_pickled_record(Record& record);
  std::shared_ptr<Storage> find_storage(const std::string& path, int64_t need);
  void add(std::string fqn, Payload&& payload);

  const Archive& archive_;
  const ImportOptions& options_;
  PayloadTable& table_;
};

void PayloadTable::Loader::read_config(const ZipEntry* config, const std::string& folder) {
  if (config == nullptr) return;
  const ZipContent content = archive_.zip().read_verified(*config);
  const JsonDocument document = JsonDocument::parse(content.bytes(), config->name);
  const JsonPath root(config->name);
  const JsonPath path = root / "config";
  std::vector<Record> records;
  for (const JsonMember& member : document.root().at("config", root).as_object(path)) {
    records.push_back(read_record(member, path / member.key, folder));
  }
  resolve(std::move(records));
}

PayloadTable::Loader::Record PayloadTable::Loader::read_record(const JsonMember& member,
                                                               const JsonPath& path,
                                                               const std::string& folder) {
  Record record;
  record.fqn = member.key;
  const std::string_view name = member.value.at("path_name", path).as_string(path / "path_name");
  const bool plain = !name.empty() && name.find_first_of("/\\") == std::string_view::npos &&
                     name != "." && name != "..";
  require(plain, ErrorCode::corrupt, "W1: path_name must be a plain file name:", path, quote(name));
  record.path = folder + std::string(name);
  record.payload.entry = std::string(archive_.zip().root()) + "/" + record.path;
  const JsonValue* meta = member.value.get("tensor_meta", path);
  if (meta == nullptr) {
    const bool object = name.starts_with("custom_obj") || name.starts_with("opaque_obj");
    require(object, ErrorCode::corrupt, "W5: the record of a tensor must have tensor_meta:", path);
    record.payload.is_object = true;
    return record;
  }
  const LiteralTensorMeta literal = read_literal_tensor_meta(*meta, path / "tensor_meta");
  record.payload.dtype = literal.dtype;
  record.payload.sizes = literal.sizes;
  record.payload.strides = literal.strides;
  record.payload.offset = literal.offset;
  record.need = bytes_needed(record.payload, record.fqn);
  const JsonValue* pickled = member.value.get("use_pickle", path);
  if (pickled != nullptr && pickled->as_bool(path / "use_pickle")) load_pickled_record(record);
  return record;
}

void PayloadTable::Loader::load_pickled_record(Record& record) {
  const ZipEntry* entry = archive_.zip().find_path(record.path);
  if (entry == nullptr) return;
  const PickleDocument document =
      read_torch_save(archive_.zip(), *entry, {.check_crc = options_.check_weights_crc});
  require(document.root().kind == PickleKind::tensor, ErrorCode::unsupported,
          "W5: a pickled weight must be one tensor:", quote(record.fqn),
          name(document.root().kind));
  record.payload.tensor = document.root().tensor().tensor();
}

void PayloadTable::Loader::resolve(std::vector<Record> records) {
  // One storage per payload file, large enough for all its names.
  std::map<std::string, int64_t> needs;
  for (const Record& record : records) {
    int64_t& need = needs[record.path];
    need = std::max(need, record.need);
  }
  std::map<std::string, std::shared_ptr<Storage>> storages;
  for (Record& record : records) {
    Payload& payload = record.payload;
    if (!payload.is_object && !payload.tensor.defined()) {
      const auto [at, fresh] = storages.try_emplace(record.path);
      if (fresh) at->second = find_storage(record.path, needs[record.path]);
      const std::shared_ptr<Storage>& storage = at->second;
      if (storage != nullptr) {
        const auto size = static_cast<int64_t>(storage->size());
        require(record.need <= size, ErrorCode::corrupt,
                "W2: a weight must lie inside its payload:", quote(record.fqn), payload.entry,
                "needs", record.need, "of", size);
        require(size % item_size(payload.dtype) == 0, ErrorCode::corrupt,
                "W2: a payload must hold whole elements:", quote(record.fqn), payload.entry, size);
        payload.tensor =
            Tensor(payload.dtype, payload.sizes, payload.strides, payload.offset, storage);
      }
    }
    add(std::move(record.fqn), std::move(payload));
  }
}

std::shared_ptr<Storage> PayloadTable::Loader::find_storage(const std::string& path, int64_t need) {
  const ZipEntry* entry = archive_.zip().find_path(path);
  // A payload of zero bytes for a tensor with elements comes from an export of fake weights.
  if (entry != nullptr && (entry->size > 0 || need == 0)) {
    return entry_storage(archive_.zip(), *entry, options_.check_weights_crc);
  }
  const std::string full = std::string(archive_.zip().root()) + "/" + path;
  std::shared_ptr<Storage> given =
      options_.weights ? options_.weights(full, static_cast<size_t>(need)) : nullptr;
  require(given == nullptr || given->size() >= static_cast<size_t>(need),
          "a supplied weight must be large enough:", full, need);
  if (given == nullptr && need == 0) given = Storage::allocate(0);
  return given;
}

void PayloadTable::Loader::read_pickle(const ZipEntry* entry, bool allow_objects) {
  if (entry == nullptr || entry->size == 0) return;
  const PickleDocument document =
      read_torch_save(archive_.zip(), *entry,
                      {.opaque_objects = allow_objects, .check_crc = options_.check_weights_crc});
  require(document.root().kind == PickleKind::dict, ErrorCode::corrupt,
          "W5: a state dict must be a dict:", entry->name, name(document.root().kind));
  const auto& items = document.root().items();
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    require(items[i]->kind == PickleKind::string, ErrorCode::corrupt,
            "W5: the keys of a state dict must be names:", entry->name, name(items[i]->kind));
    Payload payload;
    payload.entry = std::string(entry->name);
    payload.is_object = items[i + 1]->kind != PickleKind::tensor;
    if (!payload.is_object) {
      const PickleTensor& tensor = items[i + 1]->tensor();
      payload.dtype = tensor.dtype;
      payload.sizes = tensor.sizes;
      payload.strides = tensor.strides;
      payload.offset = tensor.offset;
      payload.tensor = tensor.tensor();
    }
    add(items[i]->text(), std::move(payload));
  }
}

void PayloadTable::Loader::add(std::string fqn, Payload&& payload) {
  const auto [at, fresh] = table_.payloads_.try_emplace(std::move(fqn), std::move(payload));
  if (fresh) return;
  require(same_content(at->second, payload), ErrorCode::corrupt,
          "W4: a name must not have two payloads:", quote(at->first));
}

PayloadTable PayloadTable::load(const Archive& archive, const ImportOptions& options) {
  PayloadTable table;
  Loader loader(archive, options, table);
  loader.read_config(archive.weights_config(), "data/weights/");
  loader.read_config(archive.constants_config(), "data/constants/");
  loader.read_pickle(archive.state_dict(), false);
  loader.read_pickle(archive.constants(), true);  // Script objects are kept, but unusable.
  return table;
}

const Payload* PayloadTable::find(std::string_view name) const {
  const auto found = payloads_.find(name);
  return found == payloads_.end() ? nullptr : &found->second;
}

}  // namespace litz::import_

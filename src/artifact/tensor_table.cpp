#include "artifact/tensor_table.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

void write_numbers(ByteWriter& out, std::span<const int64_t> numbers) {
  out.number<uint64_t>(numbers.size());
  for (const int64_t number : numbers) out.number(number);
}

std::vector<int64_t> read_numbers(ByteReader& in) {
  std::vector<int64_t> numbers(in.count());
  for (int64_t& number : numbers) number = in.number<int64_t>();
  return numbers;
}

Tensor read_tensor(ByteReader& in, std::span<const std::shared_ptr<Storage>> storages) {
  const auto dtype = in.number<uint8_t>();
  require(dtype <= static_cast<uint8_t>(DType::c128), ErrorCode::corrupt, kWhat,
          "must hold tensors of known dtypes:", int{dtype});
  const auto storage = in.number<uint64_t>();
  require(storage < storages.size(), ErrorCode::corrupt, kWhat,
          "must hold the storages of its tensors:", storage);
  std::vector<int64_t> sizes = read_numbers(in);
  std::vector<int64_t> strides = read_numbers(in);
  const auto offset = in.number<int64_t>();
  const bool is_shape = sizes.size() == strides.size() && offset >= 0 &&
                        std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; }) &&
                        std::ranges::all_of(strides, [](int64_t stride) { return stride >= 0; });
  require(is_shape, ErrorCode::corrupt, kWhat, "must hold sizes and strides of tensors");
  try {
    return {static_cast<DType>(dtype), std::move(sizes), std::move(strides), offset,
            storages[static_cast<size_t>(storage)]};
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    fail(ErrorCode::corrupt, kWhat, "must hold the elements of its tensors:", error.message());
  }
}

}  // namespace

TensorTableWriter::TensorTableWriter(std::span<const Tensor> tensors) : tensors_(tensors) {
  for (const Tensor& tensor : tensors) {
    const Storage* const storage = tensor.storage().get();
    const bool is_new = numbers_.emplace(storage, storages_.size()).second;
    if (is_new) storages_.push_back(storage);
  }
}

void TensorTableWriter::write_types(ByteWriter& out) const {
  out.number<uint64_t>(storages_.size());
  uint64_t offset = 0;
  for (const Storage* storage : storages_) {
    out.number(offset);
    out.number<uint64_t>(storage->size());
    offset += aligned_to_storage(storage->size());
  }
  out.number<uint64_t>(tensors_.size());
  for (const Tensor& tensor : tensors_) {
    out.number(static_cast<uint8_t>(tensor.dtype()));
    out.number<uint64_t>(numbers_.at(tensor.storage().get()));
    write_numbers(out, tensor.sizes());
    write_numbers(out, tensor.strides());
    out.number(tensor.offset());
  }
}

void TensorTableWriter::write_storages(ByteWriter& out) const {
  for (const Storage* storage : storages_) {
    out.bytes({storage->data(), storage->size()});
    out.zeros(aligned_to_storage(storage->size()) - storage->size());
  }
}

std::vector<Tensor> read_tensor_table(ByteReader& in, std::span<const std::byte> data,
                                      const std::shared_ptr<const void>& keeper) {
  std::vector<std::shared_ptr<Storage>> storages;
  for (size_t left = in.count(); left > 0; --left) {
    const auto offset = in.number<uint64_t>();
    const auto size = in.number<uint64_t>();
    require(
        offset % kStorageAlignment == 0 && offset <= data.size() && size <= data.size() - offset,
        ErrorCode::corrupt, kWhat, "must hold its weights:", offset, size);
    storages.push_back(Storage::borrow(
        data.subspan(static_cast<size_t>(offset), static_cast<size_t>(size)), keeper));
  }
  std::vector<Tensor> tensors;
  for (size_t left = in.count(); left > 0; --left) tensors.push_back(read_tensor(in, storages));
  return tensors;
}

}  // namespace litz::artifact

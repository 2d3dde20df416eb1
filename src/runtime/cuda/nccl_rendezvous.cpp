#include "runtime/cuda/nccl_rendezvous.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "support/check.h"
#include "support/hash.h"

namespace litz::runtime::cuda {
namespace {

class ByFile final : public NcclRendezvous {
 public:
  ByFile(std::string path, std::chrono::milliseconds patience)
      : path_(std::move(path)), patience_(patience) {}

  NcclId share(const std::string& group, size_t ranks, size_t own,
               const std::function<NcclId()>& make) override {
    const std::string file = file_of(group);
    if (own != 0) {
      write(here(file, own), NcclId());
      return read(file);
    }
    for (size_t other = 1; other < ranks; ++other) {
      read(here(file, other));
      remove(here(file, other));
    }
    const NcclId id = make();
    write(file, id);
    return id;
  }

  void done(const std::string& group, size_t own) override {
    if (own == 0) remove(file_of(group));
  }

 private:
  /// Names of groups may hold anything.
  std::string file_of(const std::string& group) const {
    std::ostringstream text;
    text << path_ << '.' << std::hex << hash_bytes(group);
    return std::move(text).str();
  }

  /// The file by which a rank says that it has come.
  static std::string here(const std::string& file, size_t rank) {
    return file + "." + std::to_string(rank);
  }

  static void remove(const std::string& file) {
    std::error_code error;
    std::filesystem::remove(file, error);
  }

  // Renamed when it is whole, so that nobody reads a part.
  static void write(const std::string& file, const NcclId& id) {
    std::error_code error;
    require(!std::filesystem::exists(file, error), ErrorCode::io,
            "the file where ranks meet must not exist yet (is it of another run?):", file);
    const std::string part = file + ".part";
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    out.write(id.bytes, sizeof id.bytes);
    out.close();
    if (out) std::filesystem::rename(part, file, error);
    require(out.good() && !error, ErrorCode::io,
            "the file where ranks meet must be writable:", file);
  }

  NcclId read(const std::string& file) const {
    const auto end = std::chrono::steady_clock::now() + patience_;
    while (true) {
      NcclId id;
      std::ifstream in(file, std::ios::binary);
      if (in.read(id.bytes, sizeof id.bytes)) return id;
      require(std::chrono::steady_clock::now() < end, ErrorCode::cancelled,
              "all ranks of a group must come to the file where they meet; file, milliseconds "
              "waited:",
              file, patience_.count());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  std::string path_;
  std::chrono::milliseconds patience_;
};

class ByRanks final : public NcclRendezvous {
 public:
  explicit ByRanks(std::shared_ptr<distributed::Communicator> host) : host_(std::move(host)) {}

  // Everybody gives an id, so that all wait for all.
  NcclId share(const std::string& group, size_t ranks, size_t own,
               const std::function<NcclId()>& make) override {
    NcclId id;
    if (own == 0) id = make();
    constexpr auto kBytes = static_cast<int64_t>(sizeof id.bytes);
    distributed::Collective collective{.kind = distributed::CollectiveKind::all_gather,
                                       .group = group};
    collective.operands = {
        Tensor::of_bytes(DType::u8, {kBytes}, std::as_bytes(std::span(id.bytes, sizeof id.bytes)))};
    collective.results = {Tensor::zeros(DType::u8, {kBytes * static_cast<int64_t>(ranks)})};
    const Tensor result = collective.results[0];
    host_->start(std::move(collective));
    host_->wait(result);
    std::memcpy(id.bytes, result.data(), sizeof id.bytes);
    return id;
  }

  void done(const std::string& /*group*/, size_t /*own*/) override {}

 private:
  std::shared_ptr<distributed::Communicator> host_;
};

}  // namespace

std::unique_ptr<NcclRendezvous> meet_by_file(std::string path, std::chrono::milliseconds patience) {
  return std::make_unique<ByFile>(std::move(path), patience);
}

std::unique_ptr<NcclRendezvous> meet_by_ranks(std::shared_ptr<distributed::Communicator> host) {
  return std::make_unique<ByRanks>(std::move(host));
}

}  // namespace litz::runtime::cuda

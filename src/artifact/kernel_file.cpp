#include "artifact/kernel_file.h"

#include <cmath>
#include <cstring>
#include <string_view>

#include "artifact/byte_stream.h"
#include "expr/parse.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::artifact {
namespace {

constexpr std::string_view kMagic = "litz-k03";
constexpr const char* kWhat = "a stored kernel";
constexpr size_t kHeaderBytes = 8 + 4 * sizeof(uint64_t);

Expr known_symbol(const ExprPool& pool, const std::string& name) {
  const std::optional<Expr> found = pool.find_symbol(name);
  require(found.has_value(), ErrorCode::corrupt,
          "a stored kernel must use the program's symbols:", name);
  return *found;
}

KernelPhase read_phase(ByteReader& reader, ExprPool& pool) {
  SymbolResolver resolver;
  resolver.symbol = [&](const std::string& name, bool) { return known_symbol(pool, name); };
  KernelPhase phase;
  phase.iterations = parse_expr(reader.text(), pool, resolver);
  phase.grain = reader.number<int64_t>();
  phase.threads = reader.number<int32_t>();
  phase.cost = parse_expr(reader.text(), pool, resolver);
  require(can_run(phase), ErrorCode::corrupt, "a stored phase must be one that can run");
  return phase;
}

KernelCheck read_check(ByteReader& reader) {
  KernelCheck check;
  const auto kind = reader.number<uint8_t>();
  require(kind <= static_cast<uint8_t>(CheckKind::assertion), ErrorCode::corrupt,
          "a stored check must be of a known kind:", int{kind});
  check.kind = static_cast<CheckKind>(kind);
  check.text = reader.text();
  return check;
}

uint64_t checksum(std::span<const std::byte> payload, const KernelKey& key) {
  return hash_bytes(payload, hash_combine(key.high, key.low));
}

}  // namespace

std::string to_string(const KernelKey& key) {
  std::string digits;
  for (const uint64_t word : {key.high, key.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      digits += "0123456789abcdef"[(word >> shift) & 15];
    }
  }
  return digits;
}

std::string symbol_prefix(const KernelKey& key) { return "k" + to_string(key) + "_"; }

std::vector<std::byte> kernel_payload(const KernelCode& code, const ExprPool& pool) {
  ByteWriter out;
  out.number<uint64_t>(code.phases.size());
  for (const KernelPhase& phase : code.phases) {
    out.text(to_string(phase.iterations));
    out.number(phase.grain);
    out.number(phase.threads);
    out.text(to_string(phase.cost));
  }
  out.number<uint64_t>(code.scalars.size());
  for (const SymbolId symbol : code.scalars) out.text(pool.symbol(symbol).name);
  out.number<uint64_t>(code.checks.size());
  for (const KernelCheck& check : code.checks) {
    out.number(static_cast<uint8_t>(check.kind));
    out.text(check.text);
  }
  out.block(code.object);
  return out.take();
}

KernelCode parse_kernel_payload(std::span<const std::byte> payload, const KernelKey& key,
                                ExprPool& pool) {
  ByteReader reader(payload, kWhat);
  KernelCode code;
  const std::string prefix = symbol_prefix(key);
  for (size_t left = reader.count(); left > 0; --left) {
    KernelPhase phase = read_phase(reader, pool);
    phase.symbol = prefix + std::to_string(code.phases.size());
    code.phases.push_back(std::move(phase));
  }
  for (size_t left = reader.count(); left > 0; --left) {
    code.scalars.push_back(known_symbol(pool, std::string(reader.text())).symbol());
  }
  for (size_t left = reader.count(); left > 0; --left) code.checks.push_back(read_check(reader));
  const std::span<const std::byte> object = reader.block();
  code.object.assign(object.begin(), object.end());
  require(reader.at_end(), ErrorCode::corrupt, "a stored kernel must end with its object");
  return code;
}

std::vector<std::byte> seal(std::span<const std::byte> payload, const KernelKey& key) {
  ByteWriter out;
  out.bytes(std::as_bytes(std::span(kMagic)));
  out.number(key.high);
  out.number(key.low);
  out.number<uint64_t>(payload.size());
  out.number(checksum(payload, key));
  out.bytes(payload);
  return out.take();
}

std::span<const std::byte> unseal(std::span<const std::byte> bytes, const KernelKey& key) {
  ByteReader reader(bytes, kWhat);
  require(std::memcmp(reader.bytes(kMagic.size()).data(), kMagic.data(), kMagic.size()) == 0,
          ErrorCode::corrupt, "a stored kernel must begin with", kMagic);
  const KernelKey stored{reader.number<uint64_t>(), reader.number<uint64_t>()};
  require(stored == key, ErrorCode::corrupt,
          "a stored kernel must be the one that its name says:", to_string(stored));
  const auto size = reader.number<uint64_t>();
  const auto sum = reader.number<uint64_t>();
  require(size == bytes.size() - kHeaderBytes, ErrorCode::corrupt,
          "a stored kernel must have the size that it says:", size);
  const std::span<const std::byte> payload = reader.bytes(size);
  require(checksum(payload, key) == sum, ErrorCode::corrupt, "a stored kernel must be undamaged");
  return payload;
}

}  // namespace litz::artifact

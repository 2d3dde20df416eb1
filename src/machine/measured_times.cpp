#include "machine/measured_times.h"

#include <algorithm>
#include <iterator>

#include "support/check.h"
#include "support/json.h"
#include "support/mapped_file.h"

namespace litz::machine {
namespace {

double median(std::vector<double> times) {
  const size_t half = times.size() / 2;
  std::ranges::sort(times);
  return times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
}

double amount_of(const JsonValue& sample, bool is_collective, const JsonPath& path) {
  const char* const key = is_collective ? "bytes" : "work";
  const double amount = sample.at(key, path).as_double(path / key);
  require(amount > 0, "the amount of a measured time must be positive:", path / key, amount);
  return amount;
}

}  // namespace

MeasuredTimes MeasuredTimes::parse(std::string_view lines, std::string_view origin) {
  MeasuredTimes times;
  const JsonPath whole(origin);
  for (size_t number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const JsonPath path = whole / number;
    const JsonDocument document = JsonDocument::parse(line, path.text());
    const JsonValue& sample = document.root();
    MeasuredKind kind{std::string(sample.at("what", path).as_string(path / "what")),
                      std::string(sample.at("dtype", path).as_string(path / "dtype")), 0};
    if (const JsonValue* ranks = sample.get("ranks", path))
      kind.ranks = ranks->as_int(path / "ranks");
    const double us = sample.at("us", path).as_double(path / "us");
    require(us >= 0, "a measured time must not be negative:", path / "us", us);
    times.add(kind, amount_of(sample, kind.ranks > 0, path), us);
  }
  return times;
}

MeasuredTimes MeasuredTimes::open(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  return parse({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path);
}

void MeasuredTimes::add(const MeasuredKind& kind, double amount, double us) {
  samples_[kind][amount].push_back(us);
}

std::optional<double> MeasuredTimes::us(const MeasuredKind& kind, double amount) const {
  const auto known = samples_.find(kind);
  if (known == samples_.end()) return std::nullopt;
  const auto& samples = known->second;
  const auto above = samples.lower_bound(amount);
  if (above == samples.begin()) return median(above->second);
  const auto below = std::prev(above);
  const double low = median(below->second);
  if (above == samples.end()) return low * amount / below->first;
  const double high = median(above->second);
  return low + (high - low) * (amount - below->first) / (above->first - below->first);
}

}  // namespace litz::machine

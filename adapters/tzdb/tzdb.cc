#include "adapters/tzdb/tzdb.h"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "adapters/tzdb/posix_rule.h"
#include "core/base/time.h"

namespace tenure {
namespace {

constexpr std::int64_t kLast = StoreTime::max().ns() / 1'000'000'000;

// The first line of tzdata.zi is "# version 2025b".
std::string version_of(const std::string& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::string(kNoTzdb);
  std::ifstream file(folder + "/tzdata.zi");
  std::string hash, word, version;
  file >> hash >> word >> version;
  return file && hash == "#" && word == "version" ? version : "unknown";
}

// What stands between the last two newlines of a TZif file; nothing in one of the first version, which ends in data.
std::string footer_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!bytes.starts_with("TZif") || bytes.size() < 6 || bytes[4] < '2' || bytes.back() != '\n') return {};
  const std::size_t before = bytes.rfind('\n', bytes.size() - 2);
  if (before == std::string::npos) return {};
  return bytes.substr(before + 1, bytes.size() - before - 2);
}

// The changes that the file names one by one.
std::vector<TimeZone::Period> explicit_periods(const date::time_zone& zone) {
  std::vector<TimeZone::Period> periods;
  date::sys_info info = zone.get_info(date::sys_seconds{std::chrono::seconds{TimeZone::kAlways}});
  std::int64_t begin = TimeZone::kAlways;
  while (true) {
    append_period({.begin = begin, .offset = static_cast<std::int32_t>(info.offset.count())}, periods);
    const date::sys_seconds end = info.end;
    const std::int64_t next = end.time_since_epoch().count();
    if (next > kLast || next <= begin) return periods;
    begin = next;
    info = zone.get_info(end);
  }
}

}  // namespace

Tzdb::Tzdb(std::string folder) : folder_(std::move(folder)), version_(version_of(folder_)) {}

const std::vector<std::string>& Tzdb::known_names() const {
  if (names_) return *names_;
  names_.emplace();
  std::error_code ignored;
  try {
    for (const date::time_zone& zone : date::get_tzdb().zones)
      if (zone.name() != "localtime" &&
          std::filesystem::is_regular_file(folder_ + "/" + zone.name(), ignored))
        names_->push_back(zone.name());
  } catch (const std::exception&) {
    names_->clear();
  }
  std::sort(names_->begin(), names_->end());
  return *names_;
}

std::vector<std::string> Tzdb::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names = known_names();
  // UTC is there without a database, too.
  const auto utc = std::lower_bound(names.begin(), names.end(), "UTC");
  if (utc == names.end() || *utc != "UTC") names.insert(utc, "UTC");
  return names;
}

std::shared_ptr<const TimeZone> Tzdb::find(std::string_view name) const {
  if (name == "UTC" || name == "Etc/UTC" || name == "Z") return TimeZone::utc();
  const std::lock_guard lock(mutex_);
  if (const auto found = zones_.find(name); found != zones_.end()) return found->second;
  if (!std::binary_search(known_names().begin(), known_names().end(), name)) return nullptr;
  try {
    return zones_.emplace(std::string(name), read(std::string(name))).first->second;
  } catch (const std::exception&) {
    return nullptr;
  }
}

std::shared_ptr<const TimeZone> Tzdb::read(const std::string& name) const {
  std::vector<TimeZone::Period> periods = explicit_periods(*date::locate_zone(name));
  // A file without a rule keeps its last offset for good.
  if (const auto rule = parse_posix_rule(footer_of(folder_ + "/" + name)))
    continue_periods(*rule, kLast, periods);
  return std::make_shared<const TimeZone>(name, version_, std::move(periods));
}

}  // namespace tenure

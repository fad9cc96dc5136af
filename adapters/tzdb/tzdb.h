// The time zone database of the system, as the core wants zones: complete up to the end of StoreTime.
//
// Explicit clock changes come from Howard Hinnant's date library. It stops at a file's last one (2037 for many zones);
// after that, the rule at the end of the file is used (posix_rule.h).
//
// "UTC", "Etc/UTC" and "Z" are TimeZone::utc(), with or without a database. Nothing here throws: a zone that cannot be
// read counts as missing.
//
// Thread rule: every function may be called from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/time_zone.h"

namespace tenure {

class Tzdb : public TimeZones {
 public:
  // `folder`: where the system keeps its database. A test may name a folder without one.
  explicit Tzdb(std::string folder = "/usr/share/zoneinfo");

  std::shared_ptr<const TimeZone> find(std::string_view name) const override;
  // "2025b"; "unknown" when the database does not say, "none" when there is no database.
  const std::string& version() const override { return version_; }
  std::vector<std::string> names() const override;

 private:
  // REQUIRES: the mutex is held.
  const std::vector<std::string>& known_names() const;
  std::shared_ptr<const TimeZone> read(const std::string& name) const;

  std::string folder_;
  std::string version_;
  mutable std::mutex mutex_;
  mutable std::optional<std::vector<std::string>> names_;                              // once asked for
  mutable std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> zones_;  // once found
};

}  // namespace tenure

// Time zones for tests, so that what they expect does not change with the machine's database.
//
// Thread rule: immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/time_zone.h"

namespace tenure::testing {

// UTC and a Europe/Berlin that changes its clocks in 2026 and 2027 only, of version "2025b".
class FewZones final : public TimeZones {
 public:
  std::shared_ptr<const TimeZone> find(std::string_view name) const override {
    if (name == "UTC") return TimeZone::utc();
    return name == berlin_->name() ? berlin_ : nullptr;
  }
  const std::string& version() const override { return version_; }
  std::vector<std::string> names() const override { return {"Europe/Berlin", "UTC"}; }

 private:
  std::string version_ = "2025b";
  std::shared_ptr<const TimeZone> berlin_ = std::make_shared<const TimeZone>(
      "Europe/Berlin", version_,
      std::vector<TimeZone::Period>{{TimeZone::kAlways, 3'600},
                                    {1'774'746'000, 7'200},    // 2026-03-29T01:00Z
                                    {1'792'890'000, 3'600},    // 2026-10-25T01:00Z
                                    {1'806'195'600, 7'200},    // 2027-03-28T01:00Z
                                    {1'824'944'400, 3'600}});  // 2027-10-31T01:00Z
};

inline const TimeZones& few_zones() {
  static const FewZones zones;
  return zones;
}

}  // namespace tenure::testing

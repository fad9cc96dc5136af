#include "core/schedule/time_zone.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace tenure {
namespace {

class OnlyUtc final : public TimeZones {
 public:
  std::shared_ptr<const TimeZone> find(std::string_view name) const override {
    return name == "UTC" ? TimeZone::utc() : nullptr;
  }
  const std::string& version() const override { return version_; }
  std::vector<std::string> names() const override { return {"UTC"}; }

 private:
  const std::string version_{kNoTzdb};
};

}  // namespace

const TimeZones& only_utc() {
  static const OnlyUtc zones;
  return zones;
}

TimeZone::TimeZone(std::string name, std::string tzdb_version, std::vector<Period> periods)
    : name_(std::move(name)), tzdb_version_(std::move(tzdb_version)), periods_(std::move(periods)) {
  CHECK(!periods_.empty() && periods_.front().begin == kAlways, "a zone has an offset at every time");
  const auto goes_back = [](const Period& a, const Period& b) { return a.begin >= b.begin; };
  CHECK(std::adjacent_find(periods_.begin(), periods_.end(), goes_back) == periods_.end(),
        "the periods of a zone go up");
}

const std::shared_ptr<const TimeZone>& TimeZone::utc() {
  static const auto zone =
      std::make_shared<const TimeZone>("UTC", "", std::vector<Period>{{.begin = kAlways, .offset = 0}});
  return zone;
}

std::size_t TimeZone::period_at(std::int64_t utc) const {
  const auto after = std::upper_bound(periods_.begin() + 1, periods_.end(), utc,
                                      [](std::int64_t t, const Period& period) { return t < period.begin; });
  return static_cast<std::size_t>(after - periods_.begin()) - 1;
}

}  // namespace tenure

#include "adapters/store/utc_alone.h"

namespace tenure {
namespace {

class UtcAlone final : public TimeZones {
 public:
  std::shared_ptr<const TimeZone> find(std::string_view name) const override {
    return name == "UTC" ? TimeZone::utc() : nullptr;
  }
  const std::string& version() const override { return version_; }
  std::vector<std::string> names() const override { return {"UTC"}; }

 private:
  const std::string version_;  // empty: of no database
};

}  // namespace

const TimeZones& utc_alone() {
  static const UtcAlone kUtcAlone;
  return kUtcAlone;
}

}  // namespace tenure

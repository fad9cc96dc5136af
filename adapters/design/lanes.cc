#include "adapters/design/lanes.h"

#include <algorithm>

namespace tenure::design {

std::optional<std::uint8_t> Lanes::find(const std::string& name) {
  if (name.empty()) return 0;
  const auto known = std::find(names_.begin(), names_.end(), name);
  const auto place = static_cast<std::uint8_t>(known - names_.begin() + 1);
  if (known != names_.end()) return place;
  if (names_.size() == kMostNames) return std::nullopt;
  names_.push_back(name);
  return place;
}

}  // namespace tenure::design

// The connections to its store that a design names: t.sql{on = "watch"}.
//
// Thread rule: belongs to one life.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/env.h"

namespace tenure::design {

class Lanes {
 public:
  static constexpr std::size_t kMostNames = kLanes - 1;

  // That of the name, which may be new; nullopt: there are too many. The one without a name is 0.
  std::optional<std::uint8_t> find(const std::string& name);

 private:
  std::vector<std::string> names_;
};

}  // namespace tenure::design

// Shared by the model of client-go and its theory: the releases, and constants of the library.
//
// Thread rule: pure functions and constants.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/time.h"
#include "core/model/parameters.h"

namespace tenure::client_go {

// The values of `release`, oldest first, as texts too. Each stands for all releases from itself up to the next value.
inline constexpr std::string_view kReleases[] = {"0.29", "0.31", "0.33", "0.36", "0.37"};
inline constexpr std::string_view kOldest = kReleases[0];
inline constexpr std::int64_t kDefaultRelease = 3;  // 0.37 was read as a beta

// A standby's wait is drawn from [R, (1 + 1.2) R].
inline constexpr std::int64_t kJitterTenths = 12;

// A record's times and its duration are cut down to whole seconds.
constexpr Duration whole_seconds(Duration d) { return Duration::seconds(d.ns() / Duration::seconds(1).ns()); }

// How long a leader that gave up may still lead while it releases; zero: it does not release.
Duration longest_release(const Parameters& parameters);

}  // namespace tenure::client_go

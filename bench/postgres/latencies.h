// How long each of many requests took.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace tenure {

using Steady = std::chrono::steady_clock;

struct Latencies {
  std::vector<std::int64_t> us;

  template <class Work>
  void measure(Work work) {
    const auto begin = Steady::now();
    work();
    us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - begin).count());
  }
  double rate() const {
    return us.empty()
               ? 0
               : double(us.size()) * 1e6 / double(std::accumulate(us.begin(), us.end(), std::int64_t{0}));
  }
  std::string text() {
    std::sort(us.begin(), us.end());
    const auto at = [&](std::size_t percent) { return us.empty() ? 0 : us[(us.size() - 1) * percent / 100]; };
    return fmt::format("{} times, p50 {} us, p99 {} us, max {} us", us.size(), at(50), at(99), at(100));
  }
};

}  // namespace tenure

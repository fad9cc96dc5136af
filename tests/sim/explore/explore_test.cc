#include "sim/explore/explore.h"

#include <gtest/gtest.h>

#include <iostream>

namespace tenure::sim::explore {
namespace {

ExploreSettings of(const char* protocol, std::uint32_t instances, const Budgets& b, Duration horizon) {
  ExploreSettings s;
  s.protocol = find_elector_kind(protocol);
  for (std::uint32_t i = 0; i < instances; ++i) s.instances.push_back({Parameters{s.protocol->parameters()}, {}});
  s.budgets = b;
  s.horizon = horizon;
  return s;
}

TEST(Explore, try_it) {
  for (const char* p : {"fenced-lease", "db-lease", "client-go"}) {
    for (std::uint32_t n : {2u, 3u}) {
      auto s = of(p, n, Budgets{}, Duration::seconds(40));
      std::cout << report(s, explore(s)) << std::endl;
    }
  }
}

}  // namespace
}  // namespace tenure::sim::explore

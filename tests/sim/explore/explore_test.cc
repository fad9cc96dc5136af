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
void go(const ExploreSettings& s) { std::cout << report(s, explore(s)) << std::endl; }

TEST(Explore, try_it) {
  go(of("client-go", 2, {0, 1, 0, 0}, Duration::seconds(60)));
  go(of("client-go", 2, {1, 1, 0, 0}, Duration::seconds(60)));
  auto s = of("db-lease", 2, {0, 0, 1, 0}, Duration::seconds(60));
  s.instances[0].wall_offset = -Duration::seconds(10);
  go(s);
  s = of("db-lease", 2, {0, 0, 0, 1}, Duration::seconds(60));
  s.instances[0].wall_offset = -Duration::seconds(10);
  go(s);
  s = of("db-lease", 2, {0, 1, 0, 0}, Duration::seconds(60));
  s.acting = true;
  go(s);
  s = of("fenced-lease", 2, {1, 1, 1, 1}, Duration::seconds(40));
  s.acting = true;
  go(s);
  go(of("fenced-lease", 2, {1, 0, 1, 1}, Duration::seconds(400)));
  go(of("fenced-lease", 2, {1, 0, 0, 0}, Duration::seconds(400)));
  go(of("fenced-lease", 3, {1, 0, 0, 0}, Duration::seconds(40)));
  go(of("fenced-lease", 3, {0, 1, 0, 0}, Duration::seconds(40)));
}

}  // namespace
}  // namespace tenure::sim::explore

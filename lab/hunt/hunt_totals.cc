#include "lab/hunt/hunt_totals.h"

#include "lab/hunt/signature.h"

namespace tenure::lab {
namespace {

void add(std::map<std::string, std::uint64_t>& counts, const std::map<std::string, std::uint64_t>& more) {
  for (const auto& [name, count] : more) counts[name] += count;
}

}  // namespace

void HuntTotals::append(const HuntTotals& later) {
  differ = differ || later.differ ||
           (cases > 0 && later.cases > 0 && events * later.cases != later.events * cases);
  std::vector<bool> known(kFeatures);
  for (const FirstSeen& each : first_seen) known[each.feature] = true;
  for (const FirstSeen& each : later.first_seen)
    if (!known[each.feature]) first_seen.push_back({each.feature, cases + each.index});
  cases += later.cases;
  inside += later.inside;
  mutated += later.mutated;
  events += later.events;
  add(sometimes, later.sometimes);
  add(faults, later.faults);
  struck.add(later.struck);
  add(examined, later.examined);
  add(reported, later.reported);
}

}  // namespace tenure::lab

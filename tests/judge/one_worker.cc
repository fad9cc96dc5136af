// No two incarnations work at once: the work of one has ended before that of another begins.
#include "core/model/describe.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> one_worker(const Case& run) {
  std::vector<Wrong> wrongs;
  std::vector<KeptLanding> running;
  for (const Kept& kept : run.history.facts) {
    if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      if (landed->landing != sim::Landing::begun) continue;
      for (const KeptLanding& other : running)
        if (other.who != landed->who && other.item.resource == landed->item.resource)
          wrongs.push_back(
              {kept.at, describe(landed->who) + " begins while " + describe(other.who) + " works"});
      running.push_back(*landed);
    } else if (const auto* ended = std::get_if<KeptEnding>(&kept.fact)) {
      for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i].who != ended->who || running[i].item.event != ended->item.event) continue;
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
  }
  return wrongs;
}

}  // namespace tenure::judging

#include "lab/session/tune_search.h"

#include <fmt/format.h>

namespace tenure::lab {

bool search(sim::Tuning& tuning, TuneRuns& runs) {
  for (std::vector<sim::TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    std::vector<TuneJob> jobs;
    std::uint64_t count = 0;
    for (const sim::TuneWork& work : works) {
      jobs.push_back({fmt::format("setting {}", work.setting), &tuning.setting(work.setting), work.first_seed,
                      work.count});
      count += work.count;
    }
    runs.expect(count);
    if (!runs.run(jobs, tuning.questions(),
                  [&](std::size_t i, const auto& numbers) { tuning.take(works[i], numbers); }))
      return false;
  }
  return true;
}

}  // namespace tenure::lab

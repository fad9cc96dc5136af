// No commit has rows of two versions of one schedule. It is the leader's mistake, made as it submits.
#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

std::vector<Wrong> versions_take_turns(const Case& run) {
  std::vector<Wrong> wrongs;
  for (const Kept& kept : run.history.facts) {
    const auto* submitted = std::get_if<KeptSubmission>(&kept.fact);
    if (submitted == nullptr) continue;
    const auto* commit = as_reference<reference::CommitFires>(submitted->submission.request);
    if (commit == nullptr) continue;
    std::map<ScheduleId, std::uint32_t> versions;
    for (const reference::LedgerRow& row : commit->rows)
      if (versions.try_emplace(row.schedule, row.version).first->second != row.version)
        wrongs.push_back({kept.at, describe(submitted->who) + " commits two versions at once"});
  }
  return wrongs;
}

}  // namespace tenure::judging

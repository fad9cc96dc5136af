// Computes the cost of a month from the cost of single events: [profile].
//
// What nodes' deaths, deploys and failovers of the store cost is measured one at a time, at a drawn moment of a run
// in which nothing else breaks; a deploy is the file's first rolling-restart, if it has one. The rest is what the
// file's other faults bring about: its pauses, links and clocks,
// as often as it has them.
//
// Causes overlap: while nobody leads, nothing can end a leadership. So each cause is a load, the time that it costs
// for each time that somebody leads; with a load of r in all, nobody leads for r / (1 + r) of a month, which is never
// the whole of it, and each cause has the part of it that its load is of r. A cause alone is then what was measured.
//
// Intervals are of 95 %, from the differences between runs, each beside the quiet one of its own seed. Where no run
// lost anything, three might have (outcome.h), each as much as the worst event of any cause.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/plans/tune_setting.h"
#include "lab/tune/outcome.h"
#include "lab/tune/setting.h"

namespace tenure::lab {

struct ProfilePart {
  std::string cause;               // kByItself, "crashes", "deploys", "store failovers", "the rest"
  std::optional<Setting> setting;  // in which it is measured
  std::string why_not;             // why there is no setting
  std::int64_t events_micro = 0;   // a month; none: it goes by time
};

// The loss when nothing breaks at all.
inline constexpr std::string_view kByItself = "by itself";

// That first, then those that happen at all and have something to be measured by. `overrides` are those of the setting
// that is judged.
std::vector<ProfilePart> profile_parts(const TuneFile& file, const std::vector<format::Override>& overrides,
                                       const format::ProfileSetting& profile);
TuneQuestions profile_questions();

// With its interval. No upper end: a single run has none, nor has what no run lost when no event is known at all.
struct ProfileAmount {
  std::int64_t value = 0;
  std::int64_t low = 0;
  std::optional<std::int64_t> high;
};

// A month of 30 days.
struct ProfileCost {
  std::string cause;
  ProfileAmount leaderless_ns;
  ProfileAmount false_failovers_micro;
};
struct ProfileMonth {
  std::vector<ProfileCost> causes;  // those that were measured, in order
  ProfileAmount leaderless_ns;      // at most a month, as is the upper end
  ProfileAmount false_failovers_micro;
};

inline constexpr Duration kMonth = Duration::hours(24 * 30);

// `runs` of each part, of the same seeds; none of a part that was not measured. REQUIRES: the first part is kByItself.
ProfileMonth month_of(const std::vector<ProfilePart>& parts,
                      const std::vector<std::vector<RunNumbers>>& runs);

}  // namespace tenure::lab

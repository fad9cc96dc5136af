// From what one event costs to what a month does: [profile].
//
// What nodes' deaths, deploys and failovers of the store cost is measured one at a time, at a drawn moment of a run
// in which nothing else breaks. The rest is what the file's other faults bring about: its pauses, links and clocks,
// as often as it has them.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/tune_setting.h"
#include "sim/tune/outcome.h"
#include "sim/tune/setting.h"

namespace tenure::sim {

struct ProfilePart {
  std::string cause;               // kByItself, "crashes", "deploys", "store failovers", "the rest"
  std::optional<Setting> setting;  // in which it is measured
  std::string why_not;             // when there is none
  std::int64_t events_micro = 0;   // a month; none: it goes by time
};

// What is lost when nothing breaks at all.
inline constexpr std::string_view kByItself = "by itself";

// That first, then those that happen at all. `overrides` are those of the setting that is judged.
std::vector<ProfilePart> profile_parts(const TuneFile& file, const std::vector<Override>& overrides,
                                       const ProfileSetting& profile);
TuneQuestions profile_questions();

struct ProfileCost {
  std::string cause;
  Duration leaderless;                 // a month
  std::int64_t false_failovers_micro;  // a month
};

// `quiet` are runs of the part kByItself, whose losses are not the event's; none for that part itself.
ProfileCost cost_of(const ProfilePart& part, const std::vector<RunNumbers>& runs,
                    const std::vector<RunNumbers>& quiet);

}  // namespace tenure::sim

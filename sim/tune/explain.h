// Theory of one setting beside its simulation: experiments that each formula can fail in.
//
//   failover   one crash of the leader, at a drawn moment: the mean within 2 % of the formula's, no sample outside
//              its range
//   pause      a pause of the leader just below the one that never costs it the leadership: it never does
//   rate       the leader's clock slow and all others fast, by a little less than theory allows, and the leader cut
//              off: never two believers; by a little more: in some runs two
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/tune/closed_form.h"
#include "sim/tune/outcome.h"
#include "sim/tune/setting.h"

namespace tenure::sim {

struct Experiment {
  enum class Kind : std::uint8_t { failover, pause_below, pause_above, rate_below, rate_above };
  Kind kind = Kind::failover;
  std::int64_t strength = 0;       // of a pause in ns, of a rate in parts per million
  std::optional<Setting> setting;  // none: it cannot be made here
  std::string why_not;
};

// REQUIRES: there is a closed form for the protocol of the file's own setting.
std::vector<Experiment> experiments(const TuneFile& file, const Scenario& own, const ClosedForm& form);
TuneQuestions explain_questions();

// What an experiment showed.
struct Shown {
  Experiment::Kind kind = Experiment::Kind::failover;
  std::int64_t strength = 0;
  std::uint64_t runs = 0;
  std::uint64_t hits = 0;  // pause: leaderships lost; rate: runs with two believers
  Duration least;          // failover
  Duration mean;
  Duration most;
};
Shown shown_by(const Experiment& experiment, const std::vector<RunNumbers>& runs);

// Whether the formulas hold in what was shown.
bool mean_confirmed(const ClosedForm& form, const Shown& failover);
bool range_confirmed(const ClosedForm& form, const Shown& failover);

}  // namespace tenure::sim

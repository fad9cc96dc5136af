// The runs of a tuning (many_runs.h).
//
// Thread rule: one thread, which starts others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/session/many_runs.h"
#include "lab/tune/tuning.h"

namespace tenure::lab {

// Runs of one setting, with the name under which they are saved.
struct SettingRuns {
  std::string name;
  const Setting* setting = nullptr;
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
};

class TuneRuns final : public ManyRuns<RunNumbers> {
 public:
  using ManyRuns::ManyRuns;

  // As those of ManyRuns.
  bool run(const std::vector<SettingRuns>& settings, const TuneQuestions& questions, const Take& take);
  // The runs of each setting; nullopt: it was interrupted.
  std::optional<std::vector<std::vector<RunNumbers>>> run_all(const std::vector<SettingRuns>& settings,
                                                              const TuneQuestions& questions);
};

// The search of a tuning, round after round (lab/tune/tuning.h), until it asks for nothing more. False: it was
// interrupted.
bool search(Tuning& tuning, TuneRuns& runs);

}  // namespace tenure::lab

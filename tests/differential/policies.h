// Why other implementations of cron answer differently: each difference has a name, and a way to ask us the same.
//
// A policy changes our question so that it means in our words what theirs means to them: if our answer to the changed
// question is theirs, the difference is explained. Where theirs is a mistake that cannot be put as a question, the
// policy says instead for which slots the answers may differ, and they must agree in all others.
//
// Thread rule: immutable tables and pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/cron_rule.h"
#include "tests/differential/oracles.h"

namespace tenure::differential {

struct OurQuestion {
  Case one;
  DstGap gap = DstGap::gap_end;
  DstOverlap overlap = DstOverlap::first;
  bool both_days_must_match = false;
};

struct Policy {
  const char* name;
  const char* what;
  void (*apply)(OurQuestion&);
  // Whether two answers are the same but for what the policy excuses; null: they must be equal.
  bool (*same)(const TimeZone& zone, std::int64_t from, const Answer& ours, const Answer& theirs) = nullptr;
};

// What can be said of each oracle.
std::span<const Policy> croniter_policies();
std::span<const Policy> robfig_policies();
std::span<const Policy> systemd_policies();

Answer our_answer(const OurQuestion& question, const std::shared_ptr<const TimeZone>& zone, int count);

// The names of the fewest policies that explain `theirs`, in the table's order; empty when it is our answer as it is;
// nullopt when nothing does.
std::optional<std::vector<std::string>> explain(const Case& one, const std::shared_ptr<const TimeZone>& zone,
                                                const Answer& theirs, std::span<const Policy> policies,
                                                int count);

}  // namespace tenure::differential

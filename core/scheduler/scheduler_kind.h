// What kind of scheduler a scheduler is: its name, its parameters, its claims, and how it is made. That of production
// is kFencedOutbox; sim/protocols has the others, and the table of all.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/function_ref.h"
#include "core/model/design_file.h"
#include "core/model/instance.h"
#include "core/model/parameters.h"
#include "core/model/timing_names.h"
#include "core/store/store_kind.h"

namespace tenure {

struct SchedulerSetup {
  StoreId store;
  ResourceId resource;
  Parameters parameters;
  std::uint32_t schedules = 0;  // those that there may be have ids below this
};

// What a client asks for: from now on the schedule is so, or (without a definition) it is no more.
struct ScheduleEdit {
  ResourceId resource;
  ScheduleId schedule;
  std::string_view name;
  const Definition* definition = nullptr;
  StoreTime now;  // the store's
};

// The progress bound of a scheduler without ticks. What is owed waits for the commit under way, for what else the
// leader asks in turns, and for its own commit: five answers of the store and a second; and no less than ten seconds.
inline Duration usual_progress_bound(const Parameters&, Duration answer) {
  constexpr std::int64_t kAnswers = 5;
  return std::max(Duration::seconds(10), answer * kAnswers + Duration::seconds(1));
}

struct SchedulerKind {
  std::string_view name;
  std::string_view summary;
  const StoreKind* store = nullptr;    // whose machine it needs; null: none
  const DesignFile* design = nullptr;  // the file that it was brought in; null: it is C++ of this program
  TimingNames timing = {};
  // That store's ledger says what became of each slot: it commits what it fires, in batches.
  bool keeps_ledger = false;
  Duration paused_step = {};  // a paused schedule's slot is in the ledger after this time at the latest
  bool needs_tokens = false;  // runs only on an elector with fencing tokens from the same store
  // While nothing disturbs it and its workers have time, what it owes is done within this time, if the store needs no
  // longer than `answer` for an answer: the one bound that liveness is judged by (docs/scenarios.md).
  Duration (*progress_bound)(const Parameters& settings, Duration answer) = usual_progress_bound;
  std::string_view one_slot_each = {};  // a period, by name: each schedule has one slot done in it
  // How long one slot delays the next of its schedule, besides two answers of the store, if work takes this long. Its
  // claim of caught-up holds only for slots further apart. null: slots do not wait for each other.
  Duration (*slot_delay)(const Parameters&, Duration longest_work) = nullptr;
  FunctionRef<std::span<const ParameterSpec>()> parameters = no_parameters;
  FunctionRef<std::vector<Complaint>(const Parameters&)> validate = no_complaints;
  FunctionRef<const std::vector<Claim>&()> claims = no_claims;
  FunctionRef<std::unique_ptr<Scheduler>(const SchedulerSetup&)> make = {};
  // Of a design whose tables are its own: a client's edit as a request to its store, or what is wrong with it. None:
  // clients ask the store as its kind has it.
  FunctionRef<std::variant<Request, std::string>(const ScheduleEdit&)> edit = {};
  bool places_items =
      false;  // it fires nothing: its leader assigns items to workers, and each instance is one (placement)
  bool writes = false;  // it fires nothing: its leader writes to the outside world under its token (writer)
  bool keeps_periods_only = false;  // such a design has no place for cron and the like

  // What schedules are for.
  bool fires() const { return !places_items && !writes; }
};

extern const SchedulerKind kFencedOutbox;

}  // namespace tenure

// What a record means to people, in one line: "n1 leads (epoch 3)", "store fails over to its replica, branch 2".
//
// The story of a violation and the record of a whole run are told in the same words.
//
// Thread rule: one narrator belongs to one run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/names.h"
#include "sim/runner/result.h"
#include "sim/world/record.h"

namespace tenure::sim {

// What a line is about; readers filter by it.
enum class StoryKind : std::uint8_t {
  leadership,
  check,
  lease,
  process,
  work,
  fault,
  store,
  clock,
  violation,
  remark
};
std::string_view name_of(StoryKind kind);

struct NarratedEvent {
  StoryLine line;
  StoryKind kind = StoryKind::remark;
  std::optional<NodeId> node;  // nullopt: the store, or the run itself
  std::optional<ScheduleId> schedule;
  bool begins_leadership = false;
  bool routine = false;  // goes on all the time in a run in which nothing is wrong
  bool operator==(const NarratedEvent&) const = default;
};

class Narrator {
 public:
  explicit Narrator(const Scenario& scenario) : names_(scenario) {}
  // nullopt: the record says nothing to people.
  std::optional<NarratedEvent> tell(TrueTime now, const Record& record);

 private:
  std::optional<NarratedEvent> tell_note(TrueTime now, const Noted& noted);
  std::optional<NarratedEvent> tell_applied(TrueTime now, const Applied& applied);
  NarratedEvent tell_landing(TrueTime now, const WorkArrived& landed) const;
  NarratedEvent tell_execution(TrueTime now, const WorkerExecution& execution) const;
  NarratedEvent tell_delivery(TrueTime now, const DeliveryArrived& landed) const;

  Names names_;
  std::vector<Incarnation> believing_;
  Incarnation holder_;
  Incarnation replica_holder_;
};

}  // namespace tenure::sim

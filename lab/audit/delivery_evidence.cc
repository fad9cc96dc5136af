#include "lab/audit/delivery_evidence.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/model/describe.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kWorkWasDone = "work-was-done";

bool is_over(WorkResult result) {
  return result == WorkResult::done || result == WorkResult::stopped || result == WorkResult::duplicate;
}

struct JournaledWork {
  std::optional<WorkResult> result;  // nullopt: nothing has come back
  std::uint32_t failures = 0;
};
const JournaledWork kNeverAskedFor{};

// The acknowledgements of one process.
class Acknowledgements {
 public:
  Acknowledgements(Incarnation who, const LifeHistory& life, const Names& names, AuditFindings& findings)
      : who_(who_text(who, NodeNames::by_id)),
        knows_all_(!life.lines.empty() &&
                   std::holds_alternative<journal::LifeBegan>(life.lines.front().line->event)),
        names_(names),
        findings_(findings) {
    for (const LifeLine& line : life.lines) see(line.at, line.line->event);
  }

 private:
  void see(TrueTime at, const journal::JournalEvent& event) {
    if (const auto* item = std::get_if<WorkItem>(&event)) {
      works_[item->event].result.reset();
    } else if (const auto* done = std::get_if<WorkDone>(&event)) {
      JournaledWork& work = works_[done->event];
      work.result = done->result;
      if (done->result == WorkResult::failed) ++work.failures;
    } else if (const auto* asked = std::get_if<journal::Asked>(&event)) {
      const auto* ack = reference_request<reference::AckEvents>(asked->submission.request);
      if (ack == nullptr) return;
      for (const reference::EventId& id : ack->events) judge_delivered(at, id);
      for (const reference::DeadEvent& dead : ack->dead) judge_dead(at, dead);
    }
  }

  void judge_delivered(TrueTime at, const reference::EventId& id) {
    const JournaledWork* const work = find(id);
    if (work == nullptr || (work->result && is_over(*work->result))) return;
    violate(at, id, "as delivered",
            !work->result ? "although its work had not come back"
                          : fmt::format("although its work had come back as {}", name_of(*work->result)));
  }
  void judge_dead(TrueTime at, const reference::DeadEvent& dead) {
    const JournaledWork* const work = find(dead.id);
    if (work == nullptr || work->failures >= dead.attempts) return;
    violate(at, dead.id, fmt::format("as dead after {} attempts", dead.attempts),
            fmt::format("of which {} had failed", work->failures));
  }
  // null: it may have been asked for before its journal begins.
  const JournaledWork* find(const reference::EventId& id) {
    const auto work = works_.find(id);
    if (work == works_.end() && !knows_all_) return nullptr;
    findings_.examined(kWorkWasDone);
    return work != works_.end() ? &work->second : &kNeverAskedFor;
  }
  void violate(TrueTime at, const reference::EventId& id, const std::string& as, const std::string& why) {
    findings_.violate(
        kWorkWasDone, at,
        fmt::format("{} acknowledged {} {} at {}, {}", who_, names_.event(id), as, time_text(at), why));
  }

  std::string who_;
  bool knows_all_;  // its journal has its beginning
  const Names& names_;
  AuditFindings& findings_;
  std::map<reference::EventId, JournaledWork> works_;
};

}  // namespace

void compare_deliveries(const JournalHistory& history, const Names& names, AuditFindings& findings) {
  for (const auto& [who, life] : history.lives) Acknowledgements{who, life, names, findings};
}

}  // namespace tenure::sim

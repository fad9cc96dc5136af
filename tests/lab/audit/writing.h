// Journals of processes that never were, line by line: what the runtime would have written.
//
// Thread rule: tests.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "lab/audit/audit.h"

namespace tenure::lab {

// One process with one node. Times are milliseconds since the machine's boot, and of the store since 2026.
class Process {
 public:
  explicit Process(std::uint32_t node, ResourceId resource = {})
      : who_{{node}, 1'000'000 + node}, resource_(resource) {}

  void write(std::int64_t at, journal::JournalEvent event);
  void starts(std::int64_t at, const std::string& boot = "boot",
              std::map<std::string, std::int64_t> scheduling = {});
  // Submits, and gives the request's number; answers it. A commit is always a leader's.
  std::uint32_t asks(std::int64_t at, reference::Request request, bool as_leader = false);
  void hears(std::int64_t at, std::uint32_t request, reference::Reply reply, std::int64_t store_time,
             std::uint64_t position);
  // A whole request of the scheduler, as below, that changes nothing; of the change feed.
  void reads(std::int64_t at, reference::Request request, reference::Reply reply, std::uint64_t position);
  void reads_changes(std::int64_t at, std::vector<reference::Change> changes, std::uint64_t position);
  void never_hears(
      std::int64_t at, std::uint32_t request,
      RequestOutcome outcome = RequestOutcome::unknown);  // its deadline came, or it was rejected

  // It is told of that epoch, if it was not yet: the lease is free, and was held under it.
  void sees(std::int64_t at, std::uint64_t epoch);
  // A whole request: asked 10 ms before and answered 10 ms after the store had it, at the same time and position.
  void acquires(std::int64_t at, const Token& token);
  void renews(std::int64_t at, const Token& token);
  void releases(std::int64_t at, const Token& token);
  void commits(std::int64_t at, const Token& token, std::vector<reference::LedgerRow> rows);
  void believes(std::int64_t at, const Token& token, std::int64_t until);
  void stops(std::int64_t at) {
    write(at, Note{Stopped{}});
    write(at, journal::LifeEnded{true});
  }
  void steps_down(std::int64_t at) { write(at, Note{StepsDown{}}); }
  // Granted, and believed in for as long as the lease lasts, which is a second.
  void leads(std::int64_t at, const Token& token);
  void begins(std::int64_t at, const reference::EventId& event, const Token& token);
  void ends(std::int64_t at, const reference::EventId& event, WorkResult result = WorkResult::done);

  Incarnation who() const { return who_; }
  // Its clock against the machine's from now on: mono = at * numerator / denominator.
  void runs_at(std::int64_t numerator, std::int64_t denominator);
  // It is on a machine whose boot clock shows so many milliseconds more. Call it first.
  void runs_ahead(std::int64_t by) { ahead_ = by; }
  const std::string& text() const { return text_; }

 private:
  MonoTime mono(std::int64_t at) const;

  Incarnation who_;
  ResourceId resource_;
  std::uint64_t lines_ = 0;
  std::uint32_t requests_ = 0;
  std::int64_t numerator_ = 1;
  std::int64_t denominator_ = 1;
  std::int64_t ahead_ = 0;
  std::set<std::uint64_t> told_;
  std::string text_;
  std::string prev_{journal::kFirstPrev};
};

// The lines chained anew, as a forger does who knows how.
std::string rechained(const std::string& text);

inline StoreTime store_time(std::int64_t ms) {
  return StoreTime::from_ns(1'767'225'600'000'000'000) + Duration::millis(ms);
}
inline Token term(std::uint64_t epoch) { return {0, epoch, 100 + epoch}; }
inline reference::EventId slot(std::int64_t ms, std::uint32_t schedule = 7) {
  return {{schedule}, store_time(ms), 0};
}
// A row for that slot alone, of a schedule of 250 ms.
reference::LedgerRow fired(std::int64_t ms, std::uint32_t version = 1);

// The positions that a process writes are times; a store counts its changes. They are counted, in the order of the
// times, unless `counted` says that they are already.
std::variant<Audit, BadJournal> audit_texts(const std::vector<std::string>& texts, bool counted = false,
                                            bool start_missing = false);
// REQUIRES: they can be read.
Audit audit_of(const std::vector<const Process*>& processes);
const sim::CheckResult* find_check(const Audit& audit, std::string_view name);  // nullptr: it was not judged
std::vector<std::string> failing(const Audit& audit);

}  // namespace tenure::lab

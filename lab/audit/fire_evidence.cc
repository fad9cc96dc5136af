#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"
#include "lab/audit/outstanding_events.h"

namespace tenure::lab {
namespace {

using sim::time_text, sim::TrueTime;
constexpr std::string_view kWorkWasCommitted = "work-was-committed";
constexpr std::string_view kFiresBegin = "fires-begin";
constexpr std::string_view kCommitsFollow = "commits-follow";
constexpr std::string_view kOverlapsAnEvent = "overlaps-an-event";

std::string by_whom(Incarnation who) { return sim::who_text(who, NodeNames::by_id); }

struct EvidenceRow {
  const JournalCall* call = nullptr;
  reference::LedgerRow row;
};
struct Beginning {
  Incarnation who;
  const WorkItem* item = nullptr;
  TrueTime at;
  std::size_t line = 0;  // of its life
};
using VersionOf = std::pair<ScheduleId, std::uint32_t>;

const reference::CommitFires* commit_of(const JournalCall& call) {
  return call.request<reference::CommitFires>();
}
bool in_store_order(const JournalCall* a, const JournalCall* b) {
  return std::pair(a->at(), a->answered->position) < std::pair(b->at(), b->answered->position);
}

class FireStory : Evidence {
 public:
  FireStory(const Evidence& evidence, ResourceId resource, const std::vector<LostEnd>& lost)
      : Evidence(evidence), resource_(resource), lease_(leases_.at(resource)), lost_(lost) {
    history_.for_each_call(resource, [&](const JournalCall& call) { take_in(call); });
    for (const auto& [who, life] : history_.lives)
      for (const JournalWork& work : life.works)
        if (is_fire(*work.item))
          begun_.emplace(work.item->event, Beginning{who, work.item, life.lines[work.line].at, work.line});
  }

  void compare() {
    for (const auto& [event, beginning] : begun_) judge_beginning(event, beginning);
    if (before_ > 0)
      findings_.note(fmt::format("work that was committed before these journals begin: {}", before_));
    if (branches_.size() > 1) {
      findings_.note(
          fmt::format("{}: the store failed over, and may have lost commits: they are not compared",
                      resource_text(resource_)));
      return;
    }
    for (auto& [version, rows] : rows_) {
      std::stable_sort(rows.begin(), rows.end(), [](const EvidenceRow& a, const EvidenceRow& b) {
        return in_store_order(a.call, b.call);
      });
      prove_doubts(rows, doubts_[version]);
    }
    std::uint64_t waiting = 0;
    std::uint64_t of_others = 0;
    const std::set<reference::EventId> delivered_by_others = events_of_others();
    for (const auto& [event, fire] : committed_) {
      if (delivered_by_others.contains(event)) {
        ++of_others;
        continue;
      }
      findings_.examined(kFiresBegin);
      if (!begun_.contains(event) && !judge_waiting(event, *fire)) ++waiting;
    }
    if (waiting > 0)
      findings_.note(fmt::format(
          "fires that were committed last and wait in the outbox for the next leader: {}", waiting));
    if (of_others > 0)
      findings_.note(fmt::format(
          "fires that are pulled, or sent to destinations: {}; no journal tells what became of them",
          of_others));
    for (auto& [version, rows] : rows_) judge_rows(rows, doubts_[version]);
    if (lease_.complete) judge_overlaps();
    say_the_rest();
  }

 private:
  bool is_fire(const WorkItem& item) const {
    return !is_of_a_term(item) && item.event.run == 0 && item.resource == resource_;
  }

  void take_in(const JournalCall& call) {
    if (call.applied()) {
      first_ = std::min(first_, call.at());
      if (const auto* told = call.reply<reference::Changes>())
        for (const reference::Change& change : told->changes) take_in(change);
    }
    const reference::CommitFires* commit = commit_of(call);
    if (commit == nullptr) return;
    branches_.insert(commit->token.branch);
    commits_[call.who()].push_back(&call);
    if (newest_ == nullptr || commit_of(*newest_)->token.older_than(commit->token)) newest_ = &call;
    for (const auto& [row, covered] : rows_of(call)) {
      (covered ? rows_ : doubts_)[{row.schedule, row.version}].push_back({&call, row});
      if (row.what != reference::Disposition::fired) continue;
      const reference::EventId event{row.schedule, row.slot, 0};
      version_of_.try_emplace(event, row.version);
      if (covered)
        committed_.emplace(event, &call);
      else
        maybe_committed_.insert(event);
    }
  }

  void take_in(const reference::Change& change) {
    if (change.deleted) return;
    const VersionOf version{change.segment.schedule, change.segment.version};
    segments_.try_emplace(version, change.segment);
    if (change.unreadable) return;
    const Delivery::Kind kind = change.definition.delivery.kind;
    if (kind != Delivery::Kind::work) others_deliver_.try_emplace(version, change.definition.overlap);
    if (kind == Delivery::Kind::pull) pulled_.insert(version);
  }

  // Their work is not the leader's: it does not begin in any life.
  std::set<reference::EventId> events_of_others() const {
    std::set<reference::EventId> events;
    for (const auto& [version, rows] : rows_)
      if (others_deliver_.contains(version))
        for (const EvidenceRow& each : rows)
          if (each.row.what == reference::Disposition::fired)
            events.insert({each.row.schedule, each.row.slot, 0});
    return events;
  }

  // ---- work-was-committed ----

  void judge_beginning(const reference::EventId& event, const Beginning& beginning) {
    findings_.examined(kWorkWasCommitted);
    if (const auto version = version_of_.find(event); version != version_of_.end()) {
      if (pulled_.contains({event.schedule, version->second}))
        findings_.violate(kWorkWasCommitted, beginning.at,
                          fmt::format("{} began {} at {}, which is for those who pull its events",
                                      by_whom(beginning.who), names_.event(event), time_text(beginning.at)));
      return judge_order(event, beginning);
    }
    if (!lease_.complete && event.slot < first_) {
      ++before_;
      return;
    }
    if (!lease_.complete || an_open_life_may_have(event, beginning)) {
      ++not_shown_;
      return;
    }
    findings_.violate(kWorkWasCommitted, beginning.at,
                      fmt::format("{} began {} at {}, which nobody committed", by_whom(beginning.who),
                                  names_.event(event), time_text(beginning.at)));
  }
  // An event is committed once, unless a failover takes that back.
  void judge_order(const reference::EventId& event, const Beginning& beginning) {
    const auto fire = committed_.find(event);
    if (fire == committed_.end() || branches_.size() > 1) return;
    if (fire->second->who() != beginning.who || fire->second->line < beginning.line) return;
    findings_.violate(kWorkWasCommitted, beginning.at,
                      fmt::format("{} began {} at {}, before it asked for the commit", by_whom(beginning.who),
                                  names_.event(event), time_text(beginning.at)));
  }
  // A life before this one, whose journal may have lost its end, can have committed it.
  bool an_open_life_may_have(const reference::EventId& event, const Beginning& beginning) const {
    return std::any_of(lease_.terms.begin(), lease_.terms.end(), [&](const LeaseFacts::Term& term) {
      return term.who != beginning.who && !history_.lives.at(term.who).node_ended &&
             (!beginning.item->token || term.token.older_than(*beginning.item->token)) &&
             event.slot < std::max(term.end, may_have_led_until(term.who));
    });
  }
  // Renewals may be in the lines that are lost.
  StoreTime may_have_led_until(Incarnation who) const {
    for (const LostEnd& end : lost_)
      if (end.who == who && end.resource == resource_) return end.granted;
    return StoreTime::min();
  }

  // ---- fires-begin ----

  // True: it had to begin, and what is to be said of that was said.
  bool judge_waiting(const reference::EventId& event, const JournalCall& fire) {
    const JournalCall* next = next_commit_of_its_life(fire);  // that shows that whoever led had gone on
    if (next == nullptr && newest_ != nullptr &&
        commit_of(fire)->token.older_than(commit_of(*newest_)->token)) {
      if (!history_.lives.at(fire.who()).node_ended) {
        ++not_shown_;
        return true;
      }
      next = newest_;
    }
    if (next != nullptr) {
      violate_waiting(event, fire,
                      fmt::format("{} committed again at {}", by_whom(next->who()), time_text(next->sent)));
      return true;
    }
    const auto [known, fresh] = idle_.try_emplace(fire.asked->id);
    if (fresh) known->second = idle_after(fire);
    if (known->second)
      violate_waiting(event, fire, fmt::format("it had nothing else to do at {}", time_text(*known->second)));
    return known->second.has_value();
  }
  const JournalCall* next_commit_of_its_life(const JournalCall& fire) const {
    const std::vector<const JournalCall*>& own = commits_.at(fire.who());
    const auto next =
        std::upper_bound(own.begin(), own.end(), fire.answered_line,
                         [](std::size_t line, const JournalCall* call) { return line < call->line; });
    return next != own.end() ? *next : nullptr;
  }
  void violate_waiting(const reference::EventId& event, const JournalCall& fire, const std::string& since) {
    findings_.violate(kFiresBegin, fire.heard,
                      fmt::format("{} was committed by {} at {}, and its work never began, although {}",
                                  names_.event(event), by_whom(fire.who()), time_text(fire.heard), since));
  }
  // When the life that made the commit had looked through the outbox twice since and asked for more, without
  // any work.
  std::optional<TrueTime> idle_after(const JournalCall& fire) const {
    const LifeHistory& life = history_.lives.at(fire.who());
    std::set<reference::EventId> running;
    std::size_t swept = 0;
    for (std::size_t i = 0; i < life.lines.size(); ++i) {
      const LifeLine& line = life.lines[i];
      if (const auto* item = line.as<WorkItem>()) {
        running.insert(item->event);
        if (i > fire.answered_line) swept = 0;
      } else if (const auto* done = line.as<WorkDone>()) {
        running.erase(done->event);
      } else if (const auto* asked = line.as<journal::Asked>()) {
        if (swept >= 2 && asked->submission.part == Part::scheduler && running.empty() &&
            !sim::takes_events(asked->submission.request))
          return line.at;
      }
      const JournalCall* swept_by = life.answered_at(i);
      if (swept_by != nullptr && swept_by->line > fire.answered_line && swept_by->applied() &&
          swept_by->request<reference::ReadOutbox>() != nullptr && running.empty())
        ++swept;
    }
    return std::nullopt;
  }

  // ---- commits-follow ----

  // What has no answer was executed if a leader went on from where it leads to: by then, that had read so of the store.
  void prove_doubts(const std::vector<EvidenceRow>& rows, const std::vector<EvidenceRow>& doubts) {
    std::vector<EvidenceRow> all = rows;
    all.insert(all.end(), doubts.begin(), doubts.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const EvidenceRow& a, const EvidenceRow& b) { return a.call->sent < b.call->sent; });
    StoreTime cursor = all.front().row.from;
    for (const EvidenceRow& next : all) {
      while (cursor < next.row.from) {
        const EvidenceRow* const only = only_one_from(cursor, next.row.from, doubts);
        if (only == nullptr) break;
        cursor = only->row.to;
        const reference::EventId event{only->row.schedule, only->row.slot, 0};
        const bool is_own = !others_deliver_.contains({event.schedule, only->row.version});
        const bool all_is_told = history_.lives.at(only->call->who()).node_ended;  // also that it began
        if (only->row.what == reference::Disposition::fired && is_own && all_is_told &&
            next.call->answered != nullptr)
          committed_.emplace(event, next.call);
      }
      cursor = std::max(cursor, next.call->in_doubt() ? next.row.from : next.row.to);
    }
  }
  // nullptr: none, or several that are not the same.
  static const EvidenceRow* only_one_from(StoreTime from, StoreTime until,
                                          const std::vector<EvidenceRow>& doubts) {
    const EvidenceRow* only = nullptr;
    for (const EvidenceRow& doubt : doubts) {
      if (doubt.row.from != from || doubt.row.to <= from || doubt.row.to > until) continue;
      const bool same =
          only == nullptr || (only->row.to == doubt.row.to && only->row.what == doubt.row.what &&
                              only->row.slot == doubt.row.slot);
      if (!same) return nullptr;
      only = &doubt;
    }
    return only;
  }
  void judge_rows(const std::vector<EvidenceRow>& rows, const std::vector<EvidenceRow>& doubts) {
    judge_first_row(rows.front(), doubts);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      findings_.examined(kCommitsFollow);
      const EvidenceRow& last = rows[i - 1];
      const EvidenceRow& next = rows[i];
      const StoreTime cursor = cursor_before(next, last.row.to, doubts);
      if (cursor == next.row.from) continue;
      if (cursor < next.row.from && commit_of(*last.call)->token != commit_of(*next.call)->token &&
          !own_journals_tell(last.call->at(), next)) {
        ++not_shown_;
        continue;
      }
      violate_rows(next, fmt::format("{} had committed up to {}: the slots in between {}",
                                     by_whom(last.call->who()), describe(cursor),
                                     cursor < next.row.from ? "are in no commit" : "are covered twice"));
    }
  }
  // A version's rows begin where the store has put its cursor.
  void judge_first_row(const EvidenceRow& first, const std::vector<EvidenceRow>& doubts) {
    const auto segment = segments_.find({first.row.schedule, first.row.version});
    if (segment == segments_.end() || !lease_.complete) return;
    findings_.examined(kCommitsFollow);
    const StoreTime cursor = cursor_before(first, segment->second.cursor, doubts);
    if (cursor >= first.row.from) return;
    if (own_journals_tell(segment->second.begin, first))
      violate_rows(first, fmt::format("its version begins at {}: the slots in between are in no commit",
                                      describe(cursor)));
    else
      ++not_shown_;
  }
  // Where commits of which no answer came back may have moved it: to where `next` begins, or as far towards that as
  // they can have. Several may begin at one cursor, and the store has executed any one of them.
  static StoreTime cursor_before(const EvidenceRow& next, StoreTime cursor,
                                 const std::vector<EvidenceRow>& doubts) {
    std::set<StoreTime> reached{cursor};
    for (const StoreTime from : reached)  // a row leads forward: what it adds comes later
      for (const EvidenceRow& doubt : doubts)
        if (doubt.row.from == from && doubt.row.to <= next.row.from) reached.insert(doubt.row.to);
    return *reached.rbegin();
  }
  void violate_rows(const EvidenceRow& next, const std::string& before) {
    findings_.violate(kCommitsFollow, next.call->heard,
                      fmt::format("{} committed {} from {} at {}, and {}", by_whom(next.call->who()),
                                  names_.schedule(next.row.schedule), describe(next.row.from),
                                  time_text(next.call->heard), before));
  }
  // Whether nothing can have been committed since then and before `next` that is in no journal here.
  bool own_journals_tell(StoreTime since, const EvidenceRow& next) const {
    if (!lease_.complete || an_open_life_may_have_led_before(next)) return false;
    return std::none_of(lease_.terms.begin(), lease_.terms.end(), [&](const LeaseFacts::Term& term) {
      const bool before =
          !commit_of(*next.call)->token.older_than(term.token) && term.who != next.call->who();
      return before && !history_.lives.at(term.who).node_ended && term.end > since;
    });
  }

  // ---- overlaps-an-event ----

  // Of events that others deliver, the store says which overlap: one of the schedule must be there, and of `queue_one`
  // two. Those that workers have ended are taken to be there still, and so is what clients have asked for.
  void judge_overlaps() {
    std::vector<const JournalCall*> calls;
    history_.for_each_call(resource_, [&](const JournalCall& call) {
      if (call.applied()) calls.push_back(&call);
    });
    std::stable_sort(calls.begin(), calls.end(), in_store_order);
    std::set<ScheduleId> run_by_hand;
    history_.for_each_client_change(resource_, [&](const JournalClientChange& one) {
      if (one.change->run) run_by_hand.insert(one.change->run->schedule);
    });
    OutstandingEvents waiting(history_);
    for (const JournalCall* call : calls) {
      waiting.take(*call);
      for (const auto& [row, covered] : rows_of(*call)) {
        const auto version = others_deliver_.find({row.schedule, row.version});
        const bool pushed = version != others_deliver_.end() && !pulled_.contains(version->first);
        if (row.what == reference::Disposition::fired) {
          if (pushed) judge_fire_beside_others(*call, row, version->second, waiting.least(row.schedule));
          waiting.add({row.schedule, row.slot, 0}, pushed);
        }
        if (version == others_deliver_.end() || row.what != reference::Disposition::overlapped) continue;
        findings_.examined(kOverlapsAnEvent);
        const std::size_t least = version->second == Overlap::queue_one ? 2 : 1;
        if (waiting.most(row.schedule) >= least || run_by_hand.contains(row.schedule) ||
            another_open_life_led_before(*call))
          continue;
        findings_.violate(kOverlapsAnEvent, call->heard,
                          fmt::format("{} was recorded as overlapped at {}, and {} of its schedule was there",
                                      names_.slot(row.schedule, row.slot), time_text(call->heard),
                                      least == 1 ? "no event" : "at most one event"));
      }
    }
  }
  void judge_fire_beside_others(const JournalCall& call, const reference::LedgerRow& row, Overlap overlap,
                                std::size_t before) {
    findings_.examined(kOverlapsAnEvent);
    if (overlap == Overlap::allow || before < (overlap == Overlap::queue_one ? 2 : 1)) return;
    findings_.violate(kOverlapsAnEvent, call.heard,
                      fmt::format("{} was fired at {}, and {} of its schedule was not over",
                                  names_.slot(row.schedule, row.slot), time_text(call.heard),
                                  before == 1 ? "an event" : "more than one event"));
  }
  // Its last commits may be in lines that are lost.
  bool another_open_life_led_before(const JournalCall& call) const {
    return std::any_of(lease_.terms.begin(), lease_.terms.end(), [&](const LeaseFacts::Term& term) {
      return term.who != call.who() && !history_.lives.at(term.who).node_ended && term.from <= call.at();
    });
  }

  // With an acquire whose answer is in the lines that are lost.
  bool an_open_life_may_have_led_before(const EvidenceRow& next) const {
    return std::any_of(history_.lives.begin(), history_.lives.end(), [&](const auto& known) {
      const auto& [who, life] = known;
      if (life.node_ended || who == next.call->who()) return false;
      return std::any_of(life.calls.begin(), life.calls.end(), [&](const JournalCall& call) {
        return call.request<reference::Acquire>() != nullptr && call.resource() == resource_ &&
               call.answered == nullptr && call.sent < next.call->heard;
      });
    });
  }

  void say_the_rest() {
    if (not_shown_ == 0) return;
    findings_.lacks(
        fmt::format("{} or work of {} that other lines tell of {} in no journal here: a participant's "
                    "journal is missing, or the end "
                    "of one that has no end",
                    counted(not_shown_, "a commit", "commits"), resource_text(resource_),
                    not_shown_ == 1 ? "is" : "are"));
  }

  ResourceId resource_;
  const LeaseFacts& lease_;
  const std::vector<LostEnd>& lost_;
  StoreTime first_ = StoreTime::max();
  std::set<std::uint32_t> branches_;
  std::map<Incarnation, std::vector<const JournalCall*>> commits_;  // as they were asked for
  const JournalCall* newest_ = nullptr;                             // of those under the newest token, one
  std::map<RequestId, std::optional<TrueTime>> idle_;               // idle_after(), once for each commit
  std::map<reference::EventId, const JournalCall*> committed_;
  std::set<reference::EventId> maybe_committed_;
  std::map<reference::EventId, std::uint32_t> version_of_;  // that fired it, or may have
  std::map<VersionOf, Overlap> others_deliver_;  // versions whose events are pulled, or sent to destinations
  std::set<VersionOf> pulled_;                   // of these
  std::map<VersionOf, reference::Segment> segments_;
  std::map<VersionOf, std::vector<EvidenceRow>> rows_;
  std::map<VersionOf, std::vector<EvidenceRow>> doubts_;
  std::map<reference::EventId, Beginning> begun_;
  std::uint64_t before_ = 0;
  std::uint64_t not_shown_ = 0;
};

}  // namespace

void compare_fires(const Evidence& evidence, const std::vector<LostEnd>& lost) {
  for (const auto& [resource, lease] : evidence.leases_) FireStory(evidence, resource, lost).compare();
}

}  // namespace tenure::lab

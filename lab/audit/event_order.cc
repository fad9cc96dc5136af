#include "lab/audit/event_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "lab/audit/history.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

struct JournalPlace {
  std::size_t journal = 0;
  std::size_t line = 0;
};

// A request and what came back, if anything did.
struct UnansweredCall {
  const journal::Asked* asked = nullptr;
  const journal::Answered* answered = nullptr;
  journal::BootTime sent;
  journal::BootTime heard;
  JournalPlace asked_at;
  JournalPlace answered_at;
  StoreTime order;  // among the calls of its resource: the store's time, not going back from grant to grant
};

bool about_a_lease(const journal::Asked& asked) {
  const Request& request = asked.submission.request;
  return reference_request<reference::Acquire>(request) != nullptr ||
         reference_request<reference::Renew>(request) != nullptr ||
         reference_request<reference::Release>(request) != nullptr;
}

// Who has the lease changed with it, or until when.
bool changed_the_lease(const UnansweredCall& call) {
  return call.answered->reply_as<reference::Granted>() != nullptr ||
         call.answered->reply_as<reference::Released>() != nullptr;
}
std::uint32_t branch_of(const UnansweredCall& call) {
  if (const auto* granted = call.answered->reply_as<reference::Granted>()) return granted->token.branch;
  const auto token = token_shown(call.asked->submission.request);
  return token ? token->branch : 0;
}

class Merger {
 public:
  explicit Merger(const std::vector<NodeJournal>& journals) : journals_(journals) {}

  std::variant<Moments, BadJournal> merge() {
    collect();
    if (!bad_.empty()) return BadJournal{bad_};
    for (auto& [resource, calls] : executed_)
      if (place(calls)) found_.clock_went_back.push_back(resource);
    if (!bad_.empty()) return BadJournal{bad_};
    close_work();
    bound_late_work();
    std::stable_sort(timed_.begin(), timed_.end(), [](const Timed& a, const Timed& b) {
      return a.at != b.at ? a.at < b.at : a.rank < b.rank;
    });
    for (Timed& timed : timed_) found_.moments.push_back({TrueTime{} + (timed.at - found_.zero), timed.what});
    return std::move(found_);
  }

 private:
  using What = decltype(Moment::what);
  struct Timed {
    journal::BootTime at;
    int rank = 0;  // at one time: what was executed, then what nodes wrote
    What what;
  };
  struct Work {
    const WorkItem* item = nullptr;
    journal::BootTime since;
    std::size_t began = 0;  // in timed_
  };

  std::string place_text(const JournalPlace& place) const {
    return fmt::format("{}:{}", journals_[place.journal].name,
                       journals_[place.journal].lines[place.line].number);
  }
  void bad(const JournalPlace& place, std::string_view what) {
    if (bad_.empty()) bad_ = fmt::format("{}: {}", place_text(place), what);
  }

  void collect() {
    std::vector<JournalPlace> places;
    for (std::size_t j = 0; j < journals_.size(); ++j)
      for (std::size_t i = 0; i < journals_[j].lines.size(); ++i) places.push_back({j, i});
    // A life's lines at one time may be in two files, and files come in any order.
    const auto order = [this](const JournalPlace& place) {
      const journal::Line& line = line_at(place);
      return std::tuple(line.now.at, line.who, line.seq);
    };
    std::stable_sort(places.begin(), places.end(),
                     [&order](const JournalPlace& a, const JournalPlace& b) { return order(a) < order(b); });
    if (!places.empty()) found_.zero = line_at(places.front()).now.at;
    for (const JournalPlace& place : places) {
      const journal::Line& line = line_at(place);
      last_[line.who] = line.now.at;
      if (begins_late(line)) late_.insert(line.who);
      if (const auto* asked = std::get_if<journal::Asked>(&line.event)) {
        const auto [at, first] = calls_.try_emplace(asked->id);
        if (!first) bad(place, "this request was submitted before");
        at->second = UnansweredCall{asked, nullptr, line.now.at, {}, place, {}, {}};
        timed_.push_back({line.now.at, 1, NodeWrote{&line}});
        const auto heard = heard_.find(line.who);
        if (reference_request<reference::CommitFires>(asked->submission.request) != nullptr &&
            heard != heard_.end())
          found_.heard[asked->id] = heard->second;
      } else if (const auto* answered = std::get_if<journal::Answered>(&line.event)) {
        answer(place, line, *answered);
      } else if (const auto* item = std::get_if<WorkItem>(&line.event)) {
        work_[{line.who, item->event}] = Work{item, line.now.at, timed_.size() + 1};
        timed_.push_back({line.now.at, 1, NodeWrote{&line}});
        timed_.push_back({line.now.at, 1, WorkBegan{line.who, item, nullptr}});
      } else if (const auto* done = std::get_if<WorkDone>(&line.event)) {
        finish(place, line, *done);
      } else {
        timed_.push_back({line.now.at, 1, NodeWrote{&line}});
      }
    }
    for (const auto& [id, call] : calls_) {
      const bool untold = call.answered == nullptr || call.answered->outcome == RequestOutcome::unknown;
      if (untold && about_a_lease(*call.asked)) timed_.push_back({call.sent, 1, MayHaveExecuted{call.asked}});
    }
  }

  void answer(const JournalPlace& place, const journal::Line& line, const journal::Answered& answered) {
    const auto call = calls_.find(answered.id);
    if (call == calls_.end())
      return bad(place,
                 "this answers a request that was never submitted: journals are read from their beginning");
    if (call->second.answered != nullptr) return bad(place, "this request was answered before");
    if (answered.store != call->second.asked->submission.store)
      return bad(place, "this is the answer of another store than the one that was asked");
    call->second.answered = &answered;
    call->second.heard = line.now.at;
    call->second.answered_at = place;
    if (answered.outcome == RequestOutcome::applied && answered.part == Part::scheduler) {
      const auto [latest, first] = heard_.try_emplace(line.who, answered.store_time);
      if (!first) latest->second = std::max(latest->second, answered.store_time);
    }
    if (answered.outcome == RequestOutcome::applied)
      executed_[resource_of(call->second.asked->submission.request)].push_back(&call->second);
  }

  void finish(const JournalPlace& place, const journal::Line& line, const WorkDone& done) {
    const auto work = work_.find({line.who, done.event});
    if (work == work_.end())
      return bad(place, "this work never began: journals are read from their beginning");
    std::get<WorkBegan>(timed_[work->second.began].what).done = &done;
    timed_.push_back({line.now.at, 1, WorkOver{line.who, work->second.item, &done}});
    work_.erase(work);
  }

  // Places what was executed for one resource. True: the store's clock went back, so that only grants and releases have
  // an order.
  bool place(std::vector<UnansweredCall*>& calls) {
    std::vector<UnansweredCall*> grants;
    for (UnansweredCall* call : calls) {
      call->order = call->answered->store_time;
      if (changed_the_lease(*call)) grants.push_back(call);
    }
    std::stable_sort(grants.begin(), grants.end(), [](const UnansweredCall* a, const UnansweredCall* b) {
      return std::pair(branch_of(*a), a->answered->position) <
             std::pair(branch_of(*b), b->answered->position);
    });
    const bool in_order =
        std::is_sorted(grants.begin(), grants.end(),
                       [](const UnansweredCall* a, const UnansweredCall* b) { return a->order < b->order; });
    if (in_order) {
      std::stable_sort(calls.begin(), calls.end(),
                       [](const UnansweredCall* a, const UnansweredCall* b) { return a->order < b->order; });
      if (!place_in_order(calls)) return false;
    }
    if (const auto wrong = place_in_order(grants))
      bad(wrong->first->asked_at,
          fmt::format(
              "the store executed this before what {} answers, which was answered before this was sent: the "
              "journals are of different machines, boots or stores, or the store was restored from an older "
              "copy "
              "and its positions went back from {} to {}",
              place_text(wrong->second->answered_at), wrong->second->answered->position,
              wrong->first->answered->position));
    for (const UnansweredCall* call : calls)
      if (!changed_the_lease(*call))
        timed_.push_back({call->heard, 0, StoreExecuted{call->asked, call->answered}});
    return true;
  }

  // Each as late as it can have been. A pair that contradicts the order: the first was sent after the second was
  // answered; then nothing is placed.
  std::optional<std::pair<const UnansweredCall*, const UnansweredCall*>> place_in_order(
      const std::vector<UnansweredCall*>& calls) {
    const UnansweredCall* bound = nullptr;  // the earliest answer to this or a later one
    std::vector<Timed> placed;
    for (auto it = calls.rbegin(); it != calls.rend(); ++it) {
      const UnansweredCall* call = *it;
      if (bound == nullptr || call->heard < bound->heard) bound = call;
      if (bound->heard < call->sent) return std::pair(call, bound);
      placed.push_back({bound->heard, 0, StoreExecuted{call->asked, call->answered}});
    }
    timed_.insert(timed_.end(), placed.rbegin(), placed.rend());
    return std::nullopt;
  }

  void close_work() {
    for (const auto& [key, work] : work_) {
      ++found_.unfinished;
      timed_.push_back({last_.at(key.first), 1, WorkOver{key.first, work.item, nullptr}});
    }
  }

  // A request is executed after it was asked: the store had not come to that time before.
  void bound_late_work() {
    std::map<Incarnation, std::map<journal::BootTime, StoreTime>> asked_later;
    for (const auto& [id, call] : calls_)
      if (late_.contains(id.incarnation) && call.answered != nullptr &&
          call.answered->outcome == RequestOutcome::applied)
        asked_later[id.incarnation].emplace(call.sent, call.answered->store_time);
    for (Timed& timed : timed_) {
      auto* began = std::get_if<WorkBegan>(&timed.what);
      if (began == nullptr || !late_.contains(began->who)) continue;
      const auto& calls = asked_later[began->who];
      const auto next = calls.lower_bound(timed.at);
      began->at_most = next != calls.end() ? next->second : StoreTime::max();
    }
  }

  const journal::Line& line_at(const JournalPlace& place) const {
    return journals_[place.journal].lines[place.line].line;
  }

  const std::vector<NodeJournal>& journals_;
  Moments found_;
  std::string bad_;
  std::map<RequestId, UnansweredCall> calls_;
  std::map<ResourceId, std::vector<UnansweredCall*>> executed_;      // into calls_
  std::map<std::pair<Incarnation, reference::EventId>, Work> work_;  // without an end so far
  std::map<Incarnation, journal::BootTime> last_;
  std::map<Incarnation, StoreTime> heard_;  // by its scheduler, of the store's clock
  std::set<Incarnation> late_;              // whose journals begin in the middle of a life
  std::vector<Timed> timed_;
};

}  // namespace

std::variant<Moments, BadJournal> moments_of(const std::vector<NodeJournal>& journals) {
  return Merger(journals).merge();
}

}  // namespace tenure::sim

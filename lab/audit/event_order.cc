#include "lab/audit/event_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tenure::lab {
namespace {

// Who has the lease changed with it, or until when.
bool changed_the_lease(const JournalCall& call) {
  return call.reply<reference::Granted>() != nullptr || call.reply<reference::Released>() != nullptr;
}
std::uint32_t branch_of(const JournalCall& call) {
  if (const auto* granted = call.reply<reference::Granted>()) return granted->token.branch;
  const auto token = sim::token_shown(call.asked->submission.request);
  return token ? token->branch : 0;
}
bool earlier(const JournalCall* a, const JournalCall* b) { return a->at() < b->at(); }

class Merger {
 public:
  explicit Merger(const JournalHistory& history) : history_(history) {}

  std::variant<Moments, BadJournal> merge() {
    for (const auto& [who, life] : history_.lives) add_life(who, life);
    for (auto& [resource, calls] : executed_) {
      std::stable_sort(calls.begin(), calls.end(),
                       [](const JournalCall* a, const JournalCall* b) { return a->heard < b->heard; });
      if (place(calls)) found_.clock_went_back.push_back(resource);
    }
    if (!bad_.empty()) return BadJournal{bad_};
    std::stable_sort(timed_.begin(), timed_.end(), [](const Timed& a, const Timed& b) {
      return a.moment.at != b.moment.at ? a.moment.at < b.moment.at : a.rank < b.rank;
    });
    for (Timed& timed : timed_) found_.moments.push_back(timed.moment);
    return std::move(found_);
  }

 private:
  struct Timed {
    Moment moment;
    int rank = 0;  // at one time: what was executed, then what nodes wrote
  };
  void add(sim::TrueTime at, decltype(Moment::what) what) { timed_.push_back({{at, what}, 1}); }

  void add_life(Incarnation who, const LifeHistory& life) {
    std::optional<StoreTime> heard;  // by its scheduler, of the store's clock
    for (const JournalCall& call : life.calls)
      if (call.applied()) executed_[call.resource()].push_back(&call);
    std::map<std::size_t, std::vector<const JournalWork*>> over;  // by the line with which it is
    auto work = life.works.begin();
    for (std::size_t i = 0; i < life.lines.size(); ++i) {
      const LifeLine& line = life.lines[i];
      const auto* answered = line.as<journal::Answered>();
      add(line.at, NodeWrote{line.line});
      if (answered != nullptr && answered->outcome == RequestOutcome::applied &&
          answered->part == Part::scheduler)
        heard = std::max(heard.value_or(answered->store_time), answered->store_time);
      if (const JournalCall* call = life.asked_at(i)) {
        if (call->in_doubt() && is_about_the_lease(call->asked->submission.request))
          add(line.at, MayHaveExecuted{call->asked});
        if (heard && call->request<reference::CommitFires>() != nullptr)
          found_.heard[call->asked->id] = *heard;
      }
      if (work != life.works.end() && work->line == i) {
        add(line.at, WorkBegan{who, work->item, work->done, known_upto(life, line.at)});
        if (!work->begun_again)
          over[work->done != nullptr ? work->done_line : life.lines.size() - 1].push_back(&*work);
        if (work->done == nullptr && !work->begun_again) ++found_.unfinished;
        ++work;
      }
      for (const JournalWork* ended : over[i]) add(line.at, WorkOver{who, ended->item, ended->done});
    }
  }
  // A request is executed after it was asked: the store had not come to that time before.
  static StoreTime known_upto(const LifeHistory& life, sim::TrueTime at) {
    if (!life.begins_late()) return StoreTime::min();
    const auto next = std::find_if(life.calls.begin(), life.calls.end(), [&](const JournalCall& call) {
      return call.applied() && call.sent >= at;
    });
    return next != life.calls.end() ? next->at() : StoreTime::max();
  }

  // Places what was executed for one resource. True: the store's clock went back, so that only grants and releases have
  // an order.
  bool place(std::vector<const JournalCall*>& calls) {
    std::vector<const JournalCall*> grants;
    std::copy_if(calls.begin(), calls.end(), std::back_inserter(grants),
                 [](const JournalCall* call) { return changed_the_lease(*call); });
    std::stable_sort(grants.begin(), grants.end(), [](const JournalCall* a, const JournalCall* b) {
      return std::pair(branch_of(*a), a->answered->position) <
             std::pair(branch_of(*b), b->answered->position);
    });
    if (std::is_sorted(grants.begin(), grants.end(), earlier)) {
      std::stable_sort(calls.begin(), calls.end(), earlier);
      if (!place_in_order(calls)) return false;
    }
    if (const auto wrong = place_in_order(grants); wrong && bad_.empty())
      bad_ = fmt::format(
          "{}: the store executed this before what {} answers, which was answered before this was sent: the "
          "journals are of different machines, boots or stores, or the store was restored from an older copy "
          "and its positions went back from {} to {}",
          place_of(*wrong->first, wrong->first->line), place_of(*wrong->second, wrong->second->answered_line),
          wrong->second->answered->position, wrong->first->answered->position);
    for (const JournalCall* call : calls)
      if (!changed_the_lease(*call))
        timed_.push_back({{call->heard, StoreExecuted{call->asked, call->answered}}});
    return true;
  }

  // Each as late as it can have been. A pair that contradicts the order: the first was sent after the second was
  // answered; then nothing is placed.
  std::optional<std::pair<const JournalCall*, const JournalCall*>> place_in_order(
      const std::vector<const JournalCall*>& calls) {
    const JournalCall* bound = nullptr;  // the earliest answer to this or a later one
    std::vector<Timed> placed;
    for (auto it = calls.rbegin(); it != calls.rend(); ++it) {
      const JournalCall* call = *it;
      if (bound == nullptr || call->heard < bound->heard) bound = call;
      if (bound->heard < call->sent) return std::pair(call, bound);
      placed.push_back({{bound->heard, StoreExecuted{call->asked, call->answered}}});
    }
    timed_.insert(timed_.end(), placed.rbegin(), placed.rend());
    return std::nullopt;
  }

  std::string place_of(const JournalCall& call, std::size_t line) const {
    const LifeLine& at = history_.lives.at(call.who()).lines[line];
    return place_text(*at.journal, at.number);
  }

  const JournalHistory& history_;
  Moments found_;
  std::string bad_;
  std::map<ResourceId, std::vector<const JournalCall*>> executed_;
  std::vector<Timed> timed_;
};

}  // namespace

std::variant<Moments, BadJournal> moments_of(const JournalHistory& history) {
  return Merger(history).merge();
}

}  // namespace tenure::lab

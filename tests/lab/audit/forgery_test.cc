// Forged journals of real processes: how each is changed, and what the audit must say.
//
// The forger numbers and chains all lines anew (forging.h). Each forgery fails by the check that is named, or something
// is lacking, or the journals are refused.
#include <set>

#include "sim/checkers/trackers/applied.h"
#include "tests/lab/audit/forging.h"
#include "tests/lab/audit/writing.h"

namespace tenure::sim {
namespace {

using Of = ForgedJournals::Of;
using reference::Disposition;
using reference::LedgerRow;

constexpr std::string_view kLacking = "lacking";
constexpr std::string_view kRefused = "refused";

struct Forgery {
  const char* name;
  Of of;
  std::string_view says;  // a check, kLacking or kRefused
  const char* words;      // that it says
  void (*forge)(ForgedJournals& real);
};
std::ostream& operator<<(std::ostream& out, const Forgery& forgery) { return out << forgery.name; }

// The rows of the nth commit.
std::vector<LedgerRow>& rows_in(JournalLines& lines, std::size_t commit) {
  return request_in<reference::CommitFires>(lines, find_request<reference::CommitFires>(lines, commit)).rows;
}
// The first row of the journal of which `which(row)`.
template <class Which>
LedgerRow& row_where(JournalLines& lines, Which&& which) {
  for (journal::Line& line : lines) {
    auto* asked = std::get_if<journal::Asked>(&line.event);
    auto* request = asked != nullptr ? std::get_if<reference::Request>(&asked->submission.request) : nullptr;
    auto* commit = request != nullptr ? std::get_if<reference::CommitFires>(request) : nullptr;
    if (commit == nullptr) continue;
    const auto row = std::find_if(commit->rows.begin(), commit->rows.end(), which);
    if (row != commit->rows.end()) return *row;
  }
  ADD_FAILURE() << "there is no such row";
  return rows_in(lines, 0).front();
}
// Takes the rows of which `which(row)` out of all commits and of what the store answered.
template <class Which>
void drop_rows(ForgedJournals& real, Which&& which) {
  for (JournalLines& lines : real.all())
    for (std::size_t i = 0; i < lines.size(); ++i) {
      auto* asked = std::get_if<journal::Asked>(&lines[i].event);
      if (asked == nullptr || reference_request<reference::CommitFires>(asked->submission.request) == nullptr)
        continue;
      auto& rows = request_in<reference::CommitFires>(lines, i).rows;
      auto& results = reply_in<reference::Committed>(lines, answer_to(lines, i)).rows;
      for (std::size_t row = rows.size(); row-- > 0;) {
        if (!which(rows[row])) continue;
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row));
        results.erase(results.begin() + static_cast<std::ptrdiff_t>(row));
      }
    }
}
// All fires of the schedule after the first ones are said to overlap.
void overlap_all(ForgedJournals& real, ScheduleId schedule, std::size_t first_ones = 0) {
  std::size_t fires = 0;
  for (JournalLines& lines : real.all())
    for (std::size_t i = 0; i < lines.size(); ++i) {
      auto* asked = std::get_if<journal::Asked>(&lines[i].event);
      if (asked == nullptr || reference_request<reference::CommitFires>(asked->submission.request) == nullptr)
        continue;
      const auto& rows = request_in<reference::CommitFires>(lines, i).rows;
      auto& results = reply_in<reference::Committed>(lines, answer_to(lines, i)).rows;
      for (std::size_t row = 0; row < rows.size(); ++row)
        if (rows[row].schedule == schedule && rows[row].what == Disposition::fired && fires++ >= first_ones)
          results[row] = reference::RowResult::overlapped;
    }
}
// Wherever a definition of which `which(definition)` is told.
template <class Which, class Change>
void change_definitions(ForgedJournals& real, Which&& which, Change&& change) {
  bool any = false;
  for (JournalLines& lines : real.all())
    for (journal::Line& line : lines)
      if (auto* answered = std::get_if<journal::Answered>(&line.event))
        if (auto* told = answered->reply_as<reference::Changes>())
          for (reference::Change& one : told->changes)
            if (!one.deleted && which(one.definition)) {
              change(one.definition);
              any = true;
            }
  EXPECT_TRUE(any);
}
bool has_policy(const Definition& definition, Misfire::Policy policy) {
  return definition.misfire.policy == policy && definition.misfire.grace < Duration::seconds(1);
}
void take_reply_out(JournalLines& lines, std::size_t request) { take_out(lines, answer_to(lines, request)); }
// A piece of work at that time after the line, done at once.
void add_work(JournalLines& lines, std::size_t after, const Token& token, Duration later) {
  const reference::EventId event{{}, {}, 99};
  put_in(lines, after, WorkItem{{}, event, token, false}, later);
  put_in(lines, after + 1, WorkDone{event});
}
const reference::EventId& event_of(JournalLines& lines, std::size_t work) {
  return event_in<WorkItem>(lines, work).event;
}
void take_work_out(JournalLines& lines, const reference::EventId event) {
  take_out_all(lines, [&](const journal::Line& line) {
    const auto* item = std::get_if<WorkItem>(&line.event);
    const auto* done = std::get_if<WorkDone>(&line.event);
    return (item != nullptr && item->event == event) || (done != nullptr && done->event == event);
  });
}

// Where the first definition is told.
Definition& first_definition(JournalLines& lines) {
  const auto tells = [](const journal::Answered& answered) {
    const auto* told = answered.reply_as<reference::Changes>();
    return told != nullptr && !told->changes.empty();
  };
  const std::size_t at = find_event<journal::Answered>(lines, tells);
  return reply_in<reference::Changes>(lines, at).changes.front().definition;
}

// Another name for the life that a journal begins with, wherever it is named.
void rename_life(ForgedJournals& real, const Incarnation from, const Incarnation to) {
  for (JournalLines& lines : real.all())
    for (journal::Line& line : lines) {
      if (line.who == from) line.who = to;
      auto* answered = std::get_if<journal::Answered>(&line.event);
      auto* refused = answered != nullptr ? answered->reply_as<reference::Refused>() : nullptr;
      if (refused != nullptr && refused->holder == from) refused->holder = to;
    }
}

constexpr Forgery
    kForgeries
        [] =
            {
                // ---- beliefs and grants ----
                {"an_epoch_that_was_skipped", Of::own_work, "granted-as-asked", "had seen epoch",
                 [](ForgedJournals& real) {
                   ++reply_in<reference::Granted>(real[1], find_reply<reference::Granted>(real[1])).token.epoch;
                 }},
                {"a_branch_of_the_store_that_went_back", Of::own_work, "granted-as-asked", "had told branch 7",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all())
                     for (journal::Line& line : lines)
                       if (auto* answered = std::get_if<journal::Answered>(&line.event))
                         if (auto* told = answered->reply_as<reference::Changes>()) told->branch = 7;
                 }},
                {"a_refusal_for_want_of_a_lease_that_names_a_holder", Of::elections, "granted-as-asked",
                 "somebody holds the lease",
                 [](ForgedJournals& real) {
                   const auto named = [](const journal::Answered& answered) {
                     const auto* refused = answered.reply_as<reference::Refused>();
                     return refused != nullptr && refused->holder.number != 0;
                   };
                   const std::size_t at = find_event<journal::Answered>(real[0], named);
                   reply_in<reference::Refused>(real[0], at).why = reference::Denial::no_lease;
                 }},
                {"a_commit_that_is_not_marked_as_a_leaders", Of::own_work, "acts-within-belief",
                 "only a leader may",
                 [](ForgedJournals& real) {
                   const std::size_t at = find_request<reference::CommitFires>(real[0]);
                   event_in<journal::Asked>(real[0], at).submission.as_leader = false;
                 }},
                {"a_belief_for_a_thousand_seconds", Of::elections, "belief-within-grant", "1000s longer",
                 [](ForgedJournals& real) {
                   Believes& belief = note_in<Believes>(real[0], find_note<Believes>(real[0], 1));
                   belief.until = std::get<MonoTime>(belief.until) + Duration::seconds(1000);
                 }},
                {"a_belief_for_a_microsecond_more", Of::elections, "belief-within-grant", "1us longer",
                 [](ForgedJournals& real) {
                   Believes& belief = note_in<Believes>(real[1], find_note<Believes>(real[1]));
                   belief.until = std::get<MonoTime>(belief.until) + Duration::micros(1);
                 }},
                {"a_belief_without_its_guard", Of::own_work, "belief-within-grant",
                 "longer than its grants allow",
                 [](ForgedJournals& real) {
                   Believes& belief = note_in<Believes>(real[0], find_note<Believes>(real[0]));
                   belief.until = std::get<MonoTime>(belief.until) + Duration::millis(100);
                 }},
                {"a_greater_guard_in_the_settings", Of::elections, "belief-within-grant",
                 "longer than its grants allow",
                 [](ForgedJournals& real) {
                   event_in<journal::LifeBegan>(real[0], 0).settings["election.guard"] =
                       Duration::millis(101).ns();
                 }},
                {"a_renewed_belief_that_is_longer", Of::kinds, "belief-within-grant",
                 "longer than its grants allow",
                 [](ForgedJournals& real) {
                   Believes& belief = note_in<Believes>(real[1], find_note<Believes>(real[1], 2));
                   belief.until = std::get<MonoTime>(belief.until) + Duration::millis(1);
                 }},
                {"a_belief_without_an_end", Of::elections, "belief-within-grant", "without an end",
                 [](ForgedJournals& real) {
                   note_in<Believes>(real[1], find_note<Believes>(real[1])).until = Open{};
                 }},
                {"a_belief_without_a_token", Of::elections, "belief-within-grant", "without a token",
                 [](ForgedJournals& real) {
                   note_in<Believes>(real[1], find_note<Believes>(real[1])).token.reset();
                 }},
                {"a_belief_before_the_answer", Of::elections, "belief-within-grant", "no answer had granted",
                 [](ForgedJournals& real) {
                   const std::size_t asked = find_request<reference::Acquire>(real[0], 2);
                   const Note belief = event_in<Note>(real[0], find_note<Believes>(real[0]));
                   put_in(real[0], asked, belief, Duration::millis(1));
                 }},
                {"a_belief_after_stepping_down", Of::kinds, "belief-within-grant", "no answer had granted",
                 [](ForgedJournals& real) {
                   const Note belief = event_in<Note>(real[0], find_note<Believes>(real[0], 3));
                   put_in(real[0], find_note<StepsDown>(real[0]), belief);
                 }},
                {"a_belief_under_a_token_that_was_given_back", Of::elections, "belief-within-grant",
                 "given back",
                 [](ForgedJournals& real) {
                   const Note belief = event_in<Note>(real[1], find_note<Believes>(real[1]));
                   put_in(real[1], find_request<reference::Release>(real[1]), belief);
                 }},
                {"a_belief_under_another_nonce", Of::elections, "belief-within-grant",
                 "no answer had granted",
                 [](ForgedJournals& real) {
                   ++note_in<Believes>(real[1], find_note<Believes>(real[1])).token->nonce;
                 }},
                {"a_belief_under_an_earlier_epoch", Of::elections, "belief-within-grant", "",
                 [](ForgedJournals& real) {
                   const Believes first = note_in<Believes>(real[0], find_note<Believes>(real[0]));
                   note_in<Believes>(real[0], find_note<Believes>(real[0], 1)).token = first.token;
                 }},
                {"a_grant_that_is_unknown", Of::elections, "belief-within-grant", "no answer had granted",
                 [](ForgedJournals& real) {
                   journal::Answered& answer =
                       event_in<journal::Answered>(real[0], find_reply<reference::Granted>(real[0]));
                   answer.outcome = RequestOutcome::unknown;
                   answer.reply.reset();
                 }},
                {"a_grant_taken_out", Of::elections, "belief-within-grant", "no answer had granted",
                 [](ForgedJournals& real) { take_out(real[1], find_reply<reference::Granted>(real[1])); }},
                {"a_renewal_taken_out", Of::kinds, "belief-within-grant", "longer than its grants allow",
                 [](ForgedJournals& real) { take_out(real[1], find_reply<reference::Granted>(real[1], 2)); }},
                {"a_renewal_that_is_refused", Of::kinds, "belief-within-grant", "",
                 [](ForgedJournals& real) {
                   event_in<journal::Answered>(real[1], find_reply<reference::Granted>(real[1], 2)).reply =
                       reference::Refused{reference::Denial::expired, {}, 2, {}};
                 }},
                {"a_step_down_taken_out", Of::elections, "belief-within-grant",
                 "gave back the lease that it believed in",
                 [](ForgedJournals& real) { take_out(real[1], find_note<StepsDown>(real[1])); }},
                {"a_lease_for_longer_than_was_asked", Of::elections, "granted-as-asked", "had asked for 2s",
                 [](ForgedJournals& real) {
                   reply_in<reference::Granted>(real[0], find_reply<reference::Granted>(real[0])).duration =
                       Duration::seconds(3);
                 }},
                {"a_renewal_under_another_token", Of::kinds, "granted-as-asked", "renewed",
                 [](ForgedJournals& real) {
                   ++reply_in<reference::Granted>(real[1], find_reply<reference::Granted>(real[1], 3))
                         .token.nonce;
                 }},
                // ---- acts and beliefs ----
                {"a_belief_taken_out", Of::elections, "acts-within-belief", "before it had believed",
                 [](ForgedJournals& real) { take_out(real[1], find_note<Believes>(real[1])); }},
                {"work_under_another_token", Of::elections, "acts-within-belief", "and believed under",
                 [](ForgedJournals& real) {
                   ++event_in<WorkItem>(real[1], find_event<WorkItem>(real[1])).token->epoch;
                 }},
                {"work_after_the_belief", Of::elections, "acts-within-belief", "when its belief had ended",
                 [](ForgedJournals& real) {
                   const std::size_t belief = find_note<Believes>(real[0]);
                   add_work(real[0], belief + 1, *note_in<Believes>(real[0], belief).token,
                            Duration::millis(1'950));
                 }},
                {"a_commit_after_stepping_down", Of::kinds, "acts-within-belief", "after it had stepped down",
                 [](ForgedJournals& real) {
                   const journal::Asked commit =
                       event_in<journal::Asked>(real[0], find_request<reference::CommitFires>(real[0]));
                   journal::Asked again = commit;
                   again.id.counter += 10'000;
                   put_in(real[0], find_note<StepsDown>(real[0]), again);
                 }},
                // ---- the lease ----
                {"a_commit_after_stepping_down_that_says_it_is_no_act", Of::kinds, "acts-within-belief",
                 "after it had stepped down",
                 [](ForgedJournals& real) {
                   journal::Asked again =
                       event_in<journal::Asked>(real[0], find_request<reference::CommitFires>(real[0]));
                   again.id.counter += 10'000;
                   again.submission.as_leader = false;
                   put_in(real[0], find_note<StepsDown>(real[0]), again);
                 }},
                {"a_lease_of_a_thousand_seconds", Of::elections, "granted-as-asked", "its settings say",
                 [](ForgedJournals& real) {
                   const std::size_t asked = find_request<reference::Acquire>(real[0], 2);
                   request_in<reference::Acquire>(real[0], asked).duration = Duration::seconds(1000);
                   reply_in<reference::Granted>(real[0], answer_to(real[0], asked)).duration =
                       Duration::seconds(1000);
                   Believes& belief = note_in<Believes>(real[0], find_note<Believes>(real[0]));
                   belief.until = std::get<MonoTime>(belief.until) + Duration::seconds(900);
                 }},
                {"a_guard_below_zero", Of::elections, "belief-within-grant", "longer than its grants allow",
                 [](ForgedJournals& real) {
                   auto& settings = event_in<journal::LifeBegan>(real[0], 0).settings;
                   settings["election.guard"] = -Duration::seconds(1000).ns();
                   settings["election.max_clock_drift_ppm"] = -500'000;
                   Believes& belief = note_in<Believes>(real[0], find_note<Believes>(real[0]));
                   belief.until = std::get<MonoTime>(belief.until) + Duration::seconds(1);
                 }},
                {"one_epoch_for_two", Of::elections, "one-holder-per-epoch", "",
                 [](ForgedJournals& real) {
                   const Token token =
                       reply_in<reference::Granted>(real[0], find_reply<reference::Granted>(real[0])).token;
                   reply_in<reference::Granted>(real[1], find_reply<reference::Granted>(real[1]))
                       .token.epoch = token.epoch;
                   note_in<Believes>(real[1], find_note<Believes>(real[1])).token->epoch = token.epoch;
                 }},
                {"an_epoch_that_goes_back", Of::elections, "epochs-increase", "",
                 [](ForgedJournals& real) {
                   reply_in<reference::Granted>(real[1], find_reply<reference::Granted>(real[1]))
                       .token.epoch = 1;
                 }},
                {"a_holder_that_is_refused", Of::kinds, "promise-kept", "",
                 [](ForgedJournals& real) {
                   event_in<journal::Answered>(real[1], find_reply<reference::Granted>(real[1], 2)).reply =
                       reference::Refused{reference::Denial::other_holder, {}, 2, Duration::seconds(1)};
                 }},
                {"a_position_given_twice", Of::kinds, "positions-once", "",
                 [](ForgedJournals& real) {
                   const std::size_t commit = find_request<reference::CommitFires>(real[1], 1);
                   const std::size_t answer = answer_to(real[1], commit);
                   const std::size_t before =
                       answer_to(real[1], find_request<reference::CommitFires>(real[1]));
                   event_in<journal::Answered>(real[1], answer).position =
                       event_in<journal::Answered>(real[1], before).position;
                 }},
                {"a_life_that_goes_on_after_its_end", Of::elections, "life-ends-once", "",
                 [](ForgedJournals& real) {
                   put_in(real[1], find_reply<reference::Granted>(real[1]), journal::LifeEnded{true});
                 }},
                // ---- rows of the ledger ----
                {"a_row_that_says_missed", Of::own_work, "rows-allowed", "was not late",
                 [](ForgedJournals& real) {
                   LedgerRow& row = rows_in(real[1], 3).front();
                   row.what = Disposition::missed;
                   take_work_out(real[1], {row.schedule, row.slot, 0});
                 }},
                {"a_row_that_says_paused", Of::own_work, "rows-allowed", "does not allow",
                 [](ForgedJournals& real) { rows_in(real[0], 2).front().what = Disposition::paused; }},
                {"a_row_that_says_overlapped", Of::own_work, "rows-allowed", "does not allow",
                 [](ForgedJournals& real) { rows_in(real[0], 2).front().what = Disposition::overlapped; }},
                {"nothing_ever_fired", Of::own_work, "rows-allowed", "paused",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all()) {
                     for (journal::Line& line : lines)
                       if (auto* asked = std::get_if<journal::Asked>(&line.event))
                         if (auto* commit = std::get_if<reference::CommitFires>(
                                 &std::get<reference::Request>(asked->submission.request)))
                           for (LedgerRow& row : commit->rows) row.what = Disposition::paused;
                     take_out_all(lines, is_work);
                   }
                 }},
                {"a_row_that_says_overlapped_where_the_store_judges", Of::kinds, "rows-allowed",
                 "the store's to say",
                 [](ForgedJournals& real) {
                   std::set<ScheduleId> skipping;
                   change_definitions(
                       real, [](const Definition& one) { return one.overlap == Overlap::skip; },
                       [](Definition&) {});
                   for (JournalLines& lines : real.all())
                     for (journal::Line& line : lines)
                       if (auto* answered = std::get_if<journal::Answered>(&line.event))
                         if (auto* told = answered->reply_as<reference::Changes>())
                           for (const reference::Change& one : told->changes)
                             if (one.definition.overlap == Overlap::skip)
                               skipping.insert(one.segment.schedule);
                   row_where(real[1], [&](const LedgerRow& row) {
                     return skipping.contains(row.schedule);
                   }).what = Disposition::overlapped;
                 }},
                {"a_row_that_counts_a_slot_more", Of::kinds, "rows-allowed", "slots",
                 [](ForgedJournals& real) {
                   ++row_where(real[1], [](const LedgerRow& row) { return row.slots > 1; }).slots;
                 }},
                {"a_fire_that_reaches_over_the_next_slot", Of::kinds, "rows-allowed", "reaches",
                 [](ForgedJournals& real) {
                   LedgerRow& row = row_where(real[1], [](const LedgerRow& one) {
                     return one.what == Disposition::fired && one.slots == 1 && one.to < StoreTime::max();
                   });
                   row.to = row.to + (row.to - row.slot);
                 }},
                {"a_coalesced_slot_that_is_not_the_one_to_fire", Of::kinds, "rows-allowed",
                 "should have fired",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real,
                       [](const Definition& one) { return has_policy(one, Misfire::Policy::fire_once); },
                       [](Definition& one) {
                         const bool latest = one.misfire.once == Misfire::Which::latest;
                         one.misfire.once = latest ? Misfire::Which::earliest : Misfire::Which::latest;
                       });
                 }},
                {"a_schedule_that_skips_no_late_slots", Of::kinds, "rows-allowed", "does not allow",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real, [](const Definition& one) { return has_policy(one, Misfire::Policy::skip); },
                       [](Definition& one) { one.misfire.policy = Misfire::Policy::fire_all; });
                 }},
                {"a_schedule_that_was_to_skip_late_slots", Of::kinds, "rows-allowed",
                 "late slots are to be skipped",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real, [](const Definition& one) { return one.misfire.catchup_limit() == 2; },
                       [](Definition& one) { one.misfire.policy = Misfire::Policy::skip; });
                 }},
                {"a_schedule_without_a_window", Of::kinds, "rows-allowed", "does not allow",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real,
                       [](const Definition& one) { return one.misfire.catchup_window < Duration::max(); },
                       [](Definition& one) { one.misfire.catchup_window = Duration::max(); });
                 }},
                {"a_schedule_that_was_not_paused", Of::kinds, "rows-allowed", "does not allow",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real, [](const Definition& one) { return one.paused; },
                       [](Definition& one) { one.paused = false; });
                 }},
                {"a_row_that_was_moved", Of::own_work, "commits-follow", "",
                 [](ForgedJournals& real) {
                   reply_in<reference::Committed>(real[1], find_reply<reference::Committed>(real[1], 3))
                       .rows.front() = reference::RowResult::moved;
                 }},
                {"a_commit_taken_out_with_its_work", Of::own_work, "commits-follow", "are in no commit",
                 [](ForgedJournals& real) {
                   const std::size_t commit = find_request<reference::CommitFires>(real[1], 3);
                   for (const LedgerRow& row : rows_in(real[1], 3))
                     take_work_out(real[1], {row.schedule, row.slot, 0});
                   take_reply_out(real[1], find_request<reference::CommitFires>(real[1], 3));
                   take_out(real[1], commit);
                 }},
                {"a_commit_of_two_versions", Of::own_work, "versions-take-turns", "",
                 [](ForgedJournals& real) {
                   std::vector<LedgerRow>& rows = rows_in(real[0], 2);
                   LedgerRow other = rows.front();
                   ++other.version;
                   rows.push_back(other);
                   const std::size_t answer =
                       answer_to(real[0], find_request<reference::CommitFires>(real[0], 2));
                   reply_in<reference::Committed>(real[0], answer)
                       .rows.push_back(reference::RowResult::covered);
                 }},
                // ---- slots ----
                {"a_slot_between_two_slots", Of::own_work, "no-drift", "no slot of the version",
                 [](ForgedJournals& real) {
                   LedgerRow& row = rows_in(real[1], 3).front();
                   row.slot = row.slot + Duration::millis(125);
                 }},
                {"a_due_time_that_is_earlier", Of::kinds, "no-drift", "as due at",
                 [](ForgedJournals& real) {
                   LedgerRow& row =
                       row_where(real[1], [](const LedgerRow& one) { return one.due > one.slot; });
                   row.due = row.due - Duration::micros(1);
                 }},
                {"another_seed_of_a_jitter", Of::kinds, "no-drift", "as due at",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real, [](const Definition& one) { return one.jitter.max > Duration{}; },
                       [](Definition& one) { ++one.jitter.seed; });
                 }},
                {"another_period", Of::own_work, "no-drift", "no slot of the version",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real, [](const Definition&) { return true; },
                       [](Definition& one) {
                         auto& every = std::get<Interval>(one.recurrence);
                         every.period = every.period * 3;
                       });
                 }},
                {"a_schedule_that_was_paused", Of::own_work, "no-drift", "while the schedule was paused",
                 [](ForgedJournals& real) {
                   change_definitions(
                       real, [](const Definition&) { return true; },
                       [](Definition& one) { one.paused = true; });
                 }},
                {"a_commit_before_its_slot", Of::own_work, "never-early", "early",
                 [](ForgedJournals& real) {
                   const std::size_t answer =
                       answer_to(real[0], find_request<reference::CommitFires>(real[0], 2));
                   journal::Answered& one = event_in<journal::Answered>(real[0], answer);
                   one.store_time = one.store_time - Duration::millis(150);
                 }},
                {"the_first_rows_of_a_version_taken_out", Of::kinds, "commits-follow",
                 "its version begins at",
                 [](ForgedJournals& real) {
                   const StoreTime until = row_where(real[1], [](const LedgerRow& row) {
                                             return row.schedule == ScheduleId{1};
                                           }).to;
                   drop_rows(real, [&](const LedgerRow& row) {
                     return row.schedule == ScheduleId{1} && row.from < until;
                   });
                 }},
                {"all_slots_overlapped_by_nothing", Of::kinds, "overlaps-an-event", "no event of its schedule",
                 [](ForgedJournals& real) { overlap_all(real, ScheduleId{5}); }},
                {"all_slots_overlapped_by_one_event_though_one_may_queue", Of::kinds, "overlaps-an-event",
                 "at most one event", [](ForgedJournals& real) {
                   overlap_all(real, ScheduleId{6}, 1);
                 }},
                // ---- work ----
                {"work_that_nobody_committed", Of::own_work, "work-was-committed", "which nobody committed",
                 [](ForgedJournals& real) {
                   const std::size_t at = find_event<WorkItem>(real[1], 58);
                   WorkItem work = event_in<WorkItem>(real[1], at);
                   work.event.slot = work.event.slot + Duration::millis(125);
                   put_in(real[1], at, work);
                 }},
                {"a_committed_fire_that_never_began", Of::own_work, "fires-begin", "never began",
                 [](ForgedJournals& real) {
                   take_work_out(real[1], event_of(real[1], find_event<WorkItem>(real[1], 3)));
                 }},
                {"all_work_taken_out", Of::own_work, "fires-begin", "never began",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all()) take_out_all(lines, is_work);
                 }},
                {"work_that_was_done_twice", Of::own_work, "no-duplicate-fire", "executed twice",
                 [](ForgedJournals& real) {
                   const std::size_t done = find_event<WorkDone>(real[1], 30);
                   const reference::EventId event = event_in<WorkDone>(real[1], done).event;
                   const std::size_t began =
                       find_event<WorkItem>(real[1], [&](const WorkItem& one) { return one.event == event; });
                   const WorkItem again = event_in<WorkItem>(real[1], began);
                   const WorkDone over = event_in<WorkDone>(real[1], done);
                   put_in(real[1], done, again);
                   put_in(real[1], done + 1, over);
                 }},
                {"work_that_was_done_twice_and_says_that_it_may_be", Of::own_work, "no-duplicate-fire",
                 "executed twice",
                 [](ForgedJournals& real) {
                   const std::size_t done = find_event<WorkDone>(real[1], 30);
                   const WorkDone over = event_in<WorkDone>(real[1], done);
                   const std::size_t began = find_event<WorkItem>(
                       real[1], [&](const WorkItem& one) { return one.event == over.event; });
                   WorkItem again = event_in<WorkItem>(real[1], began);
                   again.once = false;
                   put_in(real[1], done, again);
                   put_in(real[1], done + 1, over);
                 }},
                {"an_acknowledgement_of_work_that_was_not_done", Of::own_work, "work-was-done",
                 "had not come back",
                 [](ForgedJournals& real) {
                   const reference::EventId event =
                       request_in<reference::AckEvents>(real[1], find_request<reference::AckEvents>(real[1]))
                           .events.front();
                   take_out(real[1], find_event<WorkDone>(
                                         real[1], [&](const WorkDone& one) { return one.event == event; }));
                 }},
                {"a_limit_that_was_lower", Of::own_work, "work-within-limit", "",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all())
                     event_in<journal::LifeBegan>(lines, 0).settings["scheduling.max_running"] = 0;
                 }},
                {"an_event_given_up_too_early", Of::kinds, "work-was-done", "its schedule allows",
                 [](ForgedJournals& real) {
                   const std::size_t failed = find_event<WorkDone>(real[1], [](const WorkDone& one) {
                     return one.result == WorkResult::failed && one.event.run == 0;
                   });
                   const reference::EventId event = event_in<WorkDone>(real[1], failed).event;
                   const std::size_t ack = find_request<reference::AckEvents>(real[1]);
                   const Token token = *event_in<WorkItem>(real[1], find_event<WorkItem>(real[1])).token;
                   journal::Asked& asked = event_in<journal::Asked>(real[1], ack);
                   asked.submission.request = reference::Request{
                       reference::GiveUpEvents{{}, asked.id.incarnation, token, {{event, 1, {}}}}};
                 }},
                {"a_wait_that_was_longer", Of::kinds, "waits-as-asked", "had asked for",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all())
                     for (journal::Line& line : lines)
                       if (auto* done = std::get_if<WorkDone>(&line.event);
                           done != nullptr && done->retry_after > Duration{})
                         done->retry_after = done->retry_after + Duration::seconds(5);
                 }},
                // ---- lines that are missing ----
                {"a_participant_left_out", Of::elections, kLacking, "no journal here",
                 [](ForgedJournals& real) { real.all().erase(real.all().begin() + 1); }},
                {"two_lives_of_one_node_at_once", Of::elections, kLacking, "two lives at once",
                 [](ForgedJournals& real) {
                   const Incarnation second = real[1][0].who;
                   rename_life(real, second, {real[0][0].who.node, second.number});
                 }},
                {"one_life_of_two_nodes", Of::elections, kLacking, "both have a life",
                 [](ForgedJournals& real) {
                   const Incarnation second = real[1][0].who;
                   rename_life(real, second, {second.node, real[0][0].who.number});
                 }},
                {"settings_taken_out_of_an_election", Of::elections, kLacking, "which settings it has",
                 [](ForgedJournals& real) {
                   event_in<journal::LifeBegan>(real[0], 0).settings.erase("election.guard");
                 }},
                {"settings_taken_out_of_a_scheduler", Of::kinds, kLacking, "which settings it has",
                 [](ForgedJournals& real) {
                   event_in<journal::LifeBegan>(real[0], 0).settings.erase("scheduling.max_running");
                 }},
                {"a_batch_that_was_smaller", Of::kinds, kLacking, "scheduling.batch",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all())
                     event_in<journal::LifeBegan>(lines, 0).settings["scheduling.batch"] = 1;
                 }},
                {"a_beginning_taken_out", Of::elections, kLacking, "does not say that it began",
                 [](ForgedJournals& real) { take_out(real[2], 0); }},
                {"a_refusal_taken_out", Of::elections, kLacking, "no answer",
                 [](ForgedJournals& real) { take_out(real[0], find_reply<reference::Refused>(real[0])); }},
                {"the_epoch_that_it_saw_taken_out", Of::elections, kLacking, "no answer told it",
                 [](ForgedJournals& real) { take_out(real[0], find_reply<reference::Refused>(real[0], 2)); }},
                {"the_answer_to_a_release_taken_out", Of::elections, kLacking, "no answer",
                 [](ForgedJournals& real) { take_out(real[1], find_reply<reference::Released>(real[1])); }},
                {"a_step_down_taken_out_before_an_acquire", Of::elections, kLacking, "stepped down",
                 [](ForgedJournals& real) { take_out(real[0], find_note<StepsDown>(real[0])); }},
                {"a_belief_taken_out_that_nothing_rests_on", Of::kinds, kLacking,
                 "does not say that it believes",
                 [](ForgedJournals& real) { take_out(real[0], find_note<Believes>(real[0], 1)); }},
                {"a_stop_taken_out", Of::elections, kLacking, "does not say that it had stopped",
                 [](ForgedJournals& real) { take_out(real[0], find_note<Stopped>(real[0])); }},
                {"an_end_of_work_taken_out", Of::elections, kLacking, "did not end",
                 [](ForgedJournals& real) { take_out(real[0], find_event<WorkDone>(real[0])); }},
                {"an_answer_to_a_read_taken_out", Of::own_work, kLacking, "no answer",
                 [](ForgedJournals& real) { take_out(real[1], find_reply<reference::Due>(real[1])); }},
                {"a_refused_request_taken_out", Of::elections, kLacking, "by the numbers of the others",
                 [](ForgedJournals& real) {
                   const std::size_t answer = find_reply<reference::Refused>(real[0], 1);
                   take_out(real[0], answer);
                   take_out(real[0], answer - 1);
                 }},
                {"a_change_of_a_client_taken_out", Of::kinds, kLacking, "told by no journal",
                 [](ForgedJournals& real) {
                   take_out(real[1], find_event<journal::ClientChange>(real[1], 11));
                 }},
                {"a_definition_taken_out", Of::own_work, kLacking, "name versions",
                 [](ForgedJournals& real) {
                   for (JournalLines& lines : real.all())
                     for (journal::Line& line : lines)
                       if (auto* answered = std::get_if<journal::Answered>(&line.event))
                         if (auto* told = answered->reply_as<reference::Changes>()) told->changes.clear();
                 }},
                {"a_definition_that_is_told_in_two_ways", Of::own_work, kLacking, "two definitions",
                 [](ForgedJournals& real) { first_definition(real[0]).paused = true; }},
                {"a_tail_cut_off", Of::own_work, kLacking, "",
                 [](ForgedJournals& real) {
                   real[0].resize(find_request<reference::CommitFires>(real[0], 4));
                 }},
                // ---- what makes no sense ----
                {"a_request_taken_out", Of::elections, kRefused, "never submitted",
                 [](ForgedJournals& real) { take_out(real[0], find_request<reference::Acquire>(real[0])); }},
                {"an_answer_of_another_store", Of::elections, kRefused, "another store than the one that was asked",
                 [](ForgedJournals& real) {
                   event_in<journal::Answered>(real[0], find_reply<reference::Refused>(real[0])).store =
                       StoreId{1};
                 }},
                {"a_clock_that_goes_back", Of::elections, kRefused, "`mono` goes back",
                 [](ForgedJournals& real) {
                   const std::size_t at = find_request<reference::Release>(real[1]);
                   real[1][at].now.mono = real[1][at].now.mono - Duration::seconds(3);
                 }},
                {"a_journal_of_another_store", Of::kinds, kRefused, "another store",
                 [](ForgedJournals& real) {
                   event_in<journal::StoreFound>(real[1], find_event<journal::StoreFound>(real[1]))
                       .identity.front() ^= 1;
                 }},
};

class AuditForgery : public testing::TestWithParam<Forgery> {};

TEST_P(AuditForgery, is_found) {
  const Forgery& forgery = GetParam();
  ForgedJournals journals(forgery.of);
  forgery.forge(journals);
  const auto audited = journals.audit();
  const std::string_view words = forgery.words;
  if (const auto* bad = std::get_if<BadJournal>(&audited)) {
    EXPECT_EQ(forgery.says, kRefused) << bad->message;
    EXPECT_NE(bad->message.find(words), std::string::npos) << bad->message;
    return;
  }
  const Audit& audit = std::get<Audit>(audited);
  std::string said;
  bool found = false;
  if (forgery.says == kLacking) {
    for (const std::string& one : audit.lacking) {
      said += one + "\n";
      found = found || one.find(words) != std::string::npos;
    }
    EXPECT_EQ(audit.verdict, Verdict::inconclusive);
  } else {
    for (const CheckResult& check : audit.checks)
      for (const ReportedViolation& violation : check.violations) {
        said += check.name + ": " + violation.message + "\n";
        found = found || (check.name == forgery.says && violation.message.find(words) != std::string::npos);
      }
    EXPECT_EQ(audit.verdict, Verdict::fail);
  }
  EXPECT_TRUE(found) << said;
}
INSTANTIATE_TEST_SUITE_P(Of, AuditForgery, testing::ValuesIn(kForgeries),
                         [](const auto& of) { return std::string(of.param.name); });

// ---- honest journals ----

class AuditHonest : public testing::TestWithParam<Of> {};

TEST_P(AuditHonest, passes) {
  const auto audited = ForgedJournals(GetParam()).audit();
  const auto* audit = std::get_if<Audit>(&audited);
  ASSERT_NE(audit, nullptr) << std::get<BadJournal>(audited).message;
  EXPECT_EQ(audit->verdict, Verdict::pass) << (audit->lacking.empty() ? "" : audit->lacking.front());
}
// Nothing is a failure because a start was rotated away.
TEST_P(AuditHonest, is_no_failure_wherever_its_start_is_missing) {
  const ForgedJournals real(GetParam());
  const std::vector<std::string> whole = real.texts();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::string> texts = whole;
    for (std::size_t line = 1; texts[i].find('\n') + 1 < texts[i].size(); ++line) {
      texts[i].erase(0, texts[i].find('\n') + 1);
      const auto audited = audit_texts(texts, true, true);
      const auto* audit = std::get_if<Audit>(&audited);
      ASSERT_NE(audit, nullptr) << std::get<BadJournal>(audited).message;
      EXPECT_EQ(audit->verdict, Verdict::inconclusive) << "journal " << i << " without " << line << " lines";
    }
  }
}
// All that a line is evidence of is missed: but for the last words of a life, notes that nothing follows from, and
// answers that were still to come when the journals end.
TEST_P(AuditHonest, without_one_line_passes_only_if_nothing_follows_from_it) {
  const ForgedJournals real(GetParam());
  for (std::size_t i = 0; i < ForgedJournals(real).all().size(); ++i) {
    ForgedJournals whole = real;
    const std::size_t count = whole[i].size();
    for (std::size_t at = 0; at < count; ++at) {
      ForgedJournals journals = real;
      const journal::Line line = journals[i][at];
      take_out(journals[i], at);
      const auto audited = journals.audit();
      const auto* audit = std::get_if<Audit>(&audited);
      if (audit == nullptr || audit->verdict != Verdict::pass) continue;
      const auto* note = std::get_if<Note>(&line.event);
      const auto* answered = std::get_if<journal::Answered>(&line.event);
      const bool nothing_follows =
          at + 1 == count || (note != nullptr && std::holds_alternative<LeadershipChecked>(*note)) ||
          std::holds_alternative<journal::StoreFound>(line.event) ||
          std::holds_alternative<StopAsked>(line.event) ||
          std::holds_alternative<journal::ClientChange>(line.event) ||  // the change feed tells the same
          (is_work(line) && at + 12 >= count) ||
          (answered != nullptr &&
           (at + 12 >= count || (answered->part == Part::scheduler && !answered->changed)));
      EXPECT_TRUE(nothing_follows) << "journal " << i << ", line " << at + 1 << ": " << journal::encode(line);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Of, AuditHonest, testing::Values(Of::elections, Of::own_work, Of::kinds),
                         [](const auto& of) {
                           return std::string(of.param == Of::elections  ? "elections"
                                              : of.param == Of::own_work ? "own_work"
                                                                         : "kinds");
                         });

// Who does not write the chain anew is found at the next line, whatever he did.
TEST(AuditForgeries, without_a_new_chain_are_refused_at_the_next_line) {
  const std::vector<std::string> whole = ForgedJournals(Of::own_work).texts();
  std::size_t begin = 0;
  for (std::size_t line = 1; line < 100; ++line) {
    std::vector<std::string> texts = whole;
    const std::size_t digit = texts[1].find("\"mono\":", begin) + 12;
    texts[1][digit] = texts[1][digit] == '1' ? '2' : '1';
    const auto audited = audit_texts(texts, true);
    const auto* bad = std::get_if<BadJournal>(&audited);
    ASSERT_NE(bad, nullptr) << line;
    EXPECT_EQ(bad->message.substr(0, bad->message.find(": ")), "journal.2:" + std::to_string(line + 1));
    begin = whole[1].find('\n', begin) + 1;
  }
}

}  // namespace
}  // namespace tenure::sim

// A fenced outbox's life as text (tests/support/interaction.h): the test is its world, and its store.
//
//   start A@10 B/2@-5                   # it starts; its first poll is answered by these changes: A has a slot every
//                                       # ten seconds from 10s on, B one from -5s on in version 2
//   lead; lead 6; lead until 2.9s; lose # what the election says, with the epoch
//   due [seq=2] A@10 [more] [held] [branch 2]; outbox 7:A@-10 8:A@2#5 [more]
//   poll [seq=7] A/2@3 A- B!@5 [more] [held] [branch 2]
//                                       # the store's answers: A@2#5 is its run 5, A- is deleted, B! is unreadable
//   commit covered moved; commit all; commit refused; commit held; hold; lifted; acknowledged; pruned 1000
//   unknown commit; reject outbox       # what became of the request of that kind; `give-up` and `given-up` likewise
//   attempts 1                          # of own work, before it starts
//   told changed|added|freed [elsewhere|of-another]
//   done A@3 [fenced|failed|running|duplicate]; stop
//   wake; wait 3s; jump 1h              # to its timer; time alone; the store's clock
//   until commit; pass 5m [rejecting due] [held]   # the store and the workers do as usual, but for that
//   refuse A@3 failed; refuse A@3 nothing   # while time passes, this work ends so, or goes on
//
// Both clocks agree, and a reply takes 2 ms. What is answered is what it did: requests, work, notes, and whether it
// asks to step aside. After time has passed, it is how much of that there was, and when.
//
// Thread rule: one test.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "core/scheduler/scheduler_kind.h"
#include "tests/core/scheduler/the_resource.h"
#include "tests/support/interaction.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing {

class OutboxTalk {
 public:
  explicit OutboxTalk(const std::string&) { world_.draw("poll-phase", Duration::seconds(4).ns()); }

  std::string say(const std::string& line) {
    answers_.clear();
    for_each_statement(line, [this](Words words) { do_one(std::move(words)); });
    return wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  using Asked = reference::Request;

  void do_one(Words words) {
    if (words.take("start")) {
      step(Started{world_.self(), 3});
      answers_.clear();
      return poll(words);
    }
    if (words.take("lead")) return lead(words);
    if (words.take("lose")) return believe({});
    if (words.take("due")) return due(words);
    if (words.take("outbox")) return outbox(words);
    if (words.take("poll")) return poll(words);
    if (words.take("commit")) return commit(words);
    if (words.take("hold")) return answer("hold", reference::HoldSet{hold()});
    if (words.take("lifted")) return answer("lift", reference::HoldSet{});
    if (words.take("acknowledged")) return answer("ack", reference::Acknowledged{});
    if (words.take("given-up")) return answer("give-up", reference::GivenUp{});
    if (words.take("attempts")) {
      Parameters parameters{kFencedOutbox.parameters()};
      parameters.set(parameters.find("work_attempts"), words.number());
      scheduler_ = kFencedOutbox.make({StoreId{0}, kResource, parameters});
      return;
    }
    if (words.take("pruned")) return answer("prune", reference::Pruned{number(words)});
    if (words.take("unknown")) return step(world_.unknown(waiting(words.next())));
    if (words.take("reject")) return step(world_.rejected(waiting(words.next()), Rejection::not_permitted));
    if (words.take("told")) return told(words);
    if (words.take("done")) return done(words);
    if (words.take("stop")) return step(StopAsked{});
    if (words.take("wake")) return step(world_.fire({Part::scheduler, 0}));
    if (words.take("wait")) return world_.advance(duration_of(words.next()).value());
    if (words.take("jump")) {
      store_offset_ += duration_of(words.next()).value();
      return;
    }
    if (words.take("refuse")) {
      const reference::EventId event = read_event(words.next());
      ends_[event] = words.take("nothing") ? std::nullopt : std::optional(result_of(words.next()));
      return;
    }
    if (words.take("until")) return pass(Duration::hours(2), words.next(), words);
    ASSERT_TRUE(words.take("pass")) << words.rest() << ": not understood";
    pass(duration_of(words.next()).value(), "", words);
  }

  // ---- what it hears ----

  void step(const Input& input) {
    const Canon canon{world_.now(), world_.wall_now()};
    const auto hash_of = [&canon](const Scheduler& scheduler) {
      Hasher hasher;
      scheduler.hash(hasher, canon);
      return hasher.value();
    };
    const std::uint64_t before = hash_of(*scheduler_);
    auto copy = scheduler_->clone();
    scheduler_->step(input, leadership_, world_.env());
    EXPECT_EQ(hash_of(*copy), before) << "a copy is as the original was, and stays so";
    for (const Effect& effect : world_.take()) note(effect);
    if (const auto aside = scheduler_->take_step_aside()) {
      aside_ = true;
      answers_.push_back(at() + "steps aside for " + describe(aside->behind) + ": " +
                         std::string(aside->why));
    }
    if (scheduler_->idle() != is_idle_) answers_.push_back(is_idle_ ? "not idle" : "idle");
    is_idle_ = scheduler_->idle();
  }
  void believe(const Leadership& leadership) {
    leadership_ = leadership;
    step(TimerFired{{Part::elector, 0}});
  }
  void lead(Words& words) {
    if (words.take("until now")) return believe_until(world_.now());
    if (words.take("until"))
      return believe_until(MonoTime{} + (zero_ - MonoTime{}) + duration_of(words.next()).value());
    if (words.take("without a token")) return believe({std::nullopt, MonoTime::max()});
    believe({read_token(words.done() ? "1:5/77" : "1:" + words.next(), 77), MonoTime::max()});
  }
  // No step tells of it before the next one does.
  void believe_until(MonoTime until) { leadership_ = {Token{1, 5, 77}, until}; }
  template <class Reply>
  void answer(const std::string& kind, Reply reply) {
    const RequestId id = waiting(kind);
    world_.advance(Duration::millis(1));
    const StoreTime executed = store_now();
    world_.advance(Duration::millis(1));
    step(world_.applied(id, std::move(reply), executed));
  }
  // What pages of both kinds say, and see(change) for each of their changes.
  template <class Page, class See>
  void read_page(Words& words, Page& page, const See& see) {
    while (!words.done()) {
      if (words.take("more")) {
        page.more = true;
      } else if (words.take("held")) {
        page.hold = hold();
      } else if (words.take("branch")) {
        page.branch = static_cast<std::uint32_t>(number(words));
      } else {
        for (reference::Change& change : read_changes(words.next())) see(change);
      }
    }
  }
  void due(Words& words) {
    reference::Due due{.segments = {}, .more = false, .change_seq = seq_, .hold = {}, .branch = 0};
    if (words.peek().starts_with("seq=")) due.change_seq = std::stoull(words.next().substr(4));
    read_page(words, due, [&](const reference::Change& change) { due.segments.push_back(change.segment); });
    for (const reference::Segment& segment : due.segments)
      segments_[{segment.schedule, segment.version}] = segment;
    answer("due", due);
  }
  void outbox(Words& words) {
    reference::Outbox outbox;
    while (!words.done()) {
      if (words.take("more")) {
        outbox.more = true;
        continue;
      }
      const std::string word = words.next();
      outbox.events.push_back({std::stoull(word), read_event(word.substr(word.find(':') + 1))});
    }
    answer("outbox", outbox);
  }
  void poll(Words& words) {
    reference::Changes changes;
    if (words.peek().starts_with("seq=")) seq_ = std::stoull(words.next().substr(4)) - 1;
    read_page(words, changes, [&](reference::Change& change) {
      change.seq = ++seq_;
      changes.changes.push_back(change);
    });
    changes.seq = seq_;
    answer("poll", changes);
  }
  void commit(Words& words) {
    if (words.take("refused"))
      return answer("commit", reference::CommitRefused{reference::Denial::expired, false});
    if (words.take("held")) return answer("commit", reference::CommitRefused{{}, true});
    const auto& rows = asked<reference::CommitFires>("commit").rows;
    reference::Committed committed;
    if (words.take("all")) committed.rows.resize(rows.size(), reference::RowResult::covered);
    while (!words.done()) {
      const std::string word = words.next();
      committed.rows.push_back(word == "covered" ? reference::RowResult::covered
                               : word == "moved" ? reference::RowResult::moved
                                                 : reference::RowResult::not_due);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (committed.rows[i] == reference::RowResult::covered)
        segments_[{rows[i].schedule, rows[i].version}].cursor = rows[i].to;
    answer("commit", committed);
  }
  void told(Words& words) {
    Notification::What what = Notification::What::lease_freed;
    if (words.take("changed")) what = Notification::What::schedules_changed;
    if (words.take("added")) what = Notification::What::events_added;
    words.take("freed");
    const StoreId store{words.take("elsewhere") ? 1U : 0U};
    step(ChangeNotified{store, {what, words.take("of-another") ? ResourceId{99} : kResource}});
  }
  void done(Words& words) {
    const reference::EventId event = read_event(words.next());
    step(WorkDone{event, words.done() ? WorkResult::done : result_of(words.next())});
  }

  // Whatever is asked is answered, and work is done, until a request of the kind waits.
  void pass(Duration length, const std::string& until, Words& words) {
    const std::string rejected = words.take("rejecting") ? words.next() : "";
    const bool held = words.take("held");
    const MonoTime end = world_.now() + length;
    std::vector<std::string> before = std::exchange(answers_, {});
    std::size_t commits = 0;
    begun_ = 0;
    late_ = {};
    aside_ = false;
    const auto waits = [this](const std::string& kind) { return !kind.empty() && find(kind).has_value(); };
    for (int i = 0; i < 10'000 && world_.now() < end && !waits(until) && !aside_; ++i) {
      if (waits(rejected)) {
        do_one(Words("reject " + rejected));
        world_.advance(Duration::millis(1));
      } else if (waits("poll")) {
        do_one(Words(held ? "poll held" : "poll"));
      } else if (waits("due")) {
        answer("due", what_is_due(held));
      } else if (waits("outbox")) {
        answer("outbox", reference::Outbox{});
      } else if (waits("commit")) {
        ++commits;
        do_one(Words("commit all"));
      } else if (waits("ack")) {
        answer("ack", reference::Acknowledged{});
      } else if (waits("prune")) {
        answer("prune", reference::Pruned{});
      } else if (waits("lift")) {
        answer("lift", reference::HoldSet{hold()});
      } else if (!works_.empty()) {
        const reference::EventId event = works_.back();
        works_.pop_back();
        const auto found = ends_.find(event);
        if (found == ends_.end() || found->second)
          step(WorkDone{event, found == ends_.end() ? WorkResult::done : *found->second});
      } else if (world_.timer({Part::scheduler, 0})) {
        step(world_.fire({Part::scheduler, 0}));
      } else {
        break;
      }
    }
    const std::vector<std::string> answers = std::exchange(answers_, std::move(before));
    std::string what = commits > 0 ? std::to_string(commits) + " commits, " : "";
    if (begun_ > 0) what += std::to_string(begun_) + " begun, late by " + describe(late_) + " at most";
    if (waits(until)) what += text_of_request(find(until)->second);
    answers_.push_back(at() + (what.empty() ? "nothing" : what));
    for (const std::string& each : answers)
      if (each.find("steps aside") != std::string::npos || each.starts_with("alarm"))
        answers_.push_back(each);
  }
  reference::Due what_is_due(bool held) const {
    reference::Due due{.segments = {}, .more = false, .change_seq = seq_, .hold = {}, .branch = 0};
    const StoreTime horizon = asked<reference::ReadDue>("due").horizon;
    for (const auto& [key, segment] : segments_)
      if (segment.cursor < horizon) due.segments.push_back(segment);
    if (held) due.hold = hold();
    return due;
  }

  // ---- what it did ----

  void note(const Effect& effect) {
    if (const auto* requested = std::get_if<Requested>(&effect))
      answers_.push_back(text_of_request(std::get<Asked>(requested->submission.request)));
    if (const auto* work = std::get_if<Executed>(&effect)) {
      const auto& [resource, event, token, once, destination, sequence, attempt] = work->item;
      EXPECT_TRUE(once && token);
      works_.push_back(event);
      ++begun_;
      if (event.run == 0 && !ends_.contains(event)) late_ = std::max(late_, store_now() - event.slot);
      answers_.push_back("works on " + text_of(event) +
                         (token->epoch == 5 ? "" : " under " + std::to_string(token->epoch)));
    }
    if (const auto* made = std::get_if<NoteMade>(&effect)) {
      if (std::holds_alternative<LeadershipChecked>(made->note)) answers_.push_back("checks that it leads");
      if (const auto* alarm = std::get_if<ClockAlarm>(&made->note))
        answers_.push_back("alarm: a jump by " + std::to_string(alarm->jump.ns() / 1'000'000'000) + "s");
    }
  }
  std::string text_of_request(const Asked& request) const {
    if (const auto* it = std::get_if<reference::ChangesSince>(&request))
      return "polls from " + std::to_string(it->seq);
    if (const auto* it = std::get_if<reference::ReadDue>(&request))
      return "reads due to " + text_of(it->horizon) +
             (it->after && it->after->schedule != ScheduleId{} ? " after " + name_of(it->after->schedule)
                                                               : "");
    if (const auto* it = std::get_if<reference::ReadOutbox>(&request))
      return "reads outbox from " + std::to_string(it->after);
    if (const auto* it = std::get_if<reference::CommitFires>(&request)) {
      if (it->rows.size() > 9) return "commits " + std::to_string(it->rows.size()) + " rows";
      std::string text = "commits";
      for (const reference::LedgerRow& row : it->rows)
        text += " " + name_of(row.schedule) + (row.version == 1 ? "" : "/" + std::to_string(row.version)) +
                "@" + text_of(row.slot) + "..." + text_of(row.to);
      return text;
    }
    if (const auto* it = std::get_if<reference::AckEvents>(&request)) {
      std::string text = "acknowledges";
      for (const reference::DeliveredEvent& had : it->events) text += " " + text_of(had.id);
      return text;
    }
    if (const auto* it = std::get_if<reference::GiveUpEvents>(&request)) {
      std::string text = "gives up";
      for (const reference::DeadEvent& dead : it->events)
        text += " " + std::to_string(dead.seq) + ":" + text_of(dead.id);
      return text;
    }
    if (std::holds_alternative<reference::SetHold>(request)) return "sets a hold";
    if (std::holds_alternative<reference::ClearHold>(request)) return "lifts the hold";
    if (const auto* it = std::get_if<reference::Prune>(&request))
      return "prunes before " + text_of(it->before);
    return describe(request, NodeNames::from_one);
  }
  std::string at() const { return "at " + describe(world_.now() - zero_) + ": "; }
  std::string text_of(StoreTime time) const {
    return time == StoreTime::max() ? "" : describe(time - zero_of_store_);
  }
  std::string text_of(const reference::EventId& event) const {
    return name_of(event.schedule) + "@" + text_of(event.slot) +
           (event.run == 0 ? "" : "#" + std::to_string(event.run));
  }
  static std::string name_of(ScheduleId schedule) {
    return schedule.value <= 26 ? std::string(1, static_cast<char>('A' + schedule.value - 1))
                                : std::to_string(schedule.value);
  }

  // ---- requests that wait ----

  static std::size_t index_of(const std::string& kind) {
    if (kind == "due") return Asked(reference::ReadDue{}).index();
    if (kind == "outbox") return Asked(reference::ReadOutbox{}).index();
    if (kind == "poll") return Asked(reference::ChangesSince{}).index();
    if (kind == "commit") return Asked(reference::CommitFires{}).index();
    if (kind == "ack") return Asked(reference::AckEvents{}).index();
    if (kind == "hold") return Asked(reference::SetHold{}).index();
    if (kind == "give-up") return Asked(reference::GiveUpEvents{}).index();
    if (kind == "lift") return Asked(reference::ClearHold{}).index();
    EXPECT_EQ(kind, "prune");
    return Asked(reference::Prune{}).index();
  }
  std::optional<std::pair<RequestId, Asked>> find(const std::string& kind) const {
    for (const auto& [id, asked] : world_.outstanding())
      if (const auto& request = std::get<Asked>(asked.submission.request);
          request.index() == index_of(kind)) {
        const bool leads = kind == "commit" || kind == "hold" || kind == "lift" || kind == "give-up";
        EXPECT_EQ(asked.submission.as_leader, leads) << kind;
        return std::pair(id, request);
      }
    return std::nullopt;
  }
  RequestId waiting(const std::string& kind) const {
    const auto found = find(kind);
    EXPECT_TRUE(found) << "no such request waits: " << kind;
    return found ? found->first : RequestId{};
  }
  template <class T>
  T asked(const std::string& kind) const {
    return std::get<T>(find(kind)->second);
  }

  // ---- words ----

  static std::uint64_t number(Words& words) { return static_cast<std::uint64_t>(words.number()); }
  static WorkResult result_of(const std::string& name) {
    for (int i = 0; i <= static_cast<int>(WorkResult::failed); ++i)
      if (tenure::name_of(static_cast<WorkResult>(i)) == name) return static_cast<WorkResult>(i);
    ADD_FAILURE() << name;
    return WorkResult::done;
  }
  StoreTime time_of(const std::string& seconds) const {
    return zero_of_store_ + Duration::seconds(std::stoll(seconds));
  }
  reference::EventId read_event(const std::string& word) const {
    const std::size_t run = word.find('#');
    return {ScheduleId{static_cast<std::uint32_t>(word.at(0) - 'A' + 1)},
            time_of(word.substr(word.find('@') + 1)),
            run == std::string::npos ? 0 : std::stoull(word.substr(run + 1))};
  }
  // "A@10", "A/2@3", "A-", "B!@5"; "1200@1" are so many schedules.
  std::vector<reference::Change> read_changes(const std::string& word) const {
    const std::size_t at = word.find('@');
    const std::size_t slash = word.find('/');
    const StoreTime first = at == std::string::npos ? store_now() : time_of(word.substr(at + 1));
    const bool is_many = word.at(0) <= '9';
    reference::Change change;
    change.segment.version =
        slash == std::string::npos ? 1 : static_cast<std::uint32_t>(std::stoul(word.substr(slash + 1)));
    change.segment.begin = change.segment.version == 1 ? zero_of_store_ : store_now();
    change.segment.cursor = first;
    change.definition = {Interval{first, Duration::seconds(10)}};
    change.deleted = word.find('-') < at && word.back() == '-';
    change.unreadable = word.find('!') != std::string::npos;
    std::vector<reference::Change> changes(is_many ? std::stoul(word) : 1, change);
    for (std::uint32_t i = 0; i < changes.size(); ++i)
      changes[i].segment.schedule =
          ScheduleId{is_many ? i + 1 : static_cast<std::uint32_t>(word[0] - 'A' + 1)};
    return changes;
  }
  reference::Hold hold() const { return {store_now(), Duration::hours(1)}; }
  StoreTime store_now() const { return zero_of_store_ + (world_.now() - zero_) + store_offset_; }

  ScriptedEnv world_;
  MonoTime zero_ = world_.now();
  StoreTime zero_of_store_ = StoreTime::from_ns(world_.wall_now().ns());
  Duration store_offset_;
  std::unique_ptr<Scheduler> scheduler_ =
      kFencedOutbox.make({StoreId{0}, kResource, Parameters{kFencedOutbox.parameters()}});
  Leadership leadership_;
  bool is_idle_ = true;
  bool aside_ = false;

  std::uint64_t seq_ = 0;
  std::map<std::pair<ScheduleId, std::uint32_t>, reference::Segment> segments_;  // as the store has them
  std::vector<reference::EventId> works_;                                        // that it is at
  std::map<reference::EventId, std::optional<WorkResult>> ends_;                 // other than done
  std::size_t begun_ = 0;
  Duration late_;
  std::vector<std::string> answers_;
};

}  // namespace tenure::testing

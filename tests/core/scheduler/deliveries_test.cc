// What a leader has to deliver, as its own work and to destinations: as text in deliveries.txt.
//
//   in work 3 attempts; in 2 at a time; in age 1h      # by default
//   outbox 7:A@10; page crm:1A crm:6A@3 [more] [strict] [attempts 2]   # what the store shows: of own work, and of all
//   page of crm after 4 crm:5A          # that waits; of what one destination left behind. Without @, the slot is the
//                                       # number of seconds that the event's number says
//   work A@10                           # a commit added it as own work
//   begin [room 2] [fires]              # what is begun in so many places for own work, while fires are due
//   done A@10 [failed|fenced|running|…] [asks 10m] [unsent] [why …]
//   acks [2]; gives-up; acknowledged; not-acknowledged   # what the store is told, and how that went
//   lead 1:6; lose; forget; anew; knows crm; committed crm; read-on
//   reads; state; when; overlap A 11    # the page to read next; when there is something to begin; by work of A
//   +1s; until                          # time goes by; until there is something to begin
//
// Thread rule: one test.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/describe.h"
#include "core/scheduler/fenced_outbox/delivery_dispatcher.h"
#include "tests/support/interaction.h"

namespace tenure::deliveries_tests {
namespace {

using testing::Words;
using Page = DeliveryDispatcher::Page;

constexpr MonoTime kZero = MonoTime::from_ns(1'000'000'000'000);

StoreTime slot_of(const std::string& seconds) { return StoreTime{} + Duration::seconds(std::stoll(seconds)); }
ScheduleId schedule_of(char letter) { return {static_cast<std::uint32_t>(letter - 'A' + 1)}; }
std::string name_of(ScheduleId schedule) { return {static_cast<char>('A' + schedule.value - 1)}; }
std::string text_of(const reference::EventId& event) {
  const std::string run = event.run == 0 ? "" : "#" + std::to_string(event.run);
  return name_of(event.schedule) + "@" + std::to_string(event.slot.ns() / 1'000'000'000) + run;
}
// "A@10#7", or "A" with `otherwise` for its slot.
reference::EventId event_of(const std::string& word, const std::string& otherwise = "") {
  const std::size_t at = word.find('@');
  const std::size_t run = word.find('#');
  return {schedule_of(word.at(0)), slot_of(at == std::string::npos ? otherwise : word.substr(at + 1)),
          run == std::string::npos ? 0 : std::stoull(word.substr(run + 1))};
}

class DeliveriesTalk {
 public:
  explicit DeliveriesTalk(const std::string&) {}
  std::string say(const std::string& line) {
    answers_.clear();
    testing::for_each_statement(line, [this](Words words) { do_one(std::move(words)); });
    return testing::wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  static std::size_t count(Words& words, std::size_t otherwise) {
    return words.done() ? otherwise : static_cast<std::size_t>(words.number());
  }
  void do_one(Words words) {
    if (words.take("in work")) {
      work_.attempts = static_cast<std::uint32_t>(words.number());
      words.next();
    } else if (words.take("in age")) {
      age_ = testing::duration_of(words.next()).value();
    } else if (words.take("in")) {
      places_ = static_cast<std::size_t>(words.number());
      words.rest();
    } else {
      if (subject_ == nullptr) subject_ = std::make_unique<DeliveryDispatcher>(work_, places_, age_);
      if (words.peek().starts_with('+')) now_ += testing::duration_of(words.next()).value();
      if (!words.done()) act(words);
    }
    EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
  }
  void act(Words& words) {
    DeliveryDispatcher& subject = *subject_;
    const std::string what = words.next();
    if (what == "outbox") return outbox(words);
    if (what == "page") return page(words);
    if (what == "begin") return begin(words);
    if (what == "done") return done(words);
    if (what == "work") {
      answers_.emplace_back(subject.begin_work(event_of(words.next()), *token_) ? "begins"
                                                                                : "does not begin");
    } else if (what == "acks") {
      std::string text = "delivered";
      for (const auto& [event, kind, to] : subject.take_delivered(count(words, 1'000)))
        text += " " + (to.empty() ? "" : to + ":") + text_of(event);
      answers_.push_back(text);
    } else if (what == "gives-up") {
      std::string text = "given up";
      for (const reference::DeadEvent& dead : subject.take_given_up(1'000))
        text += fmt::format(" {}:{} x{}{}", dead.seq, text_of(dead.id), dead.attempts,
                            dead.why.empty() ? "" : " (" + dead.why + ")");
      answers_.push_back(text);
    } else if (what == "acknowledged") {
      subject.acknowledged();
    } else if (what == "not-acknowledged") {
      answers_.emplace_back(subject.not_acknowledged(token_) ? "kept" : "some are forgotten");
    } else if (what == "lead") {
      token_ = testing::read_token(words.next());
    } else if (what == "lose") {
      token_.reset();
    } else if (what == "forget") {
      subject.forget_waiting();
    } else if (what == "anew") {
      subject.read_anew(true);
    } else if (what == "knows") {
      subject.knows(words.next());
    } else if (what == "committed") {
      subject.committed(words.next());
    } else if (what == "read-on") {
      subject.read_on(DeliveryDispatcher::Source::waiting);
    } else if (what == "reads") {
      const auto next = subject.next_page(DeliveryDispatcher::Source::waiting);
      answers_.push_back(!next ? "nothing to read"
                               : fmt::format("reads {} after {}", next->name.value_or("all"), next->after));
    } else if (what == "state") {
      answers_.push_back(fmt::format("{} running, {} done, {} of them given up{}{}", subject.running(),
                                     subject.done(), subject.given_up(),
                                     subject.lacks_numbers() ? ", lacks numbers" : "",
                                     subject.empty() ? ", empty" : ""));
    } else if (what == "overlap") {
      constexpr const char* kNames[] = {"no overlap", "overlap unknown", "overlaps"};
      const ScheduleId schedule = schedule_of(words.next().at(0));
      const auto overlap = subject.own().in_hand().overlap(schedule, slot_of(words.next()));
      answers_.emplace_back(kNames[static_cast<int>(overlap)]);
    } else if (what == "when") {
      answers_.push_back(next() == MonoTime::max() ? "nothing to begin"
                                                   : "next in " + describe(next() - now_));
    } else {
      EXPECT_EQ(what, "until");
      now_ = std::max(now_, next());
    }
  }
  MonoTime next() const {
    return subject_->next_begin(now_, 9, [](MonoTime) { return false; });
  }

  void outbox(Words& words) {
    reference::Outbox page;
    while (!words.done()) {
      const std::string word = words.next();
      page.events.push_back({std::stoull(word), event_of(word.substr(word.find(':') + 1))});
    }
    subject_->take(subject_->page_of_all(DeliveryDispatcher::Source::outbox), page);
  }
  void page(Words& words) {
    Page of;
    if (words.take("of")) of.name = words.next();
    if (words.take("after")) of.after = static_cast<std::uint64_t>(words.number());
    reference::WaitingEvents page;
    Delivery delivery{.kind = Delivery::Kind::push, .destination = "any"};
    delivery.attempts = 3;
    while (!words.done()) {
      if (words.take("more")) {
        page.more = true;
      } else if (words.take("strict")) {
        delivery.strict_order = true;
      } else if (words.take("attempts")) {
        delivery.attempts = static_cast<std::uint32_t>(words.number());
      } else {
        const std::string word = words.next();
        const std::size_t colon = word.find(':');
        std::size_t digits = 0;
        reference::WaitingEvent& event = page.events.emplace_back();
        event.seq = std::stoull(word.substr(colon + 1), &digits);
        event.id = event_of(word.substr(colon + 1 + digits), std::to_string(event.seq));
        event.name = word.substr(0, colon);
      }
    }
    for (reference::WaitingEvent& event : page.events) event.delivery = delivery;
    subject_->take(of, page);
  }
  void begin(Words& words) {
    const std::size_t room = words.take("room") ? static_cast<std::size_t>(words.number()) : 9;
    const bool fires = words.take("fires");
    const DestinationQueue::FiresWait wait{
        &fires, [](const void* due, MonoTime) { return *static_cast<const bool*>(due); }};
    std::string text = "begins";
    subject_->begin(now_, *token_, room, wait, [&](const DeliveryDispatcher::Attempt& attempt) {
      const auto& [event, sequence, number] = attempt.what;
      text += " " + (attempt.destination.empty() ? "" : attempt.destination + ":") + text_of(event);
    });
    answers_.push_back(text == "begins" ? "begins nothing" : text);
  }
  void done(Words& words) {
    constexpr const char* kFinishes[] = {"not here", "delivered", "waits", "given up", "lost"};
    WorkDone done{event_of(words.next()), WorkResult::done};
    for (int i = 0; i <= static_cast<int>(WorkResult::failed); ++i)
      if (words.take(tenure::name_of(static_cast<WorkResult>(i)))) done.result = static_cast<WorkResult>(i);
    if (words.take("asks")) done.retry_after = testing::duration_of(words.next()).value();
    done.unsent = words.take("unsent");
    if (words.take("why")) done.why = words.rest();
    answers_.emplace_back(kFinishes[static_cast<int>(subject_->finish(done, token_, now_))]);
  }

  Deliveries::Policy work_{.retry = Duration::seconds(1), .attempts = 3};
  std::size_t places_ = 2;
  Duration age_ = Duration::hours(1);
  std::unique_ptr<DeliveryDispatcher> subject_;
  std::optional<Token> token_ = testing::read_token("1:5");
  MonoTime now_ = kZero;
  std::vector<std::string> answers_;
};

TEST(DeliveryDispatcher, does_as_its_text_says) {
  testing::expect_interaction<DeliveriesTalk>("tests/core/scheduler/deliveries.txt");
}

// Stores CHECK what a leader tells them, and what a destination says may be anything.
TEST(Deliveries, whatever_is_said_of_a_failure_the_store_can_keep_it) {
  for (const std::string& said : {std::string(5'000, 'x'), std::string("a\0b\xff\x1b", 5),
                                  std::string("é") + std::string(999, 'x') + "é", std::string()})
    EXPECT_EQ(reference::problem_of_reason(reference::as_reason(said)), "");
}

// Pages with as many events as a queue does not take.
class FullQueue : public ::testing::Test {
 protected:
  void page(std::uint64_t last, bool other) {
    reference::WaitingEvents page;
    for (std::uint64_t seq = 1; seq <= last; ++seq) {
      reference::WaitingEvent& event = page.events.emplace_back();
      event.seq = seq;
      event.id = {ScheduleId{1}, slot_of(std::to_string(seq))};
      event.name = "crm";
      event.delivery.kind = Delivery::Kind::push;
    }
    if (other) page.events.back().name = "erp";
    subject.take(Page{}, page);
  }
  std::size_t begun(MonoTime now) {
    std::size_t attempts = 0;
    subject.begin(
        now, {1, 1, 7}, 0, [](MonoTime) { return false; },
        [&](const DeliveryDispatcher::Attempt&) { ++attempts; });
    return attempts;
  }
  void finish(std::uint64_t last, WorkResult result) {
    for (std::uint64_t seq = 1; seq <= last; ++seq)
      subject.finish({{ScheduleId{1}, slot_of(std::to_string(seq))}, result}, Token{1, 1, 7}, kZero);
  }
  DeliveryDispatcher subject{{}, 1'000, Duration::hours(1)};
};

TEST_F(FullQueue, leaves_what_it_has_no_room_for_and_reads_it_when_there_is_room) {
  subject.knows("crm");
  subject.take(Page{"crm", 0}, reference::WaitingEvents{});
  page(DestinationQueue::kMost + 501, true);
  EXPECT_EQ(subject.next_page(DeliveryDispatcher::Source::waiting), std::nullopt);  // there is no room
  EXPECT_EQ(begun(kZero), DestinationQueue::kMost + 1);
  finish(DestinationQueue::kMost, WorkResult::done);
  EXPECT_EQ(subject.next_page(DeliveryDispatcher::Source::waiting), (Page{"crm", DestinationQueue::kMost}));
}

TEST_F(FullQueue, spreads_what_failed_together_and_doubles_its_wait) {
  page(100, false);
  EXPECT_EQ(begun(kZero), 100u);
  finish(100, WorkResult::failed);
  EXPECT_EQ(begun(kZero + Duration::millis(500)), 0u);
  const std::size_t early = begun(kZero + Duration::millis(750));
  EXPECT_GT(early, 20u);
  EXPECT_LT(early, 80u);
  EXPECT_EQ(early + begun(kZero + Duration::seconds(1)), 100u);
}

}  // namespace
}  // namespace tenure::deliveries_tests

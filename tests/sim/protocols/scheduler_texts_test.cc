// The simulated schedulers as text, a file for each in lives/: TENURE_REWRITE_GOLDEN=1 writes them anew.
//
//   set advance_first=1                     # a setting, before anything else
//   +3s fire 0 x2; lead 1:4/9 until 1500ms; lead; lose  # time goes by, then a timer; what its election says
//   reply runs ((1 (every 10s) 20))         # to the latest request, by its fields: tests/support/field_words.h
//   #1 yours (2;3); #1 unknown              # to request 1
//   done 1@20; fenced 1@20; written 1; stop # work of schedule 1's slot at 20s; write 1
//   ticks 200s                              # timer 0, until the clock shows 200s: only the work that begins then
//
// Times are seconds since 2026. An answer has what the step does, and whether the scheduler is idle, when that changes.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/scheduler/scheduler_kind.h"
#include "core/store/reference/fields.h"
#include "sim/protocols/registry.h"
#include "tests/sim/protocols/families.h"
#include "tests/support/field_words.h"
#include "tests/support/scripted_env.h"
#include "tests/support/transcript.h"

namespace tenure::testing {

constexpr WallTime kBegin = WallTime::from_ns(1'767'225'600'000'000'000);

template <>
struct FromText<StoreTime> {
  static StoreTime read(const std::string& text) {
    if (text == "last") return StoreTime::max() - Duration::seconds(1);
    return StoreTime::from_ns((kBegin + duration_of(text + "s").value()).ns());
  }
};
template <>
struct FromText<Definition> {
  static Definition read(const std::string& text) {
    Words words(text);
    Definition made;
    made.paused = words.take("paused");
    if (words.take("minutely"))
      made.recurrence = CronRule{std::make_shared<const Cron>(std::get<Cron>(Cron::parse("* * * * *")))};
    if (words.take("every"))
      made.recurrence = Interval{FromText<StoreTime>::read("0"), duration_of(words.next()).value()};
    EXPECT_TRUE(words.done()) << text;
    return made;
  }
};

namespace scheduler_texts_tests {
namespace {

class SchedulerTalk {
 public:
  SchedulerTalk(const std::string&, const std::string& scheduler)
      : kind_(*find_scheduler_kind(scheduler)), parameters_(kind_.parameters()) {}

  std::string say(const std::string& line) {
    answers_.clear();
    for (const std::string& statement : parts(line, ';')) do_one(Words(statement));
    return wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  void do_one(Words words) {
    if (words.take("set")) {
      const std::string setting = words.next();
      const std::size_t equal = setting.find('=');
      const std::string value = setting.substr(equal + 1);
      const auto length = duration_of(value);
      return parameters_.set(parameters_.find(setting.substr(0, equal)),
                             length ? length->ns() : std::stoll(value));
    }
    if (words.peek().starts_with("+")) world_.advance(duration_of(words.next().substr(1)).value());
    if (words.take("start")) {
      scheduler_ = kind_.make({StoreId{0}, ResourceId{3}, parameters_});
      step(Started{world_.self(), 3});
    } else if (words.take("fire")) {
      const TimerId timer{Part::scheduler, static_cast<std::uint8_t>(words.number())};
      for (int times = words.done() ? 1 : std::stoi(words.next().substr(1)); times > 0; --times)
        step(world_.timer(timer) ? world_.fire(timer) : TimerFired{timer});
    } else if (words.take("ticks")) {
      tick_until(kBegin + duration_of(words.next()).value());
    } else if (words.take("lead")) {
      leadership_ = {std::nullopt, MonoTime::max()};
      if (words.take("until")) leadership_.believed_until = world_.now() + duration_of(words.next()).value();
      if (!words.done()) leadership_.token = read_token(words.next());
    } else if (words.take("lose")) {
      leadership_ = {};
    } else if (words.take("written")) {
      step(WriteDone{static_cast<std::uint64_t>(words.number()), false});
    } else if (words.take("stop")) {
      step(StopAsked{});
    } else if (words.take("reply")) {
      answer(world_.outstanding().rbegin()->first, words);
    } else if (words.peek().starts_with("#")) {
      answer({world_.self(), static_cast<std::uint32_t>(std::stoul(words.next().substr(1)))}, words);
    } else if (!words.done()) {
      const WorkResult result = words.next() == "done" ? WorkResult::done : WorkResult::fenced;
      const std::string event = words.next();
      const std::size_t at = event.find('@');
      step(WorkDone{{FromText<ScheduleId>::read(event), FromText<StoreTime>::read(event.substr(at + 1)), 0},
                    result});
    }
    EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
  }

  void answer(RequestId id, Words& words) {
    if (words.take("unknown")) return step(world_.unknown(id));
    const Request& asked = world_.outstanding().at(id).submission.request;
    const std::string text = words.rest();
    if (message_as<placement::Request>(asked) != nullptr) return reply<placement::Reply>(id, text);
    if (message_as<schedule_table::Request>(asked) != nullptr) return reply<schedule_table::Reply>(id, text);
    reply<std::variant<reference::Changes, reference::Due>>(id, text);
  }
  template <class Family>
  void reply(RequestId id, const std::string& text) {
    Family answer;
    read(text, answer);
    std::visit([&](auto& one) { step(world_.applied(id, std::move(one))); }, answer);
  }

  void step(const Input& input) {
    run(input);
    for (const Effect& effect : world_.effects()) answers_.push_back(text_of(effect));
    if (const bool idle = scheduler_->idle(); std::exchange(idle_, idle) != idle)
      answers_.emplace_back(idle ? "idle" : "not idle");
  }
  void run(const Input& input) {
    world_.take();
    scheduler_->step(input, leadership_, world_.env());
  }
  void tick_until(WallTime end) {
    while (world_.wall_now() < end) {
      run(world_.fire(TimerId{Part::scheduler, 0}));
      for (const Effect& effect : world_.effects())
        if (std::holds_alternative<Executed>(effect)) answers_.push_back(text_of(effect));
    }
  }

  const SchedulerKind& kind_;
  Parameters parameters_;
  ScriptedEnv world_;
  Leadership leadership_;
  std::unique_ptr<Scheduler> scheduler_;
  bool idle_ = true;
  std::vector<std::string> answers_;
};

void expect_life(const std::string& name, const std::string& scheduler) {
  expect_interaction<SchedulerTalk>("tests/sim/protocols/lives/" + name + ".txt", scheduler);
}

TEST(InMemory, lives_as_its_text_says) { expect_life("in_memory", "in-memory"); }
TEST(Placement, lives_as_its_text_says) { expect_life("placement", "placement"); }
TEST(Ticker, lives_as_its_text_says) { expect_life("ticker", "ticker"); }
TEST(Writer, lives_as_its_text_says) { expect_life("writer", "writer"); }

}  // namespace
}  // namespace scheduler_texts_tests
}  // namespace tenure::testing

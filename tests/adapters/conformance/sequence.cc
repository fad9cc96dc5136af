#include "tests/adapters/conformance/sequence.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/hash.h"
#include "core/store/reference/reference_store.h"
#include "tests/adapters/conformance/show.h"

namespace tenure::conformance {
namespace {

constexpr Duration kTimeout = Duration::seconds(10);
constexpr std::array kResources = {ResourceId{1}, ResourceId{2}, ResourceId{3}};
constexpr StoreTime kStart = StoreTime{} + Duration::seconds(1'774'745'900);

class SideBySide {
 public:
  explicit SideBySide(const Engine& engine) : database_(engine.make()) { reconnect(); }

  void run(const Operation& operation) {
    now_ += Client::clock_step(operation);
    const std::uint64_t bits = mix64(operation.b, operation.a);
    if (bits % 293 == 0) reconnect();
    if (bits % 193 == 1) promote();
    Client& client = clients_[bits / 256 % 2];
    const reference::Request request = client.ask(operation, now_);
    if (bits % 1'553 == 2) stall(request);
    auto killer = bits % 199 == 3 ? database_->killer() : nullptr;
    const Answer answer = engine_->execute(request, kTimeout);
    if (std::exchange(killer, nullptr) != nullptr && answer.outcome != RequestOutcome::applied)
      return settle(request, answer);
    client.learn(request, compare_answer(request, answer));
  }
  void run(const Step& step) {
    now_ += step.after;
    compare_answer(step.request, engine_->execute(step.request, kTimeout));
  }

  void compare_what_is_stored() {
    const Stored in_engine = stored_in_engine();
    for (const auto& [what, text] : stored_in(machine_))
      compare("at the end: " + what, text, in_engine.at(what));
  }

  void count_into(Reached& reached) const {
    for (const auto& [what, times] : reached_) reached[what] += times;
  }
  std::optional<std::string> difference() const { return difference_; }

 private:
  // Returns the machine's.
  reference::Reply compare_answer(const reference::Request& request, const Answer& answer) {
    reference::Reply expected = std::get<reference::Reply>(machine_.apply(request, now_, heard_));
    count(expected);
    const std::string asked = fmt::format("at {}us: {}", now_.ns() / 1'000, show(request));
    if (answer.outcome != RequestOutcome::applied) {
      differ(asked, "applied", answer.message);
      return expected;
    }
    compare(asked, show(expected), show(answer.reply));
    compare(asked + ": notifications", show(heard_), show(answer.notifications));
    compare(asked + ": store time", std::to_string(now_.ns()), std::to_string(answer.store_time.ns()));
    heard_.clear();
    return expected;
  }
  void reconnect() {
    engine_.reset();
    engine_ = database_->connect([this] {
      ++clock_readings_;
      return now_;
    });
    if (engine_ == nullptr) differ("connecting", "", "there is no connection to be had");
  }
  void promote() {
    if (branch_ < 9 && database_->promote(branch_ + 1)) machine_.promote(++branch_);
  }
  // All that can be read, by name.
  using Stored = std::map<std::string, std::string>;
  static std::vector<reference::Request> reads(ResourceId resource) {
    return {reference::ReadOutbox{resource, 1'000'000, 0},
            reference::ReadDead{resource, 1'000'000, 0},
            reference::ReadDead{resource, 1'000'000, 0, true},
            reference::ChangesSince{resource, 0, 1'000'000},
            reference::ReadDue{resource, StoreTime::max(), 1'000'000, std::nullopt},
            reference::ListNamed{resource, "", 1'000'000},
            reference::ReadLog{resource, 0, 1'000'000},
            reference::ReadHistory{resource, std::nullopt, 0, 1'000'000},
            reference::ReadWaiting{resource, Delivery::Kind::pull, std::nullopt, 0, 1'000'000},
            reference::ReadWaiting{resource, Delivery::Kind::push, std::nullopt, 0, 1'000'000},
            reference::ReadDepths{resource, true},
            reference::ReadNodes{resource}};
  }
  Stored stored_in(reference::ReferenceStore machine) const {
    Stored stored;
    std::vector<Notification> heard;
    for (const ResourceId resource : kResources) {
      stored[fmt::format("the lease of {}", resource.value)] = show(machine.lease(resource));
      stored[fmt::format("the ledger of {}", resource.value)] = show(machine.ledger(resource));
      for (const reference::Request& read : reads(resource))
        stored[show(read)] = show(std::get<reference::Reply>(machine.apply(read, now_, heard)));
    }
    return stored;
  }
  Stored stored_in_engine() {
    Stored stored;
    for (const ResourceId resource : kResources) {
      const auto audit = engine_->audit(resource);
      stored[fmt::format("the lease of {}", resource.value)] = audit ? show(audit->lease) : "cannot be read";
      stored[fmt::format("the ledger of {}", resource.value)] =
          audit ? show(audit->ledger) : "cannot be read";
      for (const reference::Request& read : reads(resource))
        stored[show(read)] = show(engine_->execute(read, kTimeout).reply);
    }
    return stored;
  }
  // A connection died under a request: what was rejected was not done, and what is unknown was done whole or not at
  // all.
  void settle(const reference::Request& request, const Answer& answer) {
    ++reached_["killed, " + outcome(answer)];
    if (answer.outcome == RequestOutcome::unknown && stored_in_engine() != stored_in(machine_)) {
      ++reached_["killed, and it was done"];
      machine_.apply(request, now_, heard_);
      heard_.clear();
    }
    compare_what_is_stored();
  }
  // The machine would hand out nothing, and be as it was.
  bool finds_nothing(const reference::Request& claim) const {
    reference::ReferenceStore machine = machine_;
    Hasher before, after;
    machine.hash(before, now_);
    std::vector<Notification> heard;
    const auto reply = std::get<reference::Reply>(machine.apply(claim, now_, heard));
    machine.hash(after, now_);
    return std::get<reference::ClaimedExecutions>(reply).executions.empty() &&
           before.value() == after.value();
  }
  // Somebody's transaction stands still: who writes is told in time that nothing was done, and nothing was. A claim
  // looks before it writes, and may be answered by that.
  void stall(const reference::Request& request) {
    const bool reads = reference::only_reads(request);
    const bool looks = std::holds_alternative<reference::ClaimExecutions>(request);
    const auto stalled = database_->stalled_writer();
    const std::uint64_t asked = clock_readings_;
    Duration patience = database_->patience();
    Answer answer = engine_->execute(request, patience);
    // On a busy machine that may be too little for the answer: it is asked again, with more. A read that waits for the
    // writer is still rejected in the end.
    while (patience < kTimeout &&
           (answer.outcome == RequestOutcome::unknown || (reads && answer.trouble == StoreError::busy))) {
      patience = patience * 4;
      answer = engine_->execute(request, patience);
    }
    if (!reads && !looks && database_->reads_the_clock_itself() && clock_readings_ != asked)
      differ("the clock", "not read before the lock is had", "read");
    if (looks && answer.outcome == RequestOutcome::applied) {
      compare("a claim beside a stalled writer finds nothing", "true",
              finds_nothing(request) ? "true" : "false");
      compare_answer(request, answer);
      ++reached_["a claim beside a stalled writer"];
      return;
    }
    if (reads) return compare("a read beside a stalled writer", "applied", outcome(answer));
    compare("a write behind a stalled writer", "rejected: busy", outcome(answer));
  }
  void count(const reference::Reply& reply) {
    const std::string text = show(reply);
    ++reached_[text.substr(0, text.find('('))];
    if (const auto* refused = std::get_if<reference::Refused>(&reply))
      ++reached_[fmt::format("refused, {}", static_cast<int>(refused->why))];
    if (const auto* refused = std::get_if<reference::NamedRefused>(&reply))
      ++reached_[fmt::format("named refused, {}", static_cast<int>(refused->why))];
    if (const auto* payloads = std::get_if<reference::Payloads>(&reply))
      for (const reference::EventPayload& event : payloads->events)
        ++reached_[!event.found                            ? "payload of an event that is gone"
                   : event.payload == reference::Payload{} ? "payload that is empty"
                                                           : "payload found"];
    if (const auto* named = std::get_if<reference::NamedSchedules>(&reply))
      for (const reference::NamedSchedule& one : named->schedules)
        if (one.pause) ++reached_[one.pause->actor.empty() ? "paused by nobody" : "paused by somebody"];
    if (const auto* states = std::get_if<reference::ExecutionStates>(&reply))
      for (const reference::ExecutionState& state : states->executions)
        ++reached_[fmt::format("execution {}", static_cast<int>(state.standing))];
    if (const auto* claimed = std::get_if<reference::ClaimedExecutions>(&reply))
      for (const reference::Execution& one : claimed->executions)
        ++reached_[one.token.attempt == 1 ? "handed out" : "handed out again"];
    if (const auto* taken = std::get_if<reference::Acknowledged>(&reply);
        taken != nullptr && taken->claimed > 0)
      ++reached_["acknowledged, though claimed"];
    if (const auto* page = std::get_if<reference::HistoryPage>(&reply))
      for (const reference::HistoryRow& row : page->rows)
        ++reached_[fmt::format("history {}", static_cast<int>(row.what))];
    if (const auto* committed = std::get_if<reference::Committed>(&reply))
      for (const reference::RowResult row : committed->rows)
        ++reached_[fmt::format("row {}", static_cast<int>(row))];
    if (const auto* refused = std::get_if<reference::CommitRefused>(&reply);
        refused != nullptr && refused->held)
      ++reached_["held"];
  }
  static std::string outcome(const Answer& answer) {
    if (answer.outcome == RequestOutcome::applied) return "applied";
    return (answer.outcome == RequestOutcome::rejected ? "rejected: " : "unknown: ") +
           std::string(name_of(answer.trouble));
  }

  void compare(const std::string& what, const std::string& expected, const std::string& given) {
    if (expected != given) differ(what, expected, given);
  }
  void differ(const std::string& what, const std::string& expected, const std::string& given) {
    if (!difference_) difference_ = fmt::format("{}\n  machine {}\n  engine  {}", what, expected, given);
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<StoreBackend> engine_;
  reference::ReferenceStore machine_ = reference::ReferenceStore::with_history();
  StoreTime now_ = kStart;
  std::uint64_t clock_readings_ = 0;
  std::uint32_t branch_ = 1;
  Client clients_[2] = {Client{1}, Client{2}};
  std::vector<Notification> heard_;
  Reached reached_;
  std::optional<std::string> difference_;
};

template <class Steps>
std::optional<std::string> difference_in(const Engine& engine, const Steps& steps, Reached* reached) {
  SideBySide both(engine);
  for (const auto& step : steps) {
    if (both.difference()) return both.difference();
    both.run(step);
  }
  if (reached != nullptr) both.count_into(*reached);
  both.compare_what_is_stored();
  return both.difference();
}

}  // namespace

std::optional<std::string> difference(const Engine& engine, const std::vector<Operation>& operations,
                                      Reached* reached) {
  return difference_in(engine, operations, reached);
}
std::optional<std::string> difference(const Engine& engine, const std::vector<Step>& steps,
                                      Reached* reached) {
  return difference_in(engine, steps, reached);
}

std::vector<Step> gives_back_what_gives_way() {
  constexpr ResourceId resource = kResources.front();
  constexpr Incarnation leader{NodeId{1}, 1};
  constexpr Token token{.branch = 1, .epoch = 1, .nonce = 5};
  constexpr Duration second = Duration::seconds(1);
  Definition definition;
  definition.recurrence = Interval{kStart, second};
  definition.overlap = Overlap::replace;
  definition.delivery.kind = Delivery::Kind::pull;
  const auto commit = [&](StoreTime slot) {
    return reference::CommitFires{resource,
                                  leader,
                                  token,
                                  {{.schedule = ScheduleId{1},
                                    .version = 1,
                                    .from = slot,
                                    .to = slot + second,
                                    .slot = slot,
                                    .due = slot}}};
  };
  const auto claim = [&](std::uint64_t nonce) {
    return reference::ClaimExecutions{resource, "", 5, Duration::minutes(1), "w", nonce};
  };
  const reference::ExecutionToken first{{ScheduleId{1}, kStart, 0}, 1, 7};
  return {{{}, reference::Acquire{resource, leader, 0, token.nonce, Duration::minutes(1)}},
          {{}, reference::PutSchedule{resource, ScheduleId{1}, 0, definition}},
          {second, commit(kStart)},
          {second, claim(first.nonce)},
          {second, commit(kStart + second)},
          {second, reference::ExtendExecutions{resource, Duration::minutes(1), {first}}},
          {second, reference::ReleaseExecutions{resource, {first}}},
          {second, reference::ReleaseExecutions{resource, {first}}},
          {second, claim(8)}};
}

}  // namespace tenure::conformance

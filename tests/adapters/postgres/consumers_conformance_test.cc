// The functions for consumers (schema/5_consume.sql) against the machine: the histories of tests/adapters/conformance,
// with each request that there is a function for asked through it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/adapters/conformance/sequence.h"
#include "tests/adapters/postgres/conformance_database.h"
#include "tests/adapters/postgres/consumer_sql.h"

namespace tenure::conformance {
namespace {

// By token of the machine: the name that the functions gave to the execution, whose nonces they draw themselves.
using Executions = std::map<std::tuple<reference::EventId, std::uint32_t, std::uint64_t>, std::string>;

std::string key_of(const reference::EventId& event) {
  return fmt::format("{}/{}/{}", event.schedule.value, event.slot.ns() / 1'000, event.run);
}

// Asks the functions for consumers where there are any for a request, and the store for the rest.
class ThroughSql final : public StoreBackend {
 public:
  ThroughSql(std::unique_ptr<StoreBackend> store, const std::string& connection,
             std::function<StoreTime()> tell, std::shared_ptr<Executions> executions)
      : store_(std::move(store)),
        sql_(connection),
        tell_(std::move(tell)),
        executions_(std::move(executions)) {}

  std::optional<StoreAudit> audit(ResourceId resource) override { return store_->audit(resource); }

  Answer execute(const reference::Request& request, Duration timeout) override {
    sql_.ask(fmt::format("SET lock_timeout = {}", timeout.ns() / 2'000'000));
    if (const auto* asked = std::get_if<reference::ClaimExecutions>(&request)) return claim(*asked);
    if (const auto* asked = std::get_if<reference::ExtendExecutions>(&request);
        asked != nullptr && !asked->executions.empty())
      return extend(*asked);
    if (const auto* asked = std::get_if<reference::ReleaseExecutions>(&request);
        asked != nullptr && !asked->executions.empty())
      return release(*asked);
    if (const auto* asked = std::get_if<reference::EndExecutions>(&request);
        asked != nullptr && !asked->ends.empty())
      return end(*asked);
    if (const auto* asked = std::get_if<reference::AckEvents>(&request);
        asked != nullptr && !asked->events.empty())
      return acknowledge(*asked);
    Answer answer = store_->execute(request, timeout);
    if (const auto* asked = std::get_if<reference::ReadWaiting>(&request);
        asked != nullptr && asked->kind == Delivery::Kind::pull && asked->name)
      compare_with_poll(*asked, answer, timeout);
    return answer;
  }

 private:
  Answer begin() {
    Answer answer;
    answer.store_time = tell_();
    answer.outcome = RequestOutcome::applied;
    return answer;
  }
  // False: it was not executed, and `answer` says so.
  static bool was_executed(const pgtest::Given& given, Answer& answer) {
    if (given.sqlstate.empty() || given.sqlstate.starts_with("TN")) return true;
    answer.outcome = RequestOutcome::rejected;
    answer.trouble = given.sqlstate == "55P03" ? StoreError::busy : StoreError::failed;
    answer.message = given.sqlstate;
    return false;
  }
  std::string name_of(const reference::ExecutionToken& token) const {
    const auto known = executions_->find({token.event, token.attempt, token.nonce});
    if (known != executions_->end()) return known->second;
    return fmt::format("{}.{}.{}.{}.{}", token.event.schedule.value, token.event.slot.ns() / 1'000,
                       token.event.run, token.attempt, token.nonce);
  }

  Answer claim(const reference::ClaimExecutions& asked) {
    Answer answer = begin();
    const pgtest::Given given = sql_.ask(
        fmt::format("SELECT execution, attempt, {}, seq, split_part(key, '/', 1), split_part(key, '/', 2), "
                    "split_part(key, '/', 3) FROM tenure.claim_events($1, $2, $3, $4, $5)",
                    pgtest::micros_of("until")),
        {asked.topic, std::to_string(asked.max), fmt::format("{} us", asked.duration.ns() / 1'000),
         asked.worker, std::to_string(asked.resource.value)});
    if (!was_executed(given, answer)) return answer;
    reference::ClaimedExecutions claimed;
    for (const auto& row : given.rows) {
      const reference::EventId event{{static_cast<std::uint32_t>(std::stoul(row[4]))},
                                     StoreTime{} + Duration::micros(std::stoll(row[5])),
                                     std::stoull(row[6])};
      const reference::ExecutionToken token{event, static_cast<std::uint32_t>(std::stoul(row[1])),
                                            asked.nonce};
      (*executions_)[{event, token.attempt, token.nonce}] = row[0];
      // Which version fired is nothing that consumers are told.
      const auto read =
          store_->execute(reference::ReadPayloads{asked.resource, {event}}, Duration::seconds(10));
      claimed.executions.push_back({.token = token,
                                    .seq = std::stoull(row[3]),
                                    .version = std::get<reference::Payloads>(read.reply).events.at(0).version,
                                    .until = StoreTime{} + Duration::micros(std::stoll(row[2]))});
    }
    answer.reply = std::move(claimed);
    return answer;
  }

  // One row with the standing's word and the time; or an error whose detail is the word.
  static reference::ExecutionState state_of(const pgtest::Given& given) {
    static constexpr std::string_view kWords[] = {"claimed",  "cancelled", "failed",  "completed", "dead",
                                                  "replaced", "reissued",  "unknown", "released"};
    const std::string& word = given.sqlstate.empty() ? given.rows.at(0).at(0) : given.detail;
    const auto* found = std::find(std::begin(kWords), std::end(kWords), word);
    EXPECT_NE(found, std::end(kWords)) << word;
    reference::ExecutionState state{.standing = static_cast<reference::Standing>(found - kWords)};
    if (given.sqlstate.empty() && !given.rows[0].at(1).empty())
      state.until = StoreTime{} + Duration::micros(std::stoll(given.rows[0][1]));
    return state;
  }
  Answer extend(const reference::ExtendExecutions& asked) {
    Answer answer = begin();
    reference::ExecutionStates states;
    for (const reference::ExecutionToken& token : asked.executions) {
      const pgtest::Given given = sql_.ask(
          fmt::format("SELECT standing, {} FROM tenure.heartbeat($1, nullif($2, '0 us')::interval, $3)",
                      pgtest::micros_of("until")),
          {name_of(token), fmt::format("{} us", asked.duration.ns() / 1'000),
           std::to_string(asked.resource.value)});
      if (!was_executed(given, answer)) return answer;
      states.executions.push_back(state_of(given));
    }
    answer.reply = std::move(states);
    return answer;
  }
  Answer release(const reference::ReleaseExecutions& asked) {
    Answer answer = begin();
    reference::ExecutionStates states;
    for (const reference::ExecutionToken& token : asked.executions) {
      const pgtest::Given given = sql_.ask(
          fmt::format("SELECT standing, {} FROM tenure.give_back($1, $2)", pgtest::micros_of("until")),
          {name_of(token), std::to_string(asked.resource.value)});
      if (!was_executed(given, answer)) return answer;
      states.executions.push_back(state_of(given));
    }
    answer.reply = std::move(states);
    return answer;
  }
  Answer end(const reference::EndExecutions& asked) {
    Answer answer = begin();
    reference::ExecutionStates states;
    for (const reference::ExecutionEnd& end : asked.ends) {
      std::vector<std::string> values = {name_of(end.token), std::to_string(asked.resource.value)};
      if (end.failed) values.push_back(end.why);
      const pgtest::Given given =
          end.failed ? sql_.ask(fmt::format("SELECT standing, {} FROM tenure.fail($1, $3, $2)",
                                            pgtest::micros_of("until")),
                                values)
                     : sql_.ask("SELECT 'completed', NULL FROM tenure.complete($1, $2)", values);
      if (!was_executed(given, answer)) return answer;
      states.executions.push_back(state_of(given));
    }
    answer.reply = std::move(states);
    return answer;
  }
  // One by one, as HTTP does it: they are of several topics, and workers may be at some of them.
  Answer acknowledge(const reference::AckEvents& asked) {
    Answer answer = begin();
    reference::Acknowledged acknowledged;
    for (const reference::DeliveredEvent& had : asked.events) {
      if (had.kind != Delivery::Kind::pull) {  // which consumers do not see
        store_->execute(reference::AckEvents{asked.resource, {had}}, pgtest::kSecond * 60);
        continue;
      }
      const pgtest::Given one = sql_.ask("SELECT tenure.ack(ARRAY[$1], $2, $3)",
                                         {key_of(had.id), had.to, std::to_string(asked.resource.value)});
      if (!was_executed(one, answer)) return answer;
      acknowledged.claimed += one.detail == "claimed" ? 1 : 0;
    }
    answer.reply = acknowledged;
    return answer;
  }

  void compare_with_poll(const reference::ReadWaiting& asked, const Answer& answer, Duration timeout) {
    ASSERT_EQ(answer.outcome, RequestOutcome::applied);
    const auto& waiting = std::get<reference::WaitingEvents>(answer.reply).events;
    std::vector<reference::EventId> ids;
    for (const reference::WaitingEvent& event : waiting) ids.push_back(event.id);
    std::vector<std::vector<std::string>> expected;
    if (!ids.empty()) {
      const Answer read = store_->execute(reference::ReadPayloads{asked.resource, ids}, timeout);
      const auto& payloads = std::get<reference::Payloads>(read.reply).events;
      for (std::size_t i = 0; i < waiting.size(); ++i)
        expected.push_back({std::to_string(waiting[i].seq), key_of(ids[i]), payloads[i].name, waiting[i].name,
                            payloads[i].payload.type, payloads[i].payload.data,
                            std::to_string(waiting[i].attempt), std::to_string(ids[i].slot.ns() / 1'000),
                            std::to_string(waiting[i].at.ns() / 1'000)});
    }
    const pgtest::Given given =
        sql_.ask(fmt::format("SELECT seq, key, schedule, topic, type, data, attempt, {}, {} FROM "
                             "tenure.poll($1, $2, $3, $4)",
                             pgtest::micros_of("slot"), pgtest::micros_of("fired")),
                 {*asked.name, std::to_string(asked.after), std::to_string(asked.limit),
                  std::to_string(asked.resource.value)});
    EXPECT_EQ(given.sqlstate, "");
    EXPECT_EQ(given.rows, expected);
  }

  std::unique_ptr<StoreBackend> store_;
  pgtest::ConsumerSql sql_;
  std::function<StoreTime()> tell_;
  std::shared_ptr<Executions> executions_;
};

class ConsumersDatabase final : public PostgresDatabase {
 public:
  std::unique_ptr<StoreBackend> connect(std::function<StoreTime()> clock) override {
    const auto tell = [this, clock] {
      const StoreTime now = clock();
      database_.set_clock(now);
      return now;
    };
    auto store = PostgresDatabase::connect(clock);
    if (store == nullptr) return nullptr;
    return std::make_unique<ThroughSql>(std::move(store), database_.connection(), tell, executions_);
  }
  std::shared_ptr<void> killer() override { return nullptr; }

 private:
  std::shared_ptr<Executions> executions_ = std::make_shared<Executions>();
};

constexpr Engine kConsumers{
    "consumers in postgres",
    []() -> std::unique_ptr<Database> { return std::make_unique<ConsumersDatabase>(); }, false};

TEST(PostgresConsumers, functions_of_consumers_answer_as_the_machine_does) {
  Reached reached;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto history = histories()(rc::Random(seed), rc::kNominalSize).value();
    const auto found = difference(kConsumers, history, &reached);
    ASSERT_FALSE(found) << "seed " << seed << "\n" << *found;
  }
  for (const reference::Standing standing :
       {reference::Standing::claimed, reference::Standing::failed, reference::Standing::completed,
        reference::Standing::dead, reference::Standing::reissued, reference::Standing::unknown})
    EXPECT_GE(reached[fmt::format("execution {}", static_cast<int>(standing))], 1u)
        << static_cast<int>(standing);
  for (const char* what : {"handed out", "handed out again", "acknowledged, though claimed"})
    EXPECT_GE(reached[what], 1u) << what;
}

}  // namespace
}  // namespace tenure::conformance

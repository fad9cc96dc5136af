// Every scenario of fenced-lease on SQLite, under the simulator's clock: what is recorded is what the machine
// would have made of it, event by event, and so is the verdict.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "adapters/sqlite/sqlite_machine.h"
#include "core/store/reference/reference_store.h"
#include "format/print/print.h"
#include "sim/runner/run.h"
#include "tests/scenarios/library.h"

namespace tenure::sim {
namespace {

const TimeZones& zones() {
  static const Tzdb system;
  return system;
}
std::unique_ptr<StoreMachine> make_sqlite() { return std::make_unique<SqliteMachine>(zones()); }
constexpr StoreKind kSqlite = {"sqlite", "", make_sqlite, RowLock::update};

bool on_the_house_store(const Scenario& scenario) {
  return offers(scenario.protocol->store, &StoreKind::may_run_on_engines) ||
         (scenario.scheduler != nullptr && offers(scenario.scheduler->store, &StoreKind::may_run_on_engines));
}

class EveryHouseScenario : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryHouseScenario, is_the_same_on_sqlite) {
  Scenario scenario = parsed_file(GetParam());
  const std::uint64_t seed = scenario.seed.value_or(1);
  const RunResult machine = run(scenario, seed, {.story = false});
  scenario.store.engine = &kSqlite;
  const RunResult sqlite = run(scenario, seed, {.story = false});
  EXPECT_EQ(machine.verdict, sqlite.verdict);
  EXPECT_EQ(machine.trace_hash, sqlite.trace_hash);
  EXPECT_EQ(machine.events, sqlite.events);
}

std::vector<std::string> reference_scenarios() {
  std::vector<std::string> files;
  for (const std::string& path : scenario_files())
    if (on_the_house_store(parsed_file(path))) files.push_back(path);
  return files;
}

std::string name_of_file(const ::testing::TestParamInfo<std::string>& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(SqliteInSimulation, EveryHouseScenario, ::testing::ValuesIn(reference_scenarios()),
                         name_of_file);

TEST(SqliteInSimulation, most_scenarios_are_of_the_house_store) {
  EXPECT_GE(reference_scenarios().size(), 30u);
}

constexpr const char* kText = R"(format = 1
name = "x"
[sim]
duration = "10m"
tail = "60s"
[cluster]
protocol = "PROTOCOL"
[store]
engine = "sqlite"
)";
format::ParseResult parsed(const std::string& protocol) {
  std::string text = kText;
  text.replace(text.find("PROTOCOL"), 8, protocol);
  return format::parse_scenario("x.toml", text, {}, zones(), nullptr, {&kSqlite, 1});
}

TEST(StoreEngine, is_named_in_a_scenario_and_printed_again) {
  const format::ParseResult result = parsed("fenced-lease");
  ASSERT_TRUE(result.scenario) << result.diagnostics.front().message;
  EXPECT_EQ(result.scenario->store.engine, &kSqlite);
  EXPECT_NE(format::print_scenario(*result.scenario).find("[store]\nengine = \"sqlite\"\n"),
            std::string::npos);
}

TEST(StoreEngine, needs_a_house_store) {
  const format::ParseResult result = parsed("token-ring");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics.front().message, "an engine without a store that could run on it");
}

// Gives every grant another nonce than was asked for.
class Forgetful final : public StoreMachine {
 public:
  bool handles(const Request& request) const override { return inner_.handles(request); }
  Reply apply(const Request& request, StoreTime now, std::vector<Notification>& heard) override {
    reference::Request asked = std::get<reference::Request>(request);
    if (auto* acquire = std::get_if<reference::Acquire>(&asked)) acquire->nonce ^= 1;
    return inner_.apply(asked, now, heard);
  }
  RowLock lease_lock(const Request& request) const override { return inner_.lease_lock(request); }
  void promote(std::uint32_t branch) override { inner_.promote(branch); }
  std::unique_ptr<StoreMachine> clone() const override { return std::make_unique<Forgetful>(); }
  void hash(Hasher& hasher, StoreTime now) const override { inner_.hash(hasher, now); }

 private:
  SqliteMachine inner_{zones()};
};
std::unique_ptr<StoreMachine> make_forgetful() { return std::make_unique<Forgetful>(); }
constexpr StoreKind kForgetful = {"forgetful", "", make_forgetful, RowLock::update};

TEST(SqliteInSimulation, an_engine_that_answers_otherwise_gives_another_trace) {
  Scenario scenario = parsed_file(TENURE_SOURCE_DIR "/scenarios/leader-crash.toml");
  const RunResult machine = run(scenario, 1, {.story = false});
  scenario.store.engine = &kForgetful;
  EXPECT_NE(run(scenario, 1, {.story = false}).trace_hash, machine.trace_hash);
}

// ---- the machine around it ----

reference::Request put(std::uint32_t schedule) {
  return reference::PutSchedule{
      {1}, {schedule}, 0, {.recurrence = Interval{StoreTime{}, Duration::seconds(10)}}};
}

TEST(SqliteMachine, a_clone_goes_its_own_way) {
  SqliteMachine one(zones());
  std::vector<Notification> heard;
  const StoreTime now = StoreTime{} + Duration::seconds(100);
  one.apply(put(1), now, heard);
  const auto other = one.clone();
  const auto hash = [now](const StoreMachine& machine) {
    Hasher hasher;
    machine.hash(hasher, now);
    return hasher.value();
  };
  EXPECT_EQ(hash(one), hash(*other));
  other->apply(put(2), now, heard);
  EXPECT_NE(hash(one), hash(*other));
  one.apply(put(2), now, heard);
  EXPECT_EQ(hash(one), hash(*other));
  other->promote(2);
  EXPECT_NE(hash(one), hash(*other));
}

TEST(SqliteMachine, an_event_that_is_dead_and_one_that_was_delivered_are_hashed_apart) {
  SqliteMachine dead(zones());
  std::vector<Notification> heard;
  const StoreTime now = StoreTime{} + Duration::seconds(100);
  const Incarnation holder{{0}, 1};
  const reference::EventId event{{1}, now, 7};
  dead.apply(reference::Request{reference::Acquire{{1}, holder, 0, 7, Duration::seconds(15)}}, now, heard);
  dead.apply(put(1), now, heard);
  dead.apply(reference::Request{reference::TriggerSchedule{{1}, {1}, 7, now}}, now, heard);
  const auto delivered = dead.clone();
  dead.apply(reference::Request{reference::GiveUpEvents{{1}, holder, {1, 1, 7}, {{event, 3}}}}, now, heard);
  delivered->apply(reference::Request{reference::AckEvents{{1}, {{event}}}}, now, heard);
  Hasher one;
  dead.hash(one, now);
  Hasher other;
  delivered->hash(other, now);
  EXPECT_NE(one.value(), other.value());
}

// Whoever registered is forgotten, and its number is not given again.
TEST(SqliteMachine, the_number_that_the_next_instance_gets_is_hashed) {
  const StoreTime now = StoreTime{} + Duration::seconds(100);
  const auto hash_after = [now](const std::vector<std::string>& keys) {
    SqliteMachine machine(zones());
    std::vector<Notification> heard;
    for (const std::string& key : keys)
      machine.apply(reference::Request{reference::RegisterNode{{1}, key, "host"}}, now, heard);
    machine.apply(reference::Request{reference::Prune{{1}, now}}, now, heard);
    Hasher hasher;
    machine.hash(hasher, now);
    return hasher.value();
  };
  EXPECT_EQ(hash_after({"a"}), hash_after({"b"}));
  EXPECT_NE(hash_after({"a"}), hash_after({"a", "b"}));
}

TEST(SqliteMachine, what_ends_after_a_while_is_hashed_by_how_far_off_that_is) {
  const auto hash_at = [](std::int64_t seconds) {
    SqliteMachine machine(zones());
    std::vector<Notification> heard;
    const StoreTime now = StoreTime{} + Duration::seconds(seconds);
    machine.apply(reference::Request{reference::Acquire{{1}, {{0}, 1}, 0, 7, Duration::seconds(15)}}, now,
                  heard);
    Hasher hasher;
    machine.hash(hasher, now);
    return hasher.value();
  };
  EXPECT_EQ(hash_at(100), hash_at(5'000));
}

}  // namespace
}  // namespace tenure::sim

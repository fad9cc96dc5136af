// What the reference store on Postgres can do: fires one by one and in batches, renewals meanwhile, and what is due.
//
//   export PGOPTION="fsync=on"
//   tests/adapters/postgres/with_postgres.sh build/release/bin/postgres_bench [SCHEDULES [SECONDS [BATCH]]]
#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/postgres/postgres_store.h"
#include "tests/support/zones.h"

namespace tenure {
namespace {

using Steady = std::chrono::steady_clock;
constexpr ResourceId kResource{1};
constexpr Incarnation kLeader{{1}, 1};
constexpr Duration kTimeout = Duration::seconds(60);
constexpr Duration kPeriod = Duration::seconds(60);

std::unique_ptr<PostgresStore> open() {
  auto opened = PostgresStore::open({.connection = "", .zones = &testing::few_zones()});
  if (const auto* error = std::get_if<OpenError>(&opened)) {
    fmt::print(stderr, "{}\n", error->message);
    std::exit(74);
  }
  return std::move(std::get<std::unique_ptr<PostgresStore>>(opened));
}

template <class Reply>
Reply ask(PostgresStore& store, const reference::Request& request) {
  const Answer answer = store.execute(request, kTimeout);
  const auto* reply = std::get_if<Reply>(&answer.reply);
  if (answer.outcome == RequestOutcome::applied && reply != nullptr) return *reply;
  fmt::print(stderr, "not what was expected: {}\n", answer.message);
  std::exit(70);
}

// By somebody who owns the server.
void execute(const std::vector<std::string>& statements) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(""), PQfinish);
  for (const std::string& sql : statements) {
    PGresult* result = PQexec(connection.get(), sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      fmt::print(stderr, "{}", PQresultErrorMessage(result));
    PQclear(result);
  }
}

// Schedules that are a month late, and so always due, each at a time of its own.
void fill(ResourceId resource, int schedules) {
  const std::string late = "((extract(epoch FROM now()) - 2600000)::bigint * 1000000 + i * 60)";
  execute({fmt::format("INSERT INTO tenure.head VALUES ({})", resource.value),
           fmt::format("INSERT INTO tenure.segment SELECT {}, i, 1, 0, 9223372036854775, {}, 0 "
                       "FROM generate_series(1, {}) i",
                       resource.value, late, schedules),
           "VACUUM ANALYZE tenure.segment", "CHECKPOINT"});
}

// A server that has been in service writes its log into files that it has used before. A new one makes each of them,
// and whoever commits waits for that: 16 MB of zeros, on the disk.
void use_log_files() {
  std::vector<std::string> statements(60,
                                      "SELECT pg_logical_emit_message(true, 'bench', ''), pg_switch_wal()");
  statements.push_back("CHECKPOINT");
  execute(statements);
}

struct Times {
  std::vector<std::int64_t> us;
  template <class Work>
  void measure(Work work) {
    const auto begin = Steady::now();
    work();
    us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - begin).count());
  }
  double rate() const {
    return us.empty()
               ? 0
               : double(us.size()) * 1e6 / double(std::accumulate(us.begin(), us.end(), std::int64_t{0}));
  }
  std::string text() {
    std::sort(us.begin(), us.end());
    const auto at = [&](std::size_t percent) { return us.empty() ? 0 : us[(us.size() - 1) * percent / 100]; };
    return fmt::format("{} times, p50 {} us, p99 {} us, max {} us", us.size(), at(50), at(99), at(100));
  }
};

// What this machine and this server do at the least: a round trip, a commit of one row, a fire by one statement that
// knows nothing of terms, clocks and conflicts. A store cannot be quicker than these.
class Least {
 public:
  Least() {
    tell("CREATE TABLE least (id bigint PRIMARY KEY, n bigint) WITH (fillfactor = 10)");
    tell("CREATE TABLE least_events (seq bigint PRIMARY KEY, slot bigint, UNIQUE (slot, seq))");
    tell("INSERT INTO least SELECT i, 0 FROM generate_series(1, 100000) i");
    tell("CHECKPOINT");
    for (const auto& [name, sql] : kStatements) done(PQprepare(connection_.get(), name, sql, 0, nullptr));
  }
  void round_trip(Times& times) { time(times, "round trip"); }
  void commit(Times& times) { time(times, "commit"); }
  void fire(Times& times) { time(times, "fire"); }

 private:
  static constexpr std::pair<const char*, const char*> kStatements[] = {
      {"round trip", "SELECT $1::bigint"},
      {"commit", "UPDATE least SET n = n + $1 WHERE id = 1"},
      {"fire",
       "WITH head AS (UPDATE least SET n = n + 1 WHERE id = 1 RETURNING n),"
       "     segment AS (UPDATE least SET n = least.n + $1 FROM head WHERE id = 2 + head.n % 90000 RETURNING "
       "id) "
       "INSERT INTO least_events SELECT head.n, head.n FROM head, segment"}};

  void time(Times& times, const char* statement) {
    const char* const value = "1";
    times.measure(
        [&] { done(PQexecPrepared(connection_.get(), statement, 1, &value, nullptr, nullptr, 0)); });
  }
  void tell(const char* sql) { done(PQexec(connection_.get(), sql)); }
  static void done(PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      fmt::print(stderr, "{}", PQresultErrorMessage(result));
      std::exit(70);
    }
    PQclear(result);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_{PQconnectdb(""), PQfinish};
};

void least(Least& server, int seconds) {
  const auto repeat = [&](const char* what, void (Least::*statement)(Times&)) {
    Times times;
    const auto begin = Steady::now();
    while (Steady::now() - begin < std::chrono::seconds(seconds)) (server.*statement)(times);
    fmt::print("at the least, {}: {:.0f}/s; {}\n", what, times.rate(), times.text());
  };
  repeat("a round trip", &Least::round_trip);
  repeat("a commit of one row", &Least::commit);
  repeat("a fire as one statement", &Least::fire);
}

reference::Due due(PostgresStore& store, std::uint32_t limit, ResourceId resource = kResource) {
  return ask<reference::Due>(store, reference::ReadDue{resource, StoreTime::max(), limit, std::nullopt});
}

reference::LedgerRow fire(const reference::Segment& segment) {
  return {.schedule = segment.schedule,
          .version = segment.version,
          .from = segment.cursor,
          .to = segment.cursor + kPeriod,
          .slot = segment.cursor,
          .due = segment.cursor};
}

Token lead(PostgresStore& store, ResourceId resource) {
  return ask<reference::Granted>(store, reference::Acquire{resource, kLeader, 0, 7, Duration::hours(10)})
      .token;
}

// One commit a fire, for so long.
void singles(PostgresStore& store, ResourceId resource, const Token& token, Steady::duration length,
             Times& times) {
  const auto end = Steady::now() + length;
  for (;;) {
    for (const reference::Segment& segment : due(store, 1'000, resource).segments) {
      if (Steady::now() > end) return;
      times.measure([&] {
        ask<reference::Committed>(store, reference::CommitFires{resource, kLeader, token, {fire(segment)}});
      });
    }
  }
}

// In turns with the one statement, so that whatever else the machine does strikes both alike.
void singles_and_the_least(PostgresStore& store, const Token& token, Least& server, int seconds) {
  constexpr std::chrono::milliseconds kTurn{100};
  Times fires;
  Times least;
  for (const auto end = Steady::now() + 2 * std::chrono::seconds(seconds); Steady::now() < end;) {
    singles(store, kResource, token, kTurn, fires);
    for (const auto turn = Steady::now() + kTurn; Steady::now() < turn;) server.fire(least);
  }
  fmt::print("single fires: {:.0f}/s; {}\n  {:.2f} of the least, in turns with it: {:.0f}/s; {}\n",
             fires.rate(), fires.text(), fires.rate() / least.rate(), least.rate(), least.text());
}

// Several leaders, each of a resource of its own and with a connection of its own: they share the disk's flushes.
void crowd(int leaders, int seconds) {
  std::vector<Times> each(static_cast<std::size_t>(leaders));
  for (int i = 0; i < leaders; ++i) fill(ResourceId{static_cast<std::uint32_t>(100 + i)}, 50'000);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < each.size(); ++i)
    threads.emplace_back([&each, i, seconds] {
      const ResourceId resource{static_cast<std::uint32_t>(100 + i)};
      const auto store = open();
      singles(*store, resource, lead(*store, resource), std::chrono::seconds(seconds), each[i]);
    });
  for (std::thread& thread : threads) thread.join();
  Times all;
  for (const Times& times : each) all.us.insert(all.us.end(), times.us.begin(), times.us.end());
  const auto fires = all.us.size();
  fmt::print("single fires by {} leaders at once: {}/s; {}\n", leaders,
             fires / static_cast<std::size_t>(seconds), all.text());
}

// Reads what is due and fires it, as a leader does; every second it says how many fires there were.
void batches(PostgresStore& store, const Token& token, std::uint32_t size, int seconds) {
  Times commits;
  Times reads;
  const auto begin = Steady::now();
  std::int64_t fires = 0;
  std::vector<std::int64_t> each(static_cast<std::size_t>(seconds) + 1);
  while (Steady::now() - begin < std::chrono::seconds(seconds)) {
    reference::Due read;
    reads.measure([&] { read = due(store, size); });
    reference::CommitFires asked{kResource, kLeader, token, {}};
    for (const reference::Segment& segment : read.segments) asked.rows.push_back(fire(segment));
    commits.measure([&] {
      const auto committed = ask<reference::Committed>(store, asked);
      fires += std::count(committed.rows.begin(), committed.rows.end(), reference::RowResult::covered);
    });
    const auto second = std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - begin).count();
    each[static_cast<std::size_t>(std::min<std::int64_t>(second, seconds))] = fires;
  }
  const double length = std::chrono::duration<double>(Steady::now() - begin).count();
  const auto quarter = static_cast<std::size_t>(std::max(1, seconds / 4));
  fmt::print(
      "batches of {}: {:.0f} fires/s over {} s; first quarter {}/s, last {}/s\n", size,
      double(fires) / length, seconds, each[quarter - 1] / std::int64_t(quarter),
      (each[static_cast<std::size_t>(seconds) - 1] - each[static_cast<std::size_t>(seconds) - 1 - quarter]) /
          std::int64_t(quarter));
  fmt::print("  commits: {}\n  due, limit {}: {}\n", commits.text(), size, reads.text());
}

int run(int schedules, int seconds, std::uint32_t batch) {
  Least server;
  least(server, std::min(3, seconds));
  const auto store = open();
  fill(kResource, schedules);
  use_log_files();
  const Token token = lead(*store, kResource);
  fmt::print("{} schedules\n", schedules);

  const int brief = std::min(5, seconds);
  singles_and_the_least(*store, token, server, brief);
  crowd(4, brief);

  const auto renew = [&](PostgresStore& through) {
    ask<reference::Granted>(through, reference::Renew{kResource, kLeader, token, Duration::hours(10)});
  };
  Times alone;
  for (int i = 0; i < 1'000; ++i) alone.measure([&] { renew(*store); });
  fmt::print("renewals alone: {}\n", alone.text());
  Times reads;
  for (int i = 0; i < 1'000; ++i) reads.measure([&] { due(*store, batch); });
  fmt::print("due alone, limit {}: {}\n", batch, reads.text());

  std::atomic<bool> done = false;
  Times renewals;
  std::thread renewer([&] {
    const auto own = open();
    while (!done) {
      renewals.measure([&] { renew(*own); });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  batches(*store, token, batch, seconds);
  done = true;
  renewer.join();
  fmt::print("renewals meanwhile, every 10 ms: {}\n", renewals.text());
  return 0;
}

}  // namespace
}  // namespace tenure

int main(int argc, char** argv) {
  return tenure::run(argc > 1 ? std::atoi(argv[1]) : 1'000'000, argc > 2 ? std::atoi(argv[2]) : 60,
                     argc > 3 ? static_cast<std::uint32_t>(std::atoi(argv[3])) : 500);
}

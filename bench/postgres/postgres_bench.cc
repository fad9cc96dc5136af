// What the reference store on Postgres can do: fires one by one and in batches, renewals meanwhile, and what is due.
//
//   export PGOPTION="fsync=on"
//   tests/adapters/postgres/with_postgres.sh build/release/bin/postgres_bench [SCHEDULES [SECONDS [BATCH…]]]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/postgres/postgres_store.h"
#include "bench/postgres/latencies.h"
#include "bench/postgres/least.h"
#include "bench/postgres/other_flushes.h"
#include "bench/postgres/owner_connection.h"
#include "bench/postgres/server_process.h"
#include "bench/postgres/waits.h"
#include "tests/support/zones.h"

namespace tenure {
namespace {

constexpr ResourceId kResource{1};
constexpr ResourceId kOfBareFires{2};
// Rows at the end of an index are cheaper to write. So that neither of the two is there, somebody else is.
constexpr ResourceId kBehindThem{3};
constexpr Incarnation kLeader{{1}, 1};
constexpr Duration kTimeout = Duration::seconds(60);
constexpr Duration kPeriod = Duration::seconds(60);

std::unique_ptr<PostgresStore> open(const char* connection = "") {
  auto opened = PostgresStore::open({.connection = connection, .zones = &testing::few_zones()});
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

void execute(const std::vector<std::string>& statements) {
  OwnerConnection server;
  for (const std::string& sql : statements) server.ask(sql);
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

void least(Least& server, int seconds) {
  const auto repeat = [&](const char* what, void (Least::*statement)(Latencies&)) {
    Latencies times;
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

// What is due, one after the other, for so long.
template <class Fire>
void each_due(PostgresStore& reader, ResourceId resource, Steady::duration length, Fire fire_one) {
  const auto end = Steady::now() + length;
  for (;;) {
    for (const reference::Segment& segment : due(reader, 1'000, resource).segments) {
      if (Steady::now() > end) return;
      fire_one(fire(segment));
    }
  }
}

// One commit a fire.
void singles(PostgresStore& reader, PostgresStore& store, ResourceId resource, const Token& token,
             Steady::duration length, Latencies& times) {
  each_due(reader, resource, length, [&](const reference::LedgerRow& row) {
    times.measure([&] {
      ask<reference::Committed>(store, reference::CommitFires{resource, kLeader, token, {row}});
    });
  });
}

// What requests cost the server: bytes of its log, and CPU of the process that serves their connection.
class ServerCost {
 public:
  explicit ServerCost(const std::string& application) : process_(application) {}

  template <class Work>
  void measure(Work work) {
    const std::int64_t from = log_position();
    const CpuTime before = process_.cpu_time();
    work();
    cpu_ns_ += process_.cpu_time().ran_ns - before.ran_ns;
    log_bytes_ += log_position() - from;
  }
  std::string each(const Latencies& times) const {
    const auto requests = std::max<std::int64_t>(1, std::int64_t(times.us.size()));
    return fmt::format("{} bytes of log and {} us of the server's CPU each", log_bytes_ / requests,
                       cpu_ns_ / requests / 1'000);
  }

 private:
  std::int64_t log_position() {
    return std::atoll(connection_.ask("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").c_str());
  }

  OwnerConnection connection_;
  ServerProcess process_;
  std::int64_t log_bytes_ = 0;
  std::int64_t cpu_ns_ = 0;
};

// In turns with one statement that writes the same rows, and with the one that does the least, so that whatever else
// the machine does strikes all alike.
void singles_and_the_least(PostgresStore& store, const Token& token, Least& server, int seconds) {
  constexpr std::chrono::milliseconds kTurn{100};
  BareFire bare_fire(kOfBareFires, kLeader, lead(store, kOfBareFires));
  Latencies fires, bare, least;
  ServerCost of_fires("fires"), of_bare("bare fires");
  const auto reader = open();
  for (const auto end = Steady::now() + 3 * std::chrono::seconds(seconds); Steady::now() < end;) {
    of_fires.measure([&] { singles(*reader, store, kResource, token, kTurn, fires); });
    of_bare.measure([&] {
      each_due(*reader, kOfBareFires, kTurn,
               [&](const reference::LedgerRow& row) { bare_fire.fire(row, bare); });
    });
    for (const auto turn = Steady::now() + kTurn; Steady::now() < turn;) server.fire(least);
  }
  fmt::print("single fires: {:.0f}/s; {}; {}\n", fires.rate(), fires.text(), of_fires.each(fires));
  fmt::print("  {:.2f} of the bare statement that writes these rows, in turns with it: {:.0f}/s; {}; {}\n",
             fires.rate() / bare.rate(), bare.rate(), bare.text(), of_bare.each(bare));
  fmt::print("  {:.2f} of the least, in turns with it: {:.0f}/s; {}\n", fires.rate() / least.rate(),
             least.rate(), least.text());
}

// Several leaders, each of a resource of its own and with a connection of its own: they share the disk's flushes.
void crowd(int leaders, int seconds) {
  std::vector<Latencies> each(static_cast<std::size_t>(leaders));
  for (int i = 0; i < leaders; ++i) fill(ResourceId{static_cast<std::uint32_t>(100 + i)}, 50'000);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < each.size(); ++i)
    threads.emplace_back([&each, i, seconds] {
      const ResourceId resource{static_cast<std::uint32_t>(100 + i)};
      const auto store = open();
      singles(*store, *store, resource, lead(*store, resource), std::chrono::seconds(seconds), each[i]);
    });
  for (std::thread& thread : threads) thread.join();
  Latencies all;
  for (const Latencies& times : each) all.us.insert(all.us.end(), times.us.begin(), times.us.end());
  const auto fires = all.us.size();
  fmt::print("single fires by {} leaders at once: {}/s; {}\n", leaders,
             fires / static_cast<std::size_t>(seconds), all.text());
}

// Reads what is due and fires it, as a leader does; every second it says how many fires there were.
void batches(PostgresStore& store, const Token& token, std::uint32_t size, int seconds) {
  Latencies commits;
  Latencies reads;
  ServerCost cost("fires");
  const auto begin = Steady::now();
  std::int64_t fires = 0;
  std::vector<std::int64_t> each(static_cast<std::size_t>(seconds) + 1);
  while (Steady::now() - begin < std::chrono::seconds(seconds)) {
    reference::Due read;
    reads.measure([&] { read = due(store, size); });
    reference::CommitFires asked{kResource, kLeader, token, {}};
    for (const reference::Segment& segment : read.segments) asked.rows.push_back(fire(segment));
    reference::Committed committed;
    cost.measure([&] { commits.measure([&] { committed = ask<reference::Committed>(store, asked); }); });
    fires += std::count(committed.rows.begin(), committed.rows.end(), reference::RowResult::covered);
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
  fmt::print("  commits: {}; {}\n  due, limit {}: {}\n", commits.text(), cost.each(commits), size,
             reads.text());
}

void renew(PostgresStore& store, const Token& token) {
  ask<reference::Granted>(store, reference::Renew{kResource, kLeader, token, Duration::hours(10)});
}

// And what those wait for that take several times what one alone needs.
void renewals_beside_batches(PostgresStore& store, const Token& token, std::uint32_t size, int seconds,
                             bool others_flush) {
  constexpr std::chrono::milliseconds kLong{2};
  constexpr std::chrono::milliseconds kPause{10};
  const auto own = open("application_name=renewals");
  WaitSampler waits("renewals");
  std::atomic<bool> done = false;
  Latencies renewals;
  std::thread renewer([&] {
    while (!done) {
      waits.measure([&] { renewals.measure([&] { renew(*own, token); }); });
      std::this_thread::sleep_for(kPause);
    }
  });
  const auto others = others_flush ? std::make_unique<OtherFlushes>() : nullptr;
  batches(store, token, size, seconds);
  done = true;
  renewer.join();
  fmt::print("renewals meanwhile, every 10 ms: {}\n", renewals.text());
  if (others) fmt::print("  somebody else's flushes of 8 KB on this disk: {}\n", others->stop().text());
  fmt::print("  longer than {} ms: {}", kLong.count(), waits.text(kLong));
}

int run(int schedules, int seconds, const std::vector<std::uint32_t>& sizes) {
  Least server;
  least(server, std::min(3, seconds));
  const auto store = open("application_name=fires");
  fill(kResource, schedules);
  fill(kOfBareFires, schedules);
  fill(kBehindThem, 1'000);
  execute(
      {fmt::format("INSERT INTO tenure.outbox SELECT {}, i, i, i, 0, 1, i FROM generate_series(1, 1000) i",
                   kBehindThem.value)});
  use_log_files();
  const Token token = lead(*store, kResource);
  fmt::print("{} schedules\n", schedules);

  const int brief = std::min(5, seconds);
  singles_and_the_least(*store, token, server, brief);
  crowd(4, brief);

  Latencies alone;
  for (int i = 0; i < 1'000; ++i) alone.measure([&] { renew(*store, token); });
  fmt::print("renewals alone: {}\n", alone.text());
  Latencies reads;
  for (int i = 0; i < 1'000; ++i) reads.measure([&] { due(*store, sizes.front()); });
  fmt::print("due alone, limit {}: {}\n", sizes.front(), reads.text());

  for (const std::uint32_t size : sizes) renewals_beside_batches(*store, token, size, seconds, false);
  renewals_beside_batches(*store, token, sizes.back(), seconds, true);
  return 0;
}

}  // namespace
}  // namespace tenure

int main(int argc, char** argv) {
  std::vector<std::uint32_t> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(static_cast<std::uint32_t>(std::atoi(argv[i])));
  if (sizes.empty()) sizes = {500};
  return tenure::run(argc > 1 ? std::atoi(argv[1]) : 1'000'000, argc > 2 ? std::atoi(argv[2]) : 60, sizes);
}

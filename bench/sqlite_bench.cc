// The SQLite store on a file, with all its flushes.
//
//   TENURE_BENCH_SCHEDULES=1000000 TMPDIR=/somewhere/on/a/disk build/release/bin/sqlite_bench
//
// The schedules are made in memory first, since a million flushed edits are not what is measured.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adapters/sqlite/sqlite_store.h"

namespace tenure {
namespace {

namespace fs = std::filesystem;

constexpr ResourceId kResource{1};
constexpr Incarnation kLeader{{0}, 1};
constexpr Duration kPeriod = Duration::seconds(1);
constexpr Duration kPatience = Duration::seconds(30);
// So late that every slot that these runs come to is due.
constexpr StoreTime kNow = StoreTime{} + Duration::seconds(1'000'000'000);

std::uint32_t schedules() {
  const char* asked = std::getenv("TENURE_BENCH_SCHEDULES");
  return asked == nullptr ? 100'000 : static_cast<std::uint32_t>(std::strtoul(asked, nullptr, 10));
}

// One database for all benchmarks of a process.
class Bench {
 public:
  Bench() {
    const fs::path memory = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    const std::string made = (memory / fmt::format("tenure-bench-{}.db", std::rand())).string();
    store_ = open(made);
    const Definition every{.recurrence = Interval{StoreTime{}, kPeriod}};
    for (std::uint32_t i = 0; i < schedules(); ++i) ask(reference::PutSchedule{kResource, {i}, 0, every});
    store_.reset();  // the last connection folds the log into the file
    path_ = (fs::temp_directory_path() / "tenure-bench.db").string();
    for (const char* part : {"", "-wal", "-shm"}) fs::remove(path_ + part);
    fs::copy_file(made, path_);
    fs::remove(made);
    ::sync();  // or the first flushes wait for the copy
    now_ = kNow;
    store_ = open(path_);
    const auto granted = std::get<reference::Granted>(
        ask(reference::Acquire{kResource, kLeader, 0, 7, Duration::hours(24)}).reply);
    token_ = granted.token;
  }
  ~Bench() {
    store_.reset();
    for (const char* part : {"", "-wal", "-shm"}) fs::remove(path_ + part);
  }

  Answer ask(const reference::Request& request) {
    Answer answer = store_->execute(request, kPatience);
    if (answer.outcome != RequestOutcome::applied) fail(answer.message);
    return answer;
  }
  Answer renew() { return ask(reference::Renew{kResource, kLeader, token_, Duration::hours(24)}); }
  std::vector<reference::Segment> due(std::uint32_t limit) {
    return std::get<reference::Due>(ask(reference::ReadDue{kResource, kNow, limit, std::nullopt}).reply)
        .segments;
  }
  // Returns the events.
  std::vector<reference::DeliveredEvent> fire(const std::vector<reference::Segment>& segments) {
    reference::CommitFires commit{kResource, kLeader, token_, {}};
    std::vector<reference::DeliveredEvent> events;
    for (const reference::Segment& s : segments) {
      commit.rows.push_back({s.schedule, s.version, s.cursor, s.cursor + kPeriod, s.cursor, s.cursor});
      events.push_back({{s.schedule, s.cursor, 0}});
    }
    const Answer answer = ask(commit);
    const auto* committed = std::get_if<reference::Committed>(&answer.reply);
    if (committed == nullptr) fail("refused");
    for (const reference::RowResult row : committed->rows)
      if (row != reference::RowResult::covered) fail("not covered");
    return events;
  }

 private:
  [[noreturn]] static void fail(const std::string& why) {
    fmt::print(stderr, "{}\n", why);
    std::exit(1);
  }
  std::unique_ptr<SqliteStore> open(const std::string& path) {
    auto opened = SqliteStore::open({.path = path, .clock = [this] { return now_ += Duration::micros(1); }});
    if (const auto* error = std::get_if<OpenError>(&opened)) fail(error->message);
    return std::move(std::get<std::unique_ptr<SqliteStore>>(opened));
  }

  StoreTime now_;
  std::string path_;
  std::unique_ptr<SqliteStore> store_;
  Token token_;
};

Bench& bench() {
  static Bench the_one;
  return the_one;
}

// What the disk takes for a page, to compare with: nothing that is flushed can be quicker.
void bare_flush(benchmark::State& state) {
  const std::string path = (fs::temp_directory_path() / "tenure-bench-flush").string();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::string pages(4 << 20, 'x');
  bool good = ::pwrite(file, pages.data(), pages.size(), 0) == static_cast<ssize_t>(pages.size()) &&
              ::fsync(file) == 0;
  off_t page = 0;
  for (auto _ : state) {
    page = (page + 1) % 1'000;
    good = good && ::pwrite(file, pages.data(), 4'096, page * 4'096) == 4'096 && ::fdatasync(file) == 0;
  }
  if (!good) state.SkipWithError("cannot write");
  ::close(file);
  fs::remove(path);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bare_flush)->UseRealTime();

void renewal(benchmark::State& state) {
  Bench& store = bench();
  for (auto _ : state) store.renew();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(renewal)->UseRealTime();

// The target: 5k/s.
void single_fire(benchmark::State& state) {
  Bench& store = bench();
  std::vector<reference::Segment> due;
  for (auto _ : state) {
    if (due.empty()) {
      state.PauseTiming();
      due = store.due(1'000);
      state.ResumeTiming();
    }
    store.fire({due.back()});
    due.pop_back();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(single_fire)->UseRealTime();

// Read what is due, and fire it. The target: 100k/s.
void fires_in_batches(benchmark::State& state) {
  Bench& store = bench();
  const auto size = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) store.fire(store.due(size));
  state.SetItemsProcessed(state.iterations() * size);
}
BENCHMARK(fires_in_batches)->Arg(100)->Arg(1'000)->UseRealTime()->MinTime(3);

// The same with a relay that acknowledges each event: what goes on for ever.
void fires_that_are_delivered(benchmark::State& state) {
  Bench& store = bench();
  const auto size = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) store.ask(reference::AckEvents{kResource, store.fire(store.due(size))});
  state.SetItemsProcessed(state.iterations() * size);
}
BENCHMARK(fires_that_are_delivered)->Arg(1'000)->UseRealTime()->MinTime(3);

void due_query(benchmark::State& state) {
  Bench& store = bench();
  for (auto _ : state) benchmark::DoNotOptimize(store.due(1'000));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(due_query)->UseRealTime();

}  // namespace
}  // namespace tenure

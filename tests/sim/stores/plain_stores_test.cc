// The stores of plain designs: lease table, record, schedule table.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

#include "sim/stores/lease_table/lease_table_store.h"
#include "sim/stores/record/record_store.h"
#include "sim/stores/schedule_table/schedule_table_store.h"

namespace tenure {
namespace {

constexpr ResourceId kResource{1};
constexpr Duration kMicro = Duration::micros(1);

StoreTime at(std::int64_t seconds) { return StoreTime{} + Duration::seconds(seconds); }
Incarnation node(std::uint32_t number, std::uint32_t life = 1) { return {.node = {number}, .number = life}; }

template <class Machine, class MachineRequest, class MachineReply>
struct Under {
  Machine store;
  StoreTime now = at(1'000);

  template <class Expected, class Asked>
  Expected expect(const Asked& asked) {
    std::vector<Notification> heard;
    const Reply reply = store.apply(MachineRequest{asked}, now, heard);
    EXPECT_TRUE(heard.empty());
    const auto& own = *message_as<MachineReply>(reply);
    EXPECT_TRUE(std::holds_alternative<Expected>(own)) << "reply has index " << own.index();
    return std::holds_alternative<Expected>(own) ? std::get<Expected>(own) : Expected{};
  }
};

using LeaseTable = Under<lease_table::LeaseTableStore, lease_table::Request, lease_table::Reply>;
using Record = Under<record::RecordStore, record::Request, record::Reply>;
using ScheduleTable =
    Under<schedule_table::ScheduleTableStore, schedule_table::Request, schedule_table::Reply>;

TEST(LeaseTable, locks_for_the_first_and_refuses_others_through_the_very_end) {
  using namespace lease_table;
  LeaseTable table;
  const TryLock one{kResource, node(1), Duration::seconds(5)};
  const TryLock two{kResource, node(2), Duration::seconds(5)};
  EXPECT_EQ(table.expect<Locked>(one).expires_at, at(1'005));
  table.expect<NoRow>(two);
  table.now = at(1'005);
  table.expect<NoRow>(two);
  table.now += kMicro;
  EXPECT_EQ(table.expect<Locked>(two).expires_at, at(1'010) + kMicro);
  table.expect<NoRow>(one);
}

TEST(LeaseTable, writes_its_holders_row_always) {
  using namespace lease_table;
  LeaseTable table;
  table.expect<Locked>(TryLock{kResource, node(1), Duration::seconds(5)});
  table.now = at(1'002);
  EXPECT_EQ(table.expect<Locked>(TryLock{kResource, node(1), Duration::seconds(1)}).expires_at, at(1'003));
  table.now = at(2'000);
  EXPECT_EQ(table.expect<Locked>(TryLock{kResource, node(1), Duration::seconds(1)}).expires_at, at(2'001));
  table.now = at(500);
  EXPECT_EQ(table.expect<Locked>(TryLock{kResource, node(1), Duration::seconds(1)}).expires_at, at(501));
}

TEST(LeaseTable, compares_heartbeats_with_what_the_caller_says_is_stale) {
  using namespace lease_table;
  LeaseTable table;
  const auto wall = [](std::int64_t seconds) { return WallTime::from_ns(Duration::seconds(seconds).ns()); };
  const auto beat = [&](std::uint32_t who, std::int64_t now, std::int64_t stale) {
    return Beat{kResource, node(who), wall(now), wall(stale)};
  };
  EXPECT_EQ(table.expect<Locked>(beat(1, 100, 40)).expires_at, at(100));
  table.expect<NoRow>(beat(2, 160, 100));
  table.expect<Locked>(beat(2, 161, 101));
  // A renewal of one who no longer has the row, with a cutoff of now.
  table.expect<Locked>(beat(1, 162, 162));
  // A holder writes its row always, the past too.
  EXPECT_EQ(table.expect<Locked>(beat(1, 50, -10)).expires_at, at(50));
}

TEST(LeaseTable, tells_lives_and_resources_apart) {
  using namespace lease_table;
  LeaseTable table;
  table.expect<Locked>(TryLock{kResource, node(1, 1), Duration::seconds(5)});
  table.expect<NoRow>(TryLock{kResource, node(1, 2), Duration::seconds(5)});
  table.expect<Locked>(TryLock{{2}, node(1, 2), Duration::seconds(5)});
}

TEST(Record, is_created_once_and_then_read) {
  using namespace record;
  Record store;
  store.expect<NotFound>(Get{kResource});
  store.expect<Conflict>(Put{kResource, 1, {}});
  const WallTime acquired = WallTime::from_ns(Duration::seconds(1).ns());
  const LeaseRecord mine{node(1), Duration::seconds(15), 1, acquired, acquired + Duration::seconds(1)};
  const auto version = store.expect<Stored>(Put{kResource, 0, mine}).version;
  EXPECT_GT(version, 0U);
  store.expect<Conflict>(Put{kResource, 0, mine});
  const auto found = store.expect<Found>(Get{kResource});
  EXPECT_EQ(found.version, version);
  EXPECT_EQ(found.record, mine);
}

record::LeaseRecord held_by(Incarnation holder) { return {holder, {}, 0, {}, {}}; }

TEST(Record, is_written_only_over_the_version_that_was_read) {
  using namespace record;
  Record store;
  const auto first = store.expect<Stored>(Put{kResource, 0, held_by(node(1))}).version;
  const auto second = store.expect<Stored>(Put{kResource, first, held_by(node(2))}).version;
  EXPECT_GT(second, first);
  store.expect<Conflict>(Put{kResource, first, held_by(node(3))});
  EXPECT_EQ(store.expect<Found>(Get{kResource}).record.holder, node(2));
  EXPECT_GT(store.expect<Stored>(Put{{2}, 0, {}}).version, second) << "one counter for the store";
}

RC_GTEST_PROP(RecordProperty, stores_of_racing_writers_exactly_the_first,
              (std::vector<std::uint8_t> writers)) {
  using namespace record;
  Record store;
  std::uint64_t version = 0;
  std::vector<std::uint64_t> seen(4, 0);
  for (const std::uint8_t draw : writers) {
    std::uint64_t& view = seen[draw % 4];
    if (draw >= 128) {
      view = version;
      continue;
    }
    std::vector<Notification> heard;
    const tenure::Reply reply =
        store.store.apply(record::Request{Put{kResource, view, {}}}, store.now, heard);
    const auto* stored = std::get_if<Stored>(&*message_as<record::Reply>(reply));
    RC_ASSERT((stored != nullptr) == (view == version));
    if (stored == nullptr) continue;
    RC_ASSERT(stored->version > version);
    version = stored->version;
  }
}

schedule_table::PutRow put(std::uint32_t schedule, Duration period, StoreTime start, bool paused = false) {
  return {kResource, {schedule}, {.recurrence = Interval{start, period}, .misfire = {}, .paused = paused}};
}
std::vector<std::uint32_t> ids(const schedule_table::Runs& runs) {
  std::vector<std::uint32_t> found;
  for (const auto& row : runs.rows) found.push_back(row.schedule.value);
  return found;
}

TEST(ScheduleTable, reads_rows_that_are_due_earliest_first) {
  using namespace schedule_table;
  ScheduleTable table;
  table.expect<Written>(put(1, Duration::seconds(10), at(1'002)));
  table.expect<Written>(put(2, Duration::seconds(10), at(1'001)));
  table.expect<Written>(put(3, Duration::seconds(10), at(1'003)));
  table.expect<Written>(put(4, Duration::seconds(10), at(1'001), true));
  EXPECT_TRUE(ids(table.expect<Runs>(ReadRuns{kResource})).empty());
  table.now = at(1'002);
  EXPECT_EQ(ids(table.expect<Runs>(ReadRuns{kResource})), (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(ids(table.expect<Runs>(ReadRuns{kResource, 1})), (std::vector<std::uint32_t>{2}));
}

TEST(ScheduleTable, begins_with_the_first_slot_from_now_on) {
  using namespace schedule_table;
  ScheduleTable table;
  table.expect<Written>(put(1, Duration::seconds(7), at(0)));
  table.now = at(1'001);  // 143 * 7
  const auto runs = table.expect<Runs>(ReadRuns{kResource});
  ASSERT_EQ(runs.rows.size(), 1U);
  EXPECT_EQ(runs.rows[0].next_run, at(1'001));
}

TEST(ScheduleTable, sets_next_run_for_whoever_asks_and_knows_no_version) {
  using namespace schedule_table;
  ScheduleTable table;
  EXPECT_FALSE(table.expect<Written>(SetNextRun{kResource, {1}, at(0)}).found);
  table.expect<Written>(put(1, Duration::seconds(10), at(1'000)));
  EXPECT_TRUE(table.expect<Written>(SetNextRun{kResource, {1}, at(1'010)}).found);
  EXPECT_TRUE(ids(table.expect<Runs>(ReadRuns{kResource})).empty());
  table.expect<Written>(SetNextRun{kResource, {1}, at(990)});
  const auto runs = table.expect<Runs>(ReadRuns{kResource});
  ASSERT_EQ(runs.rows.size(), 1U);
  EXPECT_EQ(runs.rows[0].next_run, at(990));
}

TEST(ScheduleTable, replaces_and_deletes_rows) {
  using namespace schedule_table;
  ScheduleTable table;
  table.expect<Written>(put(1, Duration::seconds(10), at(1'000)));
  table.expect<Written>(put(1, Duration::seconds(10), at(1'005)));
  EXPECT_TRUE(ids(table.expect<Runs>(ReadRuns{kResource})).empty());
  table.now = at(1'005);
  EXPECT_EQ(ids(table.expect<Runs>(ReadRuns{kResource})).size(), 1U);
  EXPECT_TRUE(table.expect<Written>(DeleteRow{kResource, {1}}).found);
  EXPECT_FALSE(table.expect<Written>(DeleteRow{kResource, {1}}).found);
  EXPECT_TRUE(ids(table.expect<Runs>(ReadRuns{kResource})).empty());
}

TEST(ScheduleTable, never_reads_a_row_without_a_further_slot) {
  using namespace schedule_table;
  ScheduleTable table;
  table.expect<Written>(put(1, Duration::seconds(10), StoreTime::max()));
  table.now = StoreTime::max();
  EXPECT_TRUE(ids(table.expect<Runs>(ReadRuns{kResource})).empty());
}

}  // namespace
}  // namespace tenure

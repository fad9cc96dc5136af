// UNLOGGED tables: what a crash of Postgres and a failover leave of them.
#include <gtest/gtest.h>

#include "adapters/sql/sql_store.h"
#include "sim/stores/statements/requests.h"
#include "tests/adapters/sql/support.h"

namespace tenure::sql {
namespace {

TEST(UnloggedTables, lose_rows_and_numbers_in_a_crash_and_others_nothing) {
  Bench bench("CREATE UNLOGGED TABLE gone (id serial, n int); CREATE TABLE kept (id serial, n int)");
  const auto insert = [&](const char* table) {
    return bench.show(fmt::format("INSERT INTO {} (n) VALUES (1) RETURNING id", table));
  };
  for (const char* table : {"gone", "kept"}) EXPECT_EQ(insert(table), "id\n1\n(1)");
  bench.database->empty_unlogged_tables();
  EXPECT_EQ(bench.show("SELECT n FROM gone"), "n\n(0)");
  EXPECT_EQ(bench.show("SELECT n FROM kept"), "n\n1\n(1)");
  EXPECT_EQ(insert("gone"), "id\n1\n(1)");
  EXPECT_EQ(insert("kept"), "id\n2\n(1)");
}

TEST(UnloggedTables, are_empty_after_a_crash_and_on_a_promoted_replica) {
  std::string problem;
  const StoreKind* const kind = store_kind("CREATE UNLOGGED TABLE gone (n int)", problem);
  ASSERT_NE(kind, nullptr) << problem;
  const auto count = [](StoreMachine& machine, const char* sql) {
    std::vector<Notification> told;
    const Reply reply = machine.apply(Request{statements::Request{statements::Execute{{}, {{sql, {}}}}}},
                                      StoreTime{} + Duration::seconds(1), told);
    return std::get<statements::Executed>(*message_as<statements::Reply>(reply)).results.at(0).count;
  };
  for (const bool crashes : {true, false}) {
    const std::unique_ptr<StoreMachine> machine = kind->make();
    EXPECT_EQ(count(*machine, "INSERT INTO gone VALUES (1)"), 1);
    EXPECT_EQ(count(*machine, "SELECT n FROM gone"), 1);
    if (crashes)
      machine->crash();
    else
      machine->promote(2);
    EXPECT_EQ(count(*machine, "SELECT n FROM gone"), 0);
  }
}

}  // namespace
}  // namespace tenure::sql

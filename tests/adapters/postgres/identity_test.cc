// A connection that is made again finds the store that it had, or is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adapters/runtime/store_worker.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

// Databases are copies of one, and have its identity.
void draw_identity(const FreshDatabase& database) {
  EXPECT_EQ(Raw(database.connection()).ask("UPDATE tenure.meta SET identity = gen_random_uuid()"), "");
}

// Ends all connections to it, and gives it another name.
void rename(const std::string& from, const std::string& to) {
  Raw control("dbname=postgres");
  control.ask(fmt::format(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{}'", from));
  EXPECT_EQ(control.ask(fmt::format("ALTER DATABASE {} RENAME TO {}", from, to)), "");
}

TEST(PostgresIdentity, another_database_behind_the_same_name_is_refused) {
  const FreshDatabase first, second;
  draw_identity(first);
  draw_identity(second);
  const Connect connect =
      connect_with<PostgresStore>({.connection = first.connection(), .zones = &testing::few_zones()});
  auto opened = connect();
  ASSERT_FALSE(std::holds_alternative<OpenError>(opened));
  const auto& store = std::get<std::unique_ptr<StoreBackend>>(opened);
  EXPECT_EQ(store->identity().size(), 32u);
  EXPECT_EQ(store->identity(), first.open()->identity());
  EXPECT_NE(store->identity(), second.open()->identity());

  const reference::Request request = reference::ReadOutbox{kResource};
  rename(first.name(), "away");
  rename(second.name(), first.name());
  Answer answer;
  for (int i = 0; i < 2; ++i) answer = store->execute(request, kPatience);
  EXPECT_EQ(outcome(answer), "rejected: other store");
  EXPECT_NE(answer.message.find("this is not the same store as before"), std::string::npos) << answer.message;
  const auto again = connect();
  ASSERT_TRUE(std::holds_alternative<OpenError>(again));
  EXPECT_EQ(std::get<OpenError>(again).trouble, StoreError::other_store);

  rename(first.name(), second.name());
  rename("away", first.name());
  EXPECT_EQ(outcome(store->execute(request, kPatience)), "applied");
}

}  // namespace
}  // namespace tenure::pgtest

// Who listens to a file hears what others commit there.
#include "adapters/sqlite/listener.h"

#include "tests/adapters/sqlite/support.h"

namespace tenure {
namespace {

using namespace testing;

constexpr Incarnation kLeader{{1}, 1};
constexpr ResourceId kOther{2};

class SqliteListening : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/tenure.db";
};

Token lead(SqliteStore& store, ResourceId resource) {
  const Answer answer =
      store.execute(reference::Acquire{resource, kLeader, 0, 7, Duration::seconds(60)}, kSecond * 10);
  return std::get<reference::Granted>(answer.reply).token;
}

using What = Notification::What;

TEST_F(SqliteListening, hears_what_is_given_back_and_what_is_changed_and_of_which_resource) {
  const auto store = store_at(path);
  SqliteListener listener(path);
  EXPECT_TRUE(listener.wait(kSecond).missed) << "it begins to listen";
  const Token token = lead(*store, kOther);
  store->execute(reference::Renew{kOther, kLeader, token, Duration::seconds(60)}, kSecond * 10);
  EXPECT_TRUE(listener.wait(Duration{}).notifications.empty()) << "that concerns nobody";
  store->execute(reference::Release{kOther, kLeader, token}, kSecond * 10);
  const std::vector<Notification> freed{{What::lease_freed, kOther}};
  EXPECT_EQ(listener.wait(kSecond * 30).notifications, freed);
  store->execute(put(1), kSecond * 10);
  const std::vector<Notification> changed{{What::schedules_changed, kResource}};
  EXPECT_EQ(listener.wait(kSecond * 30).notifications, changed);
  EXPECT_TRUE(listener.wait(Duration::millis(50)).notifications.empty()) << "told once";
  const reference::TriggerSchedule trigger{kResource, {1}, 5, {}};
  store->execute(trigger, kSecond * 10);
  const std::vector<Notification> added{{What::events_added, kResource}};
  EXPECT_EQ(listener.wait(kSecond * 30).notifications, added);
  store->execute(trigger, kSecond * 10);
  EXPECT_TRUE(listener.wait(Duration::millis(50)).notifications.empty()) << "a run is added once";
}

TEST_F(SqliteListening, says_why_it_does_not_listen_and_begins_when_it_can) {
  SqliteListener listener(path);
  const std::string why = listener.wait(kSecond).trouble;
  EXPECT_NE(why.find("it was moved or deleted"), std::string::npos) << why;
  EXPECT_EQ(listener.wait(Duration{}).trouble, why) << "who asks too early hears it, too";
  const auto store = store_at(path);
  bool listens = false;
  for (int i = 0; i < 30 && !listens; ++i) listens = listener.wait(kSecond).missed;
  EXPECT_TRUE(listens);
}

}  // namespace
}  // namespace tenure

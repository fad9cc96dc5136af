// A streaming replica that lacks the last commits is promoted: who led by them is kept out.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "adapters/postgres/probe.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/postgres/port_kept.h"
#include "tests/support/temporary.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

// As the account that servers run under.
int as_server(const std::string& command) {
  const std::string quiet = command + " >/dev/null 2>&1";
  return std::system(
      (geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " + quiet : quiet).c_str());
}

class Replica {
 public:
  Replica() {
    namespace fs = std::filesystem;
    fs::permissions(folder_.path(), fs::perms::all);
    EXPECT_EQ(as_server("pg_basebackup -R -X stream -c fast -D " + data()), 0);
    std::ofstream(data() + "/postgresql.conf") << fmt::format(
        "listen_addresses = ''\nunix_socket_directories = '{}'\nport = 5499\nmax_connections = 60\n",
        folder_.path());
    std::ofstream(data() + "/pg_hba.conf") << "local all all trust\n";
    fs::permissions(data() + "/postgresql.conf", fs::perms::all);
    fs::permissions(data() + "/pg_hba.conf", fs::perms::all);
    start();
  }
  ~Replica() { stop(); }
  Replica(const Replica&) = delete;

  void start() { EXPECT_EQ(control("start -w"), 0); }
  void stop() { EXPECT_EQ(control("stop -w -m fast"), 0); }
  void promote() { EXPECT_EQ(control("promote -w"), 0); }
  std::string address() const { return fmt::format("host={} port=5499", folder_.path()); }

 private:
  std::string data() const { return folder_.path() + "/data"; }
  int control(const std::string& command) const {
    return as_server(
        fmt::format("/usr/lib/postgresql/15/bin/pg_ctl -D {} -l {}/log {}", data(), folder_.path(), command));
  }
  testing::TemporaryFolder folder_;
};

TEST(PostgresProbe, a_standby_is_refused_and_not_measured) {
  Replica replica;
  const ProbeOpened opened = postgres::open_probe(replica.address() + " dbname=postgres", kPatience);
  const auto* error = std::get_if<OpenError>(&opened);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->trouble, StoreError::read_only);
  EXPECT_NE(error->message.find("a standby, on which nothing can be committed"), std::string::npos)
      << error->message;
}

TEST(PostgresPromotion, a_term_that_the_new_primary_never_heard_of_can_write_nothing) {
  FreshDatabase database;
  Replica replica;
  const auto store = database.open();
  const auto grant = [&](PostgresStore& through, Incarnation holder, std::uint64_t epoch, std::uint64_t nonce,
                         Duration lease = kSecond * 3) {
    return through.execute(reference::Acquire{kResource, holder, epoch, nonce, lease}, kPatience);
  };
  const Token old = std::get<reference::Granted>(grant(*store, node(1), 0, 11).reply).token;
  // What is committed up to here, the replica has.
  Raw standby(database.connection() + " " + replica.address());
  for (int i = 0; i < 6'000 && standby.ask("SELECT count(*) FROM tenure.lease") != "1"; ++i) usleep(10'000);
  ASSERT_EQ(standby.ask("SELECT count(*) FROM tenure.lease"), "1");

  // A standby is refused in words.
  const auto refused = PostgresStore::open(
      {.connection = database.connection() + " " + replica.address(), .zones = &testing::few_zones()});
  EXPECT_EQ(std::get<OpenError>(refused).trouble, StoreError::read_only);

  // What comes now, it never hears of: another term, of the same number that the next grant over there will have.
  replica.stop();
  EXPECT_EQ(outcome(store->execute(reference::Release{kResource, node(1), old}, kPatience)), "applied");
  const Token lost = std::get<reference::Granted>(grant(*store, node(2), 1, 22).reply).token;
  const PortKept port_kept;
  ASSERT_EQ(std::system("pg_ctlcluster 15 regress stop -m immediate >/dev/null 2>&1"), 0);
  replica.start();
  replica.promote();

  {
    auto opened = PostgresStore::open(
        {.connection = database.connection() + " " + replica.address(), .zones = &testing::few_zones()});
    const auto* error = std::get_if<OpenError>(&opened);
    EXPECT_EQ(error, nullptr) << error->message;
    auto& surviving = *std::get<std::unique_ptr<PostgresStore>>(opened);
    const auto writes = [&](Incarnation holder, const Token& token) {
      const Answer answer =
          surviving.execute(reference::CommitFires{kResource, holder, token, {}}, kPatience);
      return std::holds_alternative<reference::Committed>(answer.reply);
    };
    EXPECT_FALSE(writes(node(1), old));
    EXPECT_FALSE(writes(node(2), lost));
    // The first acquire adopts the lease, and waits for all that was promised.
    const auto adopted = std::get<reference::Refused>(grant(surviving, node(3), 1, 33).reply);
    EXPECT_EQ(adopted.why, reference::Denial::other_branch);
    usleep(static_cast<useconds_t>(adopted.remaining.ns() / 1'000));
    const Token next = std::get<reference::Granted>(grant(surviving, node(3), 1, 33, kPatience).reply).token;
    EXPECT_EQ(next.epoch, lost.epoch);
    EXPECT_TRUE(lost.older_than(next));
    EXPECT_FALSE(writes(node(2), lost));
    EXPECT_TRUE(writes(node(3), next));
    Raw user(database.connection() + " " + replica.address());
    EXPECT_EQ(user.ask("SELECT tenure.assert_epoch(1, 2, 22)"), "!TN001");
    EXPECT_EQ(user.ask("SELECT tenure.assert_epoch(1, 2, 33)"), "");
  }
  ASSERT_EQ(std::system("pg_ctlcluster 15 regress start >/dev/null 2>&1"), 0);
}

}  // namespace
}  // namespace tenure::pgtest

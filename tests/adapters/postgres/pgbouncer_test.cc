// A pool that hands out one server connection for a transaction.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/adapters/postgres/cluster.h"
#include "tests/support/temporary.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// pgbouncer on a socket in a folder of its own, with one server connection for everybody.
class Bouncer {
 public:
  explicit Bouncer(const FreshDatabase& database) {
    namespace fs = std::filesystem;
    fs::permissions(folder_.path(), fs::perms::all);  // it gives up the rights of root
    const std::string port = environment("PGPORT").empty() ? "5432" : environment("PGPORT");
    std::ofstream(folder_.path() + "/pgbouncer.ini") << fmt::format(
        "[databases]\n{0} = host=localhost port={1} dbname={0} user={2} password={3}\n[pgbouncer]\n"
        "listen_addr =\nunix_socket_dir = {4}\nlisten_port = 6432\nauth_type = any\n"
        "pool_mode = transaction\ndefault_pool_size = 1\nlogfile = {4}/log\n",
        database.name(), port, environment("PGUSER"), environment("PGPASSWORD"), folder_.path());
    const std::string file = folder_.path() + "/pgbouncer.ini";
    process_ = fork();
    if (process_ == 0) {
      if (geteuid() == 0)
        execl("/usr/sbin/pgbouncer", "pgbouncer", "-q", "-u", "postgres", file.c_str(), nullptr);
      else
        execl("/usr/sbin/pgbouncer", "pgbouncer", "-q", file.c_str(), nullptr);
      _exit(127);
    }
    for (int i = 0; i < 6'000 && !is_reached(); ++i) usleep(10'000);
  }
  ~Bouncer() {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  Bouncer(const Bouncer&) = delete;

  std::string address() const { return fmt::format("host={} port=6432", folder_.path()); }

 private:
  // The socket is there a moment before anyone listens at it.
  bool is_reached() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_.path() + "/.s.PGSQL.6432";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    return is;
  }

  testing::TemporaryFolder folder_;
  pid_t process_ = -1;
};

TEST(PostgresPool, stores_that_share_one_server_connection_do_not_disturb_one_another) {
  const FreshDatabase database;
  const Bouncer bouncer(database);
  const auto open = [&] {
    auto opened = PostgresStore::open({.connection = database.connection() + " " + bouncer.address(),
                                       .zones = &testing::few_zones(),
                                       .pooled = true});
    if (const auto* error = std::get_if<OpenError>(&opened)) throw std::runtime_error(error->message);
    return std::move(std::get<std::unique_ptr<PostgresStore>>(opened));
  };
  const auto one = open();
  const auto two = open();
  const Duration second = Duration::seconds(1);
  std::uint64_t epoch = 0;
  for (std::uint32_t life = 1; life <= 20; ++life) {
    auto& store = *(life % 2 == 0 ? one : two);
    auto& other = *(life % 2 == 0 ? two : one);
    const Answer acquired =
        store.execute(reference::Acquire{kResource, node(1, life), epoch, life, second * 60}, kPatience);
    const auto* granted = std::get_if<reference::Granted>(&acquired.reply);
    ASSERT_NE(granted, nullptr) << acquired.message;
    EXPECT_EQ(granted->token.epoch, ++epoch);
    const Answer put = other.execute(
        reference::PutSchedule{kResource, {life}, 0, {.recurrence = Interval{StoreTime{}, second}}},
        kPatience);
    EXPECT_EQ(outcome(put), "applied") << put.message;
    EXPECT_EQ(outcome(other.execute(reference::Release{kResource, node(1, life), granted->token}, kPatience)),
              "applied");
  }
  // A lock that is waited for in vain, and the next one has the server connection in good order.
  Raw stalled(database.connection());
  stalled.ask("BEGIN; SELECT 1 FROM tenure.lease FOR UPDATE");
  EXPECT_EQ(outcome(answer_of_the_server(*one, reference::Acquire{kResource, node(2), epoch, 99, second})),
            "rejected: busy");
  EXPECT_EQ(outcome(two->execute(reference::ReadOutbox{kResource, 1, 0}, kPatience)), "applied");
}

}  // namespace
}  // namespace tenure::pgtest

#include "tests/adapters/postgres/cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/zones.h"

namespace tenure::pgtest {

Raw::Raw(const std::string& connection) : connection_(PQconnectdb(connection.c_str()), PQfinish) {
  PQsetNoticeReceiver(
      connection_.get(), [](void*, const PGresult*) {}, nullptr);
  EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
}

std::string Raw::ask(const std::string& sql) {
  send(sql);
  return receive();
}

void Raw::send(const std::string& sql) { PQsendQuery(connection_.get(), sql.c_str()); }

std::string Raw::receive() {
  std::string answer;
  while (PGresult* result = PQgetResult(connection_.get())) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const bool failed = PQresultStatus(result) == PGRES_FATAL_ERROR;
    if (failed)
      answer = fmt::format("!{}", state == nullptr ? "lost" : state);
    else if (PQntuples(result) > 0 && PQnfields(result) > 0)
      answer = PQgetvalue(result, 0, 0);
    PQclear(result);
  }
  return answer;
}

int Raw::backend() const { return PQbackendPID(connection_.get()); }

namespace {

constexpr const char* kTemplate = "tenure_template";

// Made once: a copy is quicker than a migration.
void make_template() {
  static const bool made = [] {
    Raw control("dbname=postgres");
    control.ask(fmt::format("CREATE DATABASE {}", kTemplate));
    const auto opened = PostgresStore::open({.connection = fmt::format("dbname={}", kTemplate),
                                             .zones = &testing::few_zones(),
                                             .timeout = kPatience});
    const auto* error = std::get_if<OpenError>(&opened);
    EXPECT_EQ(error, nullptr) << error->message;
    return true;
  }();
  EXPECT_TRUE(made);
}

}  // namespace

FreshDatabase::FreshDatabase() {
  static int count = 0;
  make_template();
  name_ = fmt::format("tenure_test_{}", ++count);
  Raw control("dbname=postgres");
  EXPECT_EQ(control.ask(fmt::format("CREATE DATABASE {} TEMPLATE {}", name_, kTemplate)), "");
}

FreshDatabase::~FreshDatabase() {
  control_.reset();
  if (clock_ >= 0) {
    close(clock_);
    unlink(clock_path().c_str());
  }
  Raw("dbname=postgres").ask(fmt::format("DROP DATABASE {} WITH (FORCE)", name_));
}

std::unique_ptr<PostgresStore> FreshDatabase::open(bool pooled) const {
  auto opened = PostgresStore::open(
      {.connection = connection(), .zones = &testing::few_zones(), .timeout = kPatience, .pooled = pooled});
  if (const auto* error = std::get_if<OpenError>(&opened)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<PostgresStore>>(opened));
}

// The clock is a file, and not a table: conformance sets it before each of a hundred thousand requests, and another
// round trip for that took half of its time. The branch, which hardly ever changes, is a sequence. It is not read by
// SELECT FROM: that is a sequential scan, which the requests' enable_seqscan = off makes so dear that the server
// compiles it, for 20 ms each time.
void FreshDatabase::own_clock() {
  control_ = std::make_unique<Raw>(connection());
  clock_ = ::open(clock_path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  EXPECT_EQ(fchmod(clock_, 0644), 0);  // the server is another user
  set_clock(StoreTime{});
  EXPECT_EQ(control_->ask(
                fmt::format("CREATE SEQUENCE public.branch;"
                            "CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE"
                            " AS $$ SELECT pg_read_file('{}')::bigint $$;"
                            "CREATE OR REPLACE FUNCTION tenure.branch() RETURNS bigint LANGUAGE sql VOLATILE"
                            " AS $$ SELECT coalesce(pg_sequence_last_value('public.branch'), 1) $$",
                            clock_path())),
            "");
}

// Always as many characters: what is written over what was there is never a part of either.
void FreshDatabase::set_clock(StoreTime now) {
  const std::string text = fmt::format("{:020}", now.ns() / 1'000);
  EXPECT_EQ(pwrite(clock_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

std::string FreshDatabase::clock_path() const {
  return (std::filesystem::temp_directory_path() / fmt::format("tenure-clock-{}-{}", getpid(), name_))
      .string();
}

void FreshDatabase::set_branch(std::uint32_t branch) {
  EXPECT_NE(control_->ask(fmt::format("SELECT setval('public.branch', {})", branch)).front(), '!');
}

Answer answer_of_the_server(StoreBackend& store, const reference::Request& request) {
  Answer answer = store.execute(request, kSecond);
  for (Duration timeout = kSecond * 2; timeout < kPatience && answer.outcome == RequestOutcome::unknown;
       timeout = timeout * 2)
    answer = store.execute(request, timeout);
  return answer;
}

loopback::ServerAddress server_address() {
  const char* port = std::getenv("PGPORT");
  return {.port = static_cast<std::uint16_t>(port == nullptr ? 5432 : std::atoi(port))};
}

std::string through(const loopback::TcpProxy& proxy) {
  return fmt::format("host=127.0.0.1 port={} sslmode=disable gssencmode=disable", proxy.port());
}

std::string outcome(const Answer& answer) {
  if (answer.outcome == RequestOutcome::applied) return "applied";
  return (answer.outcome == RequestOutcome::rejected ? "rejected: " : "unknown: ") +
         std::string(name_of(answer.trouble));
}

}  // namespace tenure::pgtest

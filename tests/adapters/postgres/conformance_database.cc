#include "tests/adapters/postgres/conformance_database.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace tenure::conformance {
namespace {

// Tells the database the time before each request.
class Clocked final : public StoreBackend {
 public:
  Clocked(std::unique_ptr<StoreBackend> store, std::function<void()> tell)
      : store_(std::move(store)), tell_(std::move(tell)) {}

  Answer execute(const reference::Request& request, Duration timeout) override {
    tell_();
    return store_->execute(request, timeout);
  }
  std::optional<StoreAudit> audit(ResourceId resource) override { return store_->audit(resource); }

 private:
  std::unique_ptr<StoreBackend> store_;
  std::function<void()> tell_;
};

}  // namespace

std::unique_ptr<StoreBackend> PostgresDatabase::connect(std::function<StoreTime()> clock) {
  return wrap([this, clock = std::move(clock)] { database_.set_clock(clock()); });
}

std::unique_ptr<StoreBackend> PostgresDatabase::connect_beside_others(std::function<StoreTime()> clock,
                                                                      ClockGoes goes) {
  if (!std::exchange(ticks_, true)) {
    const std::int64_t begin = clock().ns() / 1'000;
    EXPECT_EQ(pgtest::Raw(database_.connection())
                  .ask(fmt::format(
                      "CREATE SEQUENCE public.reading MINVALUE 0;"
                      "CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE sql VOLATILE"
                      " AS $$ SELECT {} + n * 9973 - CASE WHEN {} AND n % 400 >= 200 THEN 3000000 ELSE 0 END"
                      " FROM (SELECT nextval('public.reading') AS n) r $$",
                      begin, goes == ClockGoes::up_and_back)),
              "");
  }
  return wrap([clock = std::move(clock)] { clock(); });
}

bool PostgresDatabase::promote(std::uint32_t branch) {
  database_.set_branch(branch);
  return true;
}

std::shared_ptr<void> PostgresDatabase::stalled_writer() {
  auto stalled = std::make_shared<pgtest::Raw>(database_.connection());
  EXPECT_EQ(stalled->ask("BEGIN; LOCK TABLE tenure.lease, tenure.head IN EXCLUSIVE MODE"), "");
  return stalled;
}

std::shared_ptr<void> PostgresDatabase::killer() {
  const std::shared_ptr<pgtest::Raw> killer(new pgtest::Raw(database_.connection()), [](pgtest::Raw* raw) {
    raw->receive();
    delete raw;
  });
  // It waits by itself until each process is gone: pg_terminate_backend() looks for that every 100 ms.
  killer->send(
      "DO $$ DECLARE v int; BEGIN"
      " FOR v IN SELECT pid FROM pg_stat_activity"
      " WHERE datname = current_database() AND application_name = 'tenure' LOOP"
      " PERFORM pg_terminate_backend(v);"
      " WHILE (pg_stat_file('/proc/' || v, true)).isdir LOOP PERFORM pg_sleep(0.001); END LOOP;"
      " END LOOP; END $$");
  // After the request, in the middle of it or before it: a request takes less time than the server needs to begin
  // with this.
  usleep(static_cast<useconds_t>(kills_++ % 20 * 100));
  return killer;
}

std::unique_ptr<StoreBackend> PostgresDatabase::wrap(std::function<void()> tell) {
  pooled_ = !pooled_;  // with prepared statements and without
  auto store = database_.open(pooled_);
  if (store == nullptr) return nullptr;
  return std::make_unique<Clocked>(std::move(store), std::move(tell));
}

}  // namespace tenure::conformance

// A Postgres database for tests/adapters/conformance.
//
// Thread rule: as conformance::Database.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tests/adapters/conformance/engines.h"
#include "tests/adapters/postgres/cluster.h"

namespace tenure::conformance {

class PostgresDatabase : public Database {
 public:
  PostgresDatabase() { database_.own_clock(); }

  std::unique_ptr<StoreBackend> connect(std::function<StoreTime()> clock) override;
  // It counts its own readings, at the pace of the test's own clock, which here only clients look at.
  std::unique_ptr<StoreBackend> connect_beside_others(std::function<StoreTime()> clock,
                                                      ClockGoes goes) override;
  bool promote(std::uint32_t branch) override;
  std::shared_ptr<void> stalled_writer() override;
  std::shared_ptr<void> killer() override;
  Duration patience() const override { return Duration::millis(400); }
  bool reads_the_clock_itself() const override { return false; }

 protected:
  pgtest::FreshDatabase database_;

 private:
  std::unique_ptr<StoreBackend> wrap(std::function<void()> tell);

  bool pooled_ = false;
  int kills_ = 0;
  bool ticks_ = false;
};

}  // namespace tenure::conformance

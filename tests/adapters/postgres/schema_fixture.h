// A database with the tables of Tenure, looked at from SQL, and its owner.
//
// Thread rule: one thread.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/schedule/definition.h"
#include "tests/adapters/postgres/cluster.h"

namespace tenure::pgtest {

class PostgresSchema : public ::testing::Test {
 protected:
  // All that is stored.
  std::string contents() {
    std::string all;
    for (const char* table : {"meta", "lease", "head", "schedule", "segment", "exception", "change", "outbox",
                              "run", "payload", "dead", "waiting", "ended", "history", "node"})
      all += owner_.ask(fmt::format(
          "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM tenure.{} t", table));
    return all;
  }
  Token lead() {
    const auto store = database_.open();
    const Answer answer =
        store->execute(reference::Acquire{kResource, node(1), 0, 7, Duration::minutes(10)}, kPatience);
    const Definition definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
    EXPECT_EQ(outcome(store->execute(reference::PutSchedule{kResource, {1}, 0, definition}, kPatience)),
              "applied");
    return std::get<reference::Granted>(answer.reply).token;
  }
  std::string as(const std::string& role) const {
    return fmt::format("{} user={} password=pw host=localhost", database_.connection(), role);
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
};

}  // namespace tenure::pgtest

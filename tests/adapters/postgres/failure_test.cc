// What is made of a failure: the one thing that must never be said is that something was not done that may have been.
#include "adapters/postgres/failure.h"

#include <gtest/gtest.h>

#include "tests/adapters/postgres/cluster.h"

namespace tenure::postgres {
namespace {

std::string fate(PostgresStage stage, const std::string& code) {
  return pgtest::outcome(answer_of({stage, code, "words\nof the server\n"}, "host:5432/db"));
}

TEST(PostgresFailure, before_anything_was_sent_a_request_is_rejected_whatever_the_cause) {
  EXPECT_EQ(fate(PostgresStage::before, ""), "rejected: unreachable");
  EXPECT_EQ(fate(PostgresStage::before, "57P01"), "rejected: unreachable");
  EXPECT_EQ(fate(PostgresStage::before, "08006"), "rejected: unreachable");
  EXPECT_EQ(fate(PostgresStage::before, "57P03"), "rejected: unreachable");
  EXPECT_EQ(fate(PostgresStage::before, "53300"), "rejected: busy");
  EXPECT_EQ(fate(PostgresStage::before, "55000"), "rejected: unreachable");
  EXPECT_EQ(fate(PostgresStage::before, "28P01"), "rejected: not permitted");
  EXPECT_EQ(fate(PostgresStage::before, "3D000"), "rejected: unreachable");
  EXPECT_EQ(fate(PostgresStage::before, "99999"), "rejected: failed");
  EXPECT_EQ(fate(PostgresStage::before, kWrongWords), "rejected: failed");
}

TEST(PostgresFailure, an_error_that_the_server_answered_with_is_a_rejection_unless_it_cannot_tell_itself) {
  EXPECT_EQ(fate(PostgresStage::answered, "40001"), "rejected: busy");
  EXPECT_EQ(fate(PostgresStage::answered, "40P01"), "rejected: busy");
  EXPECT_EQ(fate(PostgresStage::answered, "55P03"), "rejected: busy");
  EXPECT_EQ(fate(PostgresStage::answered, "57014"), "rejected: busy");
  EXPECT_EQ(fate(PostgresStage::answered, "53100"), "rejected: full");
  EXPECT_EQ(fate(PostgresStage::answered, "25006"), "rejected: read only");
  EXPECT_EQ(fate(PostgresStage::answered, "55000"), "rejected: read only");
  EXPECT_EQ(fate(PostgresStage::answered, "42501"), "rejected: not permitted");
  EXPECT_EQ(fate(PostgresStage::answered, "42883"), "rejected: wrong schema");
  EXPECT_EQ(fate(PostgresStage::answered, "XX001"), "rejected: corrupt");
  EXPECT_EQ(fate(PostgresStage::answered, "99999"), "rejected: failed");
  EXPECT_EQ(fate(PostgresStage::answered, "40003"), "unknown: lost");
  EXPECT_EQ(fate(PostgresStage::answered, "08007"), "unknown: lost");
  EXPECT_EQ(fate(PostgresStage::answered, "57P01"), "unknown: lost");
}

TEST(PostgresFailure, once_sent_and_not_settled_everything_is_unknown) {
  for (const char* code : {"", "57P01", "57P02", "53100", "40001", "25006", "99999"})
    EXPECT_EQ(fate(PostgresStage::lost, code), "unknown: lost") << code;
}

TEST(PostgresFailure, words_name_the_place_the_cause_and_what_the_server_said) {
  EXPECT_EQ(open_error_of({PostgresStage::before, "3D000", "FATAL:  3D000\n"}, "h:1/db").message,
            "h:1/db: there is no such database (Postgres: FATAL:  3D000)");
  EXPECT_EQ(
      open_error_of({PostgresStage::before, "55000", "FATAL:  55000\n"}, "h:1/db").message,
      "h:1/db: the database takes no connections for now (ALTER DATABASE … ALLOW_CONNECTIONS) (Postgres: "
      "FATAL:  55000)");
}

}  // namespace
}  // namespace tenure::postgres

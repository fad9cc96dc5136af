// What statements leave open.
#include "adapters/sql/warnings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenure::sql {
namespace {

const std::vector<std::string> kLimit = {"LIMIT without ORDER BY: it is not said which rows it takes"};
const std::vector<std::string> kNone = {};

TEST(Warnings, are_of_a_limit_without_an_order) {
  EXPECT_EQ(warnings_of("SELECT id FROM jobs LIMIT 5"), kLimit);
  EXPECT_EQ(warnings_of("SELECT id FROM jobs WHERE due <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED"), kLimit)
      << "whether or not our own engine runs it";
  EXPECT_EQ(warnings_of("UPDATE jobs SET n = 1 WHERE id IN (SELECT id FROM jobs WHERE n = ? LIMIT ?)"),
            kLimit);
  EXPECT_EQ(warnings_of("WITH due AS (SELECT id FROM jobs OFFSET 1) SELECT id FROM due LIMIT 1"), kLimit)
      << "told once";
  EXPECT_EQ(warnings_of("SELECT id FROM jobs ORDER BY id LIMIT 5"), kNone);
  EXPECT_EQ(warnings_of("SELECT id FROM jobs WHERE EXISTS (SELECT 1 FROM locks LIMIT 1)"), kNone);
  EXPECT_EQ(warnings_of("SELECT id FROM jobs"), kNone);
}

TEST(Warnings, are_of_an_update_that_may_take_one_of_several_rows) {
  EXPECT_EQ(warnings_of("UPDATE jobs SET n = l.n FROM locks AS l WHERE l.name = jobs.name").size(), 1U);
  EXPECT_EQ(warnings_of("UPDATE jobs SET n = 1"), kNone);
}

TEST(Warnings, are_of_sql_alone) {
  for (const char* text : {"", "n1#1", "SELECT LIMIT", "LIMIT 5", "the limit 5 is set", "SELECT $1, ?"})
    EXPECT_EQ(warnings_of(text), kNone) << text;
}

TEST(Warnings, are_of_whole_statements_that_do_not_parse) {
  EXPECT_EQ(warnings_of("\n  SELECT id FORM jobs").size(), 1U);
  EXPECT_EQ(warnings_of("SELECT id FROM jobs WHERE "), kNone) << "a program may put the rest behind it";
  EXPECT_EQ(warnings_of("SELECT id FROM %s JOBS x y"), kNone);
}

}  // namespace
}  // namespace tenure::sql

// A schedule in a body: read as it is shown.

#include "daemon/api/schedule_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "daemon/api/openapi.h"
#include "tests/support/each_field.h"

namespace tenure::daemon {
namespace {

std::optional<ScheduleBody> read(const Json& body, std::string& problems) {
  std::vector<FieldError> errors;
  auto read = read_schedule(body, "", "s", testing::few_zones(), {"crm"}, {}, errors);
  for (const FieldError& error : errors) problems += error.pointer + " " + error.message + "\n";
  return read;
}

Json shown(const Definition& definition) {
  reference::NamedSchedule schedule;
  schedule.name = "s";
  schedule.definition = definition;
  return json_of(schedule, testing::kFirstSlot, {});
}

TEST(ScheduleJson, has_each_field_as_it_is_read) {
  for (const Definition& said : testing::each_field_said()) {
    if (said.delivery.kind == Delivery::Kind::work || said.paused) continue;  // other requests say so
    const Json body = shown(said);
    std::string problems;
    const auto back = read(body, problems);
    ASSERT_TRUE(back) << dump(body) << problems;
    EXPECT_EQ(back->definition, said) << dump(body);
  }
}

TEST(ScheduleJson, says_nothing_of_what_is_usual) {
  for (const Json& body : {Json{{"every", "1s"}}, Json{{"every", "1s"}, {"destination", "crm"}},
                           Json{{"cron", "0 9 * * MON"}}}) {
    std::string problems;
    const auto back = read(body, problems);
    ASSERT_TRUE(back) << problems;
    Json again = shown(back->definition);
    again.erase("name");
    again.erase("status");
    EXPECT_EQ(again, body);
  }
}

TEST(OpenApi, has_each_field_of_a_schedule_as_the_documentation_has) {
  std::ifstream page(TENURE_SOURCE_DIR "/docs/daemon.md");
  std::stringstream text;
  text << page.rdbuf();
  const Json document = Json::parse(openapi_document());
  for (const ScheduleField& field : schedule_fields()) {
    for (const char* schema : {"Schedule", "Item"})
      EXPECT_EQ(document["components"]["schemas"][schema]["properties"].contains(field.name), field.in_api)
          << field.name;
    if (!field.in_api) continue;
    EXPECT_NE(text.str().find("`" + std::string(field.name) + "`"), std::string::npos)
        << field.name << ": docs/daemon.md, \"A schedule\"";
  }
}

}  // namespace
}  // namespace tenure::daemon

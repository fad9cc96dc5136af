// What events carry in a whole run: how schedules come by it, and that it reaches the store, and the trace.
#include "sim/world/payloads.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/trackers/applied.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim::payloads_tests {
namespace {

constexpr ScheduleId kCreated{1};  // after the one of small()

struct Watch : Observer {
  std::uint32_t wants() const override { return record_mask<Applied>(); }
  void see(TrueTime, const Record& record) override {
    const auto& applied = std::get<Applied>(record);
    if (const auto* put = reference_request<reference::PutNamed>(applied.request)) {
      const auto* edited = reference_reply<reference::NamedEdited>(applied.reply);
      if (edited != nullptr) payloads[edited->edition.schedule] = put->payload;
    }
    const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
    const auto* asked = reference_request<reference::ClaimExecutions>(applied.request);
    if (claimed == nullptr) return;
    for (const reference::Execution& each : claimed->executions)
      given[each.token.event.schedule].push_back({asked->topic, each.version});
  }
  struct Given {
    std::string topic;
    std::uint32_t version;
  };
  std::map<ScheduleId, reference::Payload> payloads;  // the last that was put
  std::map<ScheduleId, std::vector<Given>> given;
};

std::string with_schedule(const std::string& payload) {
  return small("[[schedule]]\nname = \"orders\"\nevery = \"1s\"\ndelivery = \"pull\"\n" + payload +
               "[[worker]]\nname = \"mailer\"\nconcurrent = 5\n");
}

// A client creates a schedule, for the workers of a topic.
std::string with_creation(const std::string& more) {
  return small(
      "[[worker]]\nname = \"mailer\"\ntopic = \"mail\"\nconcurrent = 5\n"
      "[[change]]\nat = \"30s\"\naction = \"create\"\nschedule = \"letters\"\nevery = \"1s\"\n"
      "delivery = \"pull\"\ntopic = \"mail\"\ntype = \"letter\"\npayload_bytes = 500\n" +
      more);
}

TEST(Payloads, are_JSON_of_the_size_that_was_asked_for) {
  EXPECT_EQ(data_of(0), "");
  EXPECT_EQ(data_of(1), "0");
  EXPECT_EQ(data_of(2), "\"\"");
  EXPECT_EQ(data_of(65'536).size(), 65'536u);
  EXPECT_EQ(data_of(5), "\"...\"");
}

TEST(Payloads, of_every_size_reach_the_store_and_the_trace) {
  std::set<std::uint64_t> hashes;
  for (const char* payload : {"", "payload_bytes = 1\n", "payload_bytes = 65536\n", "type = \"order\"\n"}) {
    const RunResult result = run(parsed(with_schedule(payload)), 1);
    EXPECT_EQ(result.verdict, Verdict::pass) << payload;
    hashes.insert(result.trace_hash);
  }
  EXPECT_EQ(hashes.size(), 4u);
  Watch watch;
  run(parsed(with_creation("")), 1, {.trace = &watch});
  const reference::Payload& payload = watch.payloads[kCreated];
  EXPECT_EQ(payload.topic, "mail");
  EXPECT_EQ(payload.type, "letter");
  EXPECT_EQ(payload.data.size(), 500u);
}

TEST(Payloads, of_a_schedule_that_a_client_creates_are_there_before_anything_fires) {
  for (const char* lost :
       {"", "[[fault]]\nat = \"29s\"\naction = \"store-ack-lost\"\nrate = 0.7\nduration = \"20s\"\n",
        "[[fault]]\nat = \"29s\"\naction = \"store-slow\"\nlatency = \"2s\"\nduration = \"20s\"\n"}) {
    Watch watch;
    const RunResult result = run(parsed(with_creation(lost)), 1, {.trace = &watch});
    EXPECT_NE(result.verdict, Verdict::fail) << lost;
    EXPECT_GT(watch.given[kCreated].size(), 60u) << lost;
    for (const Watch::Given& each : watch.given[kCreated]) {
      EXPECT_EQ(each.topic, "mail");
      EXPECT_GT(each.version, kVersionWithPayload);
    }
  }
}

TEST(Payloads, that_a_failover_has_lost_come_back_with_the_next_edit) {
  Watch watch;
  const RunResult result =
      run(parsed(with_creation(
              "[[change]]\nat = \"60s\"\naction = \"update\"\nschedule = \"letters\"\nevery = \"2s\"\n"
              "[[fault]]\nat = \"35s\"\naction = \"store-failover\"\nlag = \"10s\"\n")),
          1, {.trace = &watch});
  EXPECT_NE(result.verdict, Verdict::fail);
  ASSERT_GT(watch.given[kCreated].size(), 20u);
  EXPECT_EQ(watch.given[kCreated].back().topic, "mail");
}

}  // namespace
}  // namespace tenure::sim::payloads_tests

// Destinations in a whole run: what each of them has had.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

// How the requests for each event came to each destination.
struct Landings : Observer {
  void see(TrueTime, const Record& record) override {
    if (const auto* landed = std::get_if<DeliveryArrived>(&record))
      if (landed->landing == DeliveryOutcome::begun) ++begun[{landed->item.event, landed->item.destination}];
  }
  std::map<std::pair<reference::EventId, std::string>, int> begun;
};

// One has done it, and the failover loses the edit by which it went there: the other one has never had it.
TEST(Destinations, each_remembers_what_it_has_had_and_not_what_others_have) {
  Landings landings;
  run(parsed("format = 1\nname = \"test\"\n[sim]\nseed = 1\nduration = \"2m\"\ntail = \"5m\"\n"
             "[cluster]\ninstances = 2\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
             "[[destination]]\nname = \"crm\"\nlatency = \"20ms\"\n"
             "[[destination]]\nname = \"erp\"\nlatency = \"20ms\"\n"
             "[[schedule]]\nname = \"orders\"\nevery = \"12s\"\ndestination = \"crm\"\n"
             "[[change]]\nat = \"23.6s\"\naction = \"update\"\nschedule = \"orders\"\ndestination = \"erp\"\n"
             "[[fault]]\nat = \"23.5s\"\naction = \"store-failover\"\nlag = \"1s\"\n"),
      1, {.trace = &landings});
  std::map<reference::EventId, int> at_both;
  for (const auto& [where, count] : landings.begun) {
    EXPECT_EQ(count, 1) << "at " << where.second;
    ++at_both[where.first];
  }
  int moved = 0;
  for (const auto& [event, places] : at_both)
    if (places == 2) ++moved;
  EXPECT_EQ(moved, 1);
}

}  // namespace
}  // namespace tenure::sim

// What the trace hash can tell apart: two runs that differ in one word anywhere are two runs.
#include "sim/world/digest.h"

#include <gtest/gtest.h>

namespace tenure::sim {
namespace {

TEST(Digest, tells_messages_apart_by_their_kind_and_by_each_of_their_words) {
  const Message message{"token", {1, 2}};
  EXPECT_EQ(digest(message), digest(Message{"token", {1, 2}}));
  EXPECT_NE(digest(message), digest(Message{"claim", {1, 2}}));
  EXPECT_NE(digest(message), digest(Message{"token", {7, 2}}));
  EXPECT_NE(digest(message), digest(Message{"token", {1, 7}}));
  EXPECT_NE(digest(message), digest(Message{"token", {2, 1}}));
  EXPECT_NE(digest(message), digest(Message{"token", {1, 2, 0}}));
}

// Two manual runs that are asked for at one moment differ in nothing but their number.
TEST(Digest, tells_the_work_of_one_manual_run_from_that_of_another) {
  const auto landed = [](std::uint64_t run) {
    WorkItem item;
    item.event = {ScheduleId{1}, StoreTime{} + Duration::seconds(5), run};
    return digest(Record{WorkArrived{Incarnation{NodeId{0}, 1}, item, DeliveryOutcome::begun, StoreTime{}}});
  };
  EXPECT_EQ(landed(1), landed(1));
  EXPECT_NE(landed(1), landed(2));
  EXPECT_NE(landed(0), landed(1));
}

// What was once left out: each of these fields was added to a reply after its digest was written.
TEST(Digest, covers_every_field_of_a_reply) {
  const auto of = [](auto reply) { return digest(Reply{reference::Reply{reply}}); };
  EXPECT_NE(of(reference::Edited{1, 2, StoreTime{}}),
            of(reference::Edited{1, 2, StoreTime{} + Duration::seconds(1)}));
  reference::Due due;
  reference::Due of_another_branch;
  of_another_branch.branch = 1;
  EXPECT_NE(of(due), of(of_another_branch));
  reference::Changes changes;
  reference::Changes on_another_branch;
  on_another_branch.branch = 1;
  EXPECT_NE(of(changes), of(on_another_branch));
}

}  // namespace
}  // namespace tenure::sim

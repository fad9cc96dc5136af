#include "sim/world/history.h"

#include <gtest/gtest.h>

#include "sim/models/links.h"
#include "sim/world/store_knobs.h"

namespace tenure::sim {
namespace {

std::uint64_t hash_with(const Record& record) {
  Timeline timeline;
  History history(timeline);
  history.emit(record);
  return timeline.trace_hash();
}

TEST(History, hashes_records) {
  EXPECT_NE(hash_with(NodePaused{{NodeId{0}, 1}}), Timeline().trace_hash());
  EXPECT_NE(hash_with(NodePaused{{NodeId{0}, 1}}), hash_with(NodePaused{{NodeId{1}, 1}}));
}

// What they follow from is hashed as an event; to hash it twice would change every known trace.
TEST(History, does_not_hash_what_is_for_pictures) {
  const RequestId id{{NodeId{0}, 1}, 7};
  const StoreKnobs knobs;
  const LinkState link;
  for (const Record& record : {Record(RequestLeft{id}), Record(RequestArrived{id}), Record(ReplyArrived{id}),
                               Record(RequestAnswered{id}), Record(StoreDegraded{{}, knobs}),
                               Record(LinkChanged{{}, NodeId{1}, link})})
    EXPECT_EQ(hash_with(record), Timeline().trace_hash());
}

struct Count : Observer {
  void see(TrueTime, const Record&) override { ++count; }
  int count = 0;
};

TEST(History, shows_what_is_for_pictures_only_to_who_asks_for_it) {
  struct All : Count {
    std::uint32_t wants() const override { return ~std::uint32_t{0}; }
  };
  Timeline timeline;
  History history(timeline);
  Count some;
  All all;
  history.add(some);
  EXPECT_FALSE(history.has_observer_of<RequestLeft>());
  EXPECT_TRUE(history.has_observer_of<NodePaused>());
  history.add(all);
  history.emit(RequestLeft{{{NodeId{0}, 1}, 7}});
  history.emit(NodePaused{{NodeId{0}, 1}});
  EXPECT_EQ(some.count, 1);
  EXPECT_EQ(all.count, 2);
}

}  // namespace
}  // namespace tenure::sim

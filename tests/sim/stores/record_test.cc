// The store record: what must hold in any order of requests. interactions/record.txt has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "sim/stores/record/record_store.h"

namespace tenure::record {
namespace {

TEST(Record, is_read_as_it_was_written) {
  RecordStore store;
  std::vector<Notification> heard;
  const WallTime acquired = WallTime::from_ns(Duration::seconds(1).ns());
  const LeaseRecord mine{{NodeId{1}, 1}, Duration::seconds(15), 1, acquired, acquired + Duration::seconds(1)};
  store.apply(Request{Put{{}, 0, mine}}, StoreTime{}, heard);
  const tenure::Reply reply = store.apply(Request{Get{}}, StoreTime{}, heard);
  EXPECT_EQ(std::get<Found>(*message_as<Reply>(reply)).record, mine);
}

RC_GTEST_PROP(RecordProperty, stores_of_racing_writers_exactly_the_first,
              (std::vector<std::uint8_t> writers)) {
  RecordStore store;
  std::uint64_t version = 0;
  std::vector<std::uint64_t> seen(4, 0);
  for (const std::uint8_t draw : writers) {
    std::uint64_t& view = seen[draw % 4];
    if (draw >= 128) {
      view = version;
      continue;
    }
    std::vector<Notification> heard;
    const tenure::Reply reply = store.apply(Request{Put{{}, view, {}}}, StoreTime{}, heard);
    const auto* stored = std::get_if<Stored>(&*message_as<Reply>(reply));
    RC_ASSERT((stored != nullptr) == (view == version));
    if (stored == nullptr) continue;
    RC_ASSERT(stored->version > version);
    version = stored->version;
  }
}

}  // namespace
}  // namespace tenure::record

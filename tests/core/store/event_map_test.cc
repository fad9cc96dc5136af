#include "core/store/reference/event_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace tenure::reference {
namespace {

StoreTime slot_at(std::uint32_t second) { return StoreTime::from_ns(0) + Duration::seconds(second); }

// A schedule has few events or, after a backfill, more than fill a block.
RC_GTEST_PROP(EventMap, agrees_with_a_plain_map, ()) {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 4);
  const auto in_backfill = *rc::gen::element<std::uint32_t>(0, 1, 64, 65, 200);
  const auto slot_number = rc::gen::inRange<std::uint32_t>(0, std::max(4u, 2 * in_backfill));
  const auto done =
      *rc::gen::container<std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>>>(
          rc::gen::tuple(number, slot_number, number, rc::gen::arbitrary<bool>()));
  EventMap<std::size_t> tested;
  std::map<EventId, std::size_t> plain;
  for (std::uint32_t slot = 0; slot < in_backfill; ++slot) {
    const EventId event{{1}, slot_at(2 * slot), 1};
    RC_ASSERT(++tested.add(event) == ++plain[event]);
  }
  for (const auto& [schedule, slot, run, adds] : done) {
    const EventId event{{schedule}, slot_at(slot), run};
    const auto here = plain.find(event);
    const std::size_t* const known = tested.find(event);
    RC_ASSERT((known != nullptr) == (here != plain.end()));
    if (known != nullptr) RC_ASSERT(*known == here->second);
    if (adds)
      RC_ASSERT(++tested.add(event) == ++plain[event]);
    else
      RC_ASSERT(tested.erase(event) == (plain.erase(event) > 0));
    RC_ASSERT(tested.size() == plain.size());
    const auto is_of_it = [id = schedule](const auto& entry) { return entry.first.schedule.value == id; };
    RC_ASSERT(tested.knows({schedule}) == std::any_of(plain.begin(), plain.end(), is_of_it));
  }
  auto next = plain.cbegin();
  tested.for_each([&next](const EventId& event, std::size_t value) {
    RC_ASSERT(event == next->first);
    RC_ASSERT(value == next->second);
    ++next;
  });
  RC_ASSERT(next == plain.cend());
  const std::map<EventId, std::size_t> left = plain;
  for (const auto& entry : left) RC_ASSERT(tested.erase(entry.first));
  RC_ASSERT(tested.empty());
  RC_ASSERT(!tested.knows({1}));
}

}  // namespace
}  // namespace tenure::reference

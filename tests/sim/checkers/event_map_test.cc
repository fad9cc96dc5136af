#include "sim/checkers/trackers/event_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>
#include <vector>

namespace tenure::sim {
namespace {

RC_GTEST_PROP(EventMap, agrees_with_a_plain_map, ()) {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 4);
  const auto done =
      *rc::gen::container<std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>>>(
          rc::gen::tuple(number, number, number, rc::gen::arbitrary<bool>()));
  EventMap<std::size_t> tested;
  std::map<reference::EventId, std::size_t> plain;
  for (const auto& [schedule, slot, run, adds] : done) {
    const reference::EventId event{{schedule}, StoreTime::from_ns(slot), run};
    const auto here = plain.find(event);
    const std::size_t* const known = tested.find(event);
    RC_ASSERT((known != nullptr) == (here != plain.end()));
    if (known != nullptr) RC_ASSERT(*known == here->second);
    if (adds)
      RC_ASSERT(++tested.add(event) == ++plain[event]);
    else
      RC_ASSERT(tested.erase(event) == (plain.erase(event) > 0));
    RC_ASSERT(tested.size() == plain.size());
    std::size_t of_it = 0;
    for (const auto& entry : plain) of_it += entry.first.schedule.value == schedule ? 1 : 0;
    RC_ASSERT(tested.of({schedule}).size() == of_it);
  }
  auto next = plain.cbegin();
  tested.for_each([&next](const reference::EventId& event, std::size_t value) {
    RC_ASSERT(event == next->first);
    RC_ASSERT(value == next->second);
    ++next;
  });
}

}  // namespace
}  // namespace tenure::sim

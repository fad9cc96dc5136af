#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/stores/placement/placement_store.h"
#include "sim/stores/placement/requests.h"

namespace tenure::placement {
namespace {

constexpr Duration kSec = Duration::seconds(1);

struct Table {
  PlacementStore store;
  StoreTime now = StoreTime{} + kSec * 1'000;

  template <class R>
  R ask(Request request) {
    std::vector<Notification> heard;
    const tenure::Reply reply = store.apply(tenure::Request{std::move(request)}, now, heard);
    EXPECT_TRUE(heard.empty());
    return std::get<R>(*message_as<Reply>(reply));
  }
  bool assigns(const AssignItem& assign) {
    std::vector<Notification> heard;
    return std::holds_alternative<Assigned>(
        *message_as<Reply>(store.apply(tenure::Request{Request{assign}}, now, heard)));
  }
};

TEST(PlacementStore, tells_a_worker_what_it_is_to_run) {
  Table table;
  EXPECT_TRUE(table.ask<Yours>(ReportWork{1, {}, false}).items.empty());
  EXPECT_EQ(table.ask<Assigned>(AssignItem{7, 1, 0, true, {}}).version, 1);
  EXPECT_EQ(table.ask<Assigned>(AssignItem{3, 1, 0, true, {}}).version, 1);
  EXPECT_EQ(table.ask<Yours>(ReportWork{1, {}, false}).items, (std::vector<std::int64_t>{3, 7}));
  EXPECT_TRUE(table.ask<Yours>(ReportWork{2, {}, false}).items.empty());
}

TEST(PlacementStore, lists_items_and_for_how_long_workers_were_silent) {
  Table table;
  table.ask<Yours>(ReportWork{2, {}, false});
  table.now += kSec * 4;
  table.ask<Yours>(ReportWork{1, {5}, false});
  table.ask<Assigned>(AssignItem{5, 1, 0, false, {}});
  table.now += kSec;
  const auto listed = table.ask<Placements>(ListPlacements{});
  ASSERT_EQ(listed.items.size(), 1u);
  EXPECT_EQ(listed.items.front().item, 5);
  EXPECT_EQ(listed.items.front().worker, 1);
  EXPECT_EQ(listed.items.front().version, 1);
  ASSERT_EQ(listed.workers.size(), 2u);
  EXPECT_EQ(listed.workers[0].silent, kSec);
  EXPECT_EQ(listed.workers[1].silent, kSec * 5);
  table.now += -kSec * 60;  // its clock goes back
  EXPECT_EQ(table.ask<Placements>(ListPlacements{}).workers[0].silent, Duration{});
}

TEST(PlacementStore, forgets_a_worker_that_leaves_and_keeps_what_was_assigned_to_it) {
  Table table;
  table.ask<Yours>(ReportWork{1, {}, false});
  table.ask<Assigned>(AssignItem{1, 1, 0, true, {}});
  EXPECT_TRUE(table.ask<Yours>(ReportWork{1, {}, true}).items.empty());
  const auto listed = table.ask<Placements>(ListPlacements{});
  EXPECT_TRUE(listed.workers.empty());
  EXPECT_EQ(listed.items.front().worker, 1);
  EXPECT_EQ(table.ask<Yours>(ReportWork{1, {}, false}).items.size(), 1u);
}

AssignItem some_assignment() {
  AssignItem assign{*rc::gen::inRange<std::int64_t>(1, 4),
                    *rc::gen::inRange<std::int64_t>(1, 4),
                    *rc::gen::inRange<std::int64_t>(0, 5),
                    *rc::gen::arbitrary<bool>(),
                    {}};
  if (*rc::gen::arbitrary<bool>()) assign.term = *rc::gen::inRange<std::int64_t>(1, 4);
  return assign;
}

RC_GTEST_PROP(PlacementLaws, an_item_has_one_worker_and_its_version_counts_what_was_carried_out, ()) {
  Table table;
  std::map<std::int64_t, PlacedItem> model;
  std::int64_t term = 0;
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const AssignItem assign = some_assignment();
    PlacedItem& item = model.try_emplace(assign.item, PlacedItem{assign.item, 0, 0}).first->second;
    const bool good = (!assign.guarded || assign.seen == item.version) && assign.term.value_or(term) >= term;
    RC_ASSERT(table.assigns(assign) == good);
    if (good) {
      item = {assign.item, assign.worker, item.version + 1};
      term = assign.term.value_or(term);
    }
    for (const PlacedItem& each : table.ask<Placements>(ListPlacements{}).items) {
      RC_ASSERT(each.worker == model.at(each.item).worker);
      RC_ASSERT(each.version == model.at(each.item).version);
    }
  }
  std::size_t told = 0;
  for (std::int64_t worker = 1; worker < 4; ++worker)
    told += table.ask<Yours>(ReportWork{worker, {}, false}).items.size();
  RC_ASSERT(told == static_cast<std::size_t>(std::count_if(model.begin(), model.end(), [](const auto& each) {
              return each.second.worker > 0;
            })));
}

}  // namespace
}  // namespace tenure::placement

// Schedules that a filter lets through, page by page.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

#include "daemon/api/handlers.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/schedule_scan.h"
#include "format/syntax/units.h"

namespace tenure::daemon::handlers {
namespace {

constexpr std::int64_t kMostListed = 1'000;
constexpr std::int64_t kUsuallyListed = 100;
// What an order other than that of names has to read for a page: all that there are.
constexpr std::size_t kMostSorted = 200'000;
constexpr Duration kTimeToSort = Duration::seconds(5);

enum class Order : std::uint8_t { name, name_down, next };

Order order_of(const Call& call) {
  const std::string order = call.parameter("order").value_or("name");
  if (order == "name") return Order::name;
  if (order == "-name") return Order::name_down;
  if (order == "next") return Order::next;
  throw invalid("the parameter `order` must be `name`, `-name` or `next`");
}

constexpr std::size_t kTimeDigits = 20;

// By its next slot, then by its name; "never" comes last.
std::string next_key(const reference::NamedSchedule& schedule, StoreTime now) {
  const auto next = next_slot(schedule, now);
  return fmt::format("{:0{}}~{}", next ? next->ns() / 1'000 : INT64_MAX, kTimeDigits, schedule.name);
}

// A page, as long as there is room for more. A schedule may have ten thousand times.
class Page {
 public:
  explicit Page(std::size_t limit) : limit_(limit) {}
  void add(const reference::NamedSchedule& schedule, StoreTime now) {
    Json shown = json_of(schedule, now, {.data = false});
    bytes_ += dump(shown).size();
    schedules_.push_back(std::move(shown));
  }
  bool has_room() const { return schedules_.size() < limit_ && bytes_ < kPageBytes; }
  HttpResponse response(const std::string& cursor) {
    Json page = {{"schedules", std::move(schedules_)}};
    if (!cursor.empty()) page["cursor"] = cursor;
    return json_response(page);
  }

 private:
  std::size_t limit_;
  std::size_t bytes_ = 0;
  Json schedules_ = Json::array();
};

// The first ones in their order after the cursor, of all that there are. No more than these are kept.
//
// No store has this order at hand: a leader's queue is by what was covered last, and knows nothing of names and labels.
HttpResponse sorted_page(Call& call, const ScheduleFilter& filter, Order order, std::size_t limit) {
  const bool down = order == Order::name_down;
  const auto before = [down](const std::string& one, const std::string& other) {
    return down ? one > other : one < other;
  };
  const auto cursor = call.parameter("cursor");
  if (cursor && order == Order::next && cursor->find('~') != kTimeDigits)
    throw invalid("the parameter `cursor` is none of this order");
  std::map<std::string, reference::NamedSchedule, decltype(before)> first(before);
  const auto see = [&](const reference::NamedSchedule& schedule, StoreTime now) {
    if (call.took() >= kTimeToSort) return false;
    const std::string key = order == Order::next ? next_key(schedule, now) : schedule.name;
    const bool is_last = first.size() > limit && !before(key, first.rbegin()->first);
    if (is_last || (cursor && !before(*cursor, key))) return true;
    first.emplace(key, schedule);
    if (first.size() > limit + 1) first.erase(std::prev(first.end()));
    return true;
  };
  const ScanEnd end = scan_schedules(call, filter, {}, see, kMostSorted);
  if (end.more)
    throw invalid(fmt::format(
        "to sort schedules all of them are read, and these are more than {}, or take longer than {}: "
        "narrow them by `prefix`, or take them in the order of their names",
        kMostSorted, print_duration(kTimeToSort)));
  Page page(limit);
  std::string last;
  for (const auto& [key, schedule] : first) {
    if (!page.has_room()) return page.response(last);
    page.add(schedule, end.now);
    last = key;
  }
  return page.response({});
}

}  // namespace

HttpResponse list_schedules(Call& call) {
  const ScheduleFilter filter = filter_of(call);
  const Order order = order_of(call);
  const auto limit =
      static_cast<std::size_t>(call.number_parameter("limit", 1, kMostListed).value_or(kUsuallyListed));
  if (order != Order::name) return sorted_page(call, filter, order, limit);

  Page page(limit);
  const ScanEnd end = scan_schedules(call, filter, call.parameter("cursor").value_or(""),
                                     [&](const reference::NamedSchedule& schedule, StoreTime now) {
                                       page.add(schedule, now);
                                       return page.has_room();
                                     });
  return page.response(end.more ? end.last : std::string{});
}

}  // namespace tenure::daemon::handlers

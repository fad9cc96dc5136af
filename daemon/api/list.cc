// Schedules that a filter lets through, page by page.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/api/handlers.h"
#include "daemon/api/preconditions.h"
#include "daemon/api/schedule_json.h"
#include "daemon/api/schedule_scan.h"

namespace tenure::daemon::handlers {
namespace {

constexpr std::int64_t kMostListed = 1'000;
constexpr std::int64_t kUsuallyListed = 100;
// What an order other than that of names has to read at once.
constexpr std::size_t kMostSorted = 20'000;

enum class Order : std::uint8_t { name, name_down, next };

Order order_of(const Call& call) {
  const std::string order = call.parameter("order").value_or("name");
  if (order == "name") return Order::name;
  if (order == "-name") return Order::name_down;
  if (order == "next") return Order::next;
  throw invalid("the parameter `order` must be `name`, `-name` or `next`");
}

// By its next slot, then by its name; "never" comes last.
std::string next_key(const reference::NamedSchedule& schedule, StoreTime now) {
  const auto next = next_slot(schedule, now);
  return fmt::format("{:020}~{}", next ? next->ns() / 1'000 : INT64_MAX, schedule.name);
}

Json page_of(const std::vector<reference::NamedSchedule>& schedules, StoreTime now,
             const std::string& cursor) {
  Json page = {{"schedules", Json::array()}};
  for (const reference::NamedSchedule& schedule : schedules)
    page["schedules"].push_back(json_of(schedule, now, {.data = false}));
  if (!cursor.empty()) page["cursor"] = cursor;
  return page;
}

// All of them, sorted; what comes after the cursor.
HttpResponse sorted_page(Call& call, const ScheduleFilter& filter, Order order, std::size_t limit) {
  std::vector<reference::NamedSchedule> all;
  const ScanEnd end = scan_schedules(call, filter, {}, [&](const reference::NamedSchedule& schedule) {
    all.push_back(schedule);
    return all.size() <= kMostSorted;
  });
  if (all.size() > kMostSorted)
    throw invalid(fmt::format("more than {} schedules cannot be sorted: narrow them by `prefix` or `label`",
                              kMostSorted));
  const auto key = [&](const reference::NamedSchedule& schedule) {
    return order == Order::next ? next_key(schedule, end.now) : schedule.name;
  };
  const bool down = order == Order::name_down;
  std::sort(all.begin(), all.end(), [&](const auto& one, const auto& other) {
    return down ? key(one) > key(other) : key(one) < key(other);
  });
  if (const auto cursor = call.parameter("cursor"))
    std::erase_if(all, [&](const auto& one) { return down ? key(one) >= *cursor : key(one) <= *cursor; });
  const bool more = all.size() > limit;
  if (more) all.resize(limit);
  return json_response(page_of(all, end.now, more ? key(all.back()) : std::string{}));
}

}  // namespace

HttpResponse list_schedules(Call& call) {
  call.allow_parameters({"prefix", "label", "state", "order", "limit", "cursor"});
  const ScheduleFilter filter = filter_of(call);
  const Order order = order_of(call);
  const auto limit =
      static_cast<std::size_t>(call.number_parameter("limit", 1, kMostListed).value_or(kUsuallyListed));
  if (order != Order::name) return sorted_page(call, filter, order, limit);

  std::vector<reference::NamedSchedule> page;
  const ScanEnd end = scan_schedules(call, filter, call.parameter("cursor").value_or(""),
                                     [&](const reference::NamedSchedule& schedule) {
                                       page.push_back(schedule);
                                       return page.size() < limit;
                                     });
  return json_response(page_of(page, end.now, end.more ? end.last : std::string{}));
}

}  // namespace tenure::daemon::handlers

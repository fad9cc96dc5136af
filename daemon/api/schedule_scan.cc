#include "daemon/api/schedule_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/api/schedule_json.h"
#include "format/syntax/diagnostic.h"

namespace tenure::daemon {
namespace {

constexpr std::uint32_t kScannedAtATime = 1'000;
constexpr std::array<std::string_view, 4> kStates = {"active", "paused", "finished", "unreadable"};

bool passes(const ScheduleFilter& filter, const reference::NamedSchedule& schedule, StoreTime now) {
  const auto& labels = schedule.payload.labels;
  const bool has_all =
      std::all_of(filter.labels.begin(), filter.labels.end(), [&](const reference::Label& wanted) {
        return std::find(labels.begin(), labels.end(), wanted) != labels.end();
      });
  return has_all && (filter.state.empty() || state_of(schedule, now) == filter.state);
}

// The greatest text before all names with the prefix: no name has a character beyond `z`.
std::string before(const std::string& prefix) {
  std::string text = prefix;
  if (text.empty()) return text;
  text.back() = static_cast<char>(text.back() - 1);
  return text + '\x7f';
}

}  // namespace

reference::Label label_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw invalid(fmt::format("`{}` is no label: `name=value`", format::printable(text, 60)));
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

ScheduleFilter filter_of(const Call& call) {
  ScheduleFilter filter;
  filter.prefix = call.parameter("prefix").value_or("");
  if (!filter.prefix.empty())
    if (const std::string why = reference::problem_of_name(filter.prefix); !why.empty())
      throw invalid("`prefix`: " + why);
  const std::string& own = call.caller.prefix;
  if (own.starts_with(filter.prefix))
    filter.prefix = own;
  else
    filter.nothing = !filter.prefix.starts_with(own);
  for (const auto& [key, value] : call.query)
    if (key == "label") filter.labels.push_back(label_of(value));
  filter.state = call.parameter("state").value_or("");
  if (!filter.state.empty() && std::find(kStates.begin(), kStates.end(), filter.state) == kStates.end())
    throw invalid(fmt::format("the parameter `state` must be one of {}", fmt::join(kStates, ", ")));
  return filter;
}

ScanEnd scan_schedules(Call& call, const ScheduleFilter& filter, std::string after,
                       const std::function<bool(const reference::NamedSchedule&, StoreTime now)>& see,
                       std::size_t most) {
  ScanEnd end;
  end.last = std::max(std::move(after), before(filter.prefix));
  for (std::size_t looked_at = 0;;) {
    const Answer answer =
        call.store->ask(reference::ListNamed{call.context.resource, end.last, kScannedAtATime});
    const auto& list = expect<reference::NamedSchedules>(answer);
    if (looked_at == 0) end.now = answer.store_time;
    if (filter.nothing) return end;
    for (const reference::NamedSchedule& schedule : list.schedules) {
      if (!schedule.name.starts_with(filter.prefix)) return end;
      end.last = schedule.name;
      if (passes(filter, schedule, end.now) && !see(schedule, end.now)) {
        end.more = &schedule != &list.schedules.back() || list.more;
        return end;
      }
    }
    looked_at += list.schedules.size();
    end.more = list.more;
    if (!list.more || looked_at >= most) return end;
  }
}

}  // namespace tenure::daemon

#include "core/model/describe.h"

#include <date/date.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <variant>

#include "core/schedule/schedule_fields.h"

namespace tenure {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Without a sign; INT64_MIN has a magnitude too.
std::uint64_t magnitude(std::int64_t ns) {
  return ns < 0 ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
}

std::string seconds(std::int64_t ns) {
  if (ns == INT64_MAX) return "never";
  const std::uint64_t size = magnitude(ns);
  return fmt::format("{}{}.{:09}", ns < 0 ? "-" : "", size / kSecond, size % kSecond);
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string describe_until(const Until& until) {
  return std::visit(Overloaded{[](MonoTime time) { return "until " + describe(time); },
                               [](WallTime time) { return "until " + describe(time) + " by the wall"; },
                               [](Open) { return std::string{"until it steps down"}; }},
                    until);
}

std::string describe_reply(const StoreReplied& answer) {
  std::string text = fmt::format("reply to #{} sent at {}: ", answer.id.counter, describe(answer.sent_at));
  switch (answer.outcome) {
    case RequestOutcome::applied: return text + describe(answer.reply) + " at " + describe(answer.store_time);
    case RequestOutcome::rejected:
      return text + fmt::format("{} ({})", name_of(answer.outcome), name_of(answer.rejection));
    case RequestOutcome::unknown: break;
  }
  return text.append(name_of(answer.outcome));
}

}  // namespace

std::string describe(Duration duration) {
  if (duration == Duration::max()) return "never";
  struct Unit {
    std::uint64_t ns;
    const char* name;
    int decimals;
  };
  constexpr Unit kUnits[] = {{1'000'000'000, "s", 9}, {1'000'000, "ms", 6}, {1'000, "us", 3}, {1, "ns", 0}};
  const std::uint64_t size = magnitude(duration.ns());
  if (size == 0) return "0s";
  const Unit* unit = kUnits;
  while (size < unit->ns) ++unit;
  std::string text = fmt::format("{}{}", duration.ns() < 0 ? "-" : "", size / unit->ns);
  if (const std::uint64_t rest = size % unit->ns; rest != 0) {
    text += fmt::format(".{:0{}}", rest, unit->decimals);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + unit->name;
}

std::string describe(MonoTime time) { return seconds(time.ns()); }
std::string describe(WallTime time) { return seconds(time.ns()); }

std::string describe(StoreTime time) {
  if (time >= StoreTime::max()) return "never";
  const std::int64_t second = detail::floor_to(time.ns(), kSecond) / kSecond;
  const std::int64_t day = detail::floor_to(second, 86'400) / 86'400;
  const std::int64_t in_day = second - day * 86'400;
  const std::int64_t micros = (time.ns() - second * kSecond) / 1'000;
  const date::year_month_day date{date::sys_days{date::days{static_cast<int>(day)}}};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 in_day / 3'600, in_day / 60 % 60, in_day % 60);
  if (micros != 0) text += fmt::format(".{:06}", micros);
  return text + "Z";
}

std::string describe(NodeId node) { return fmt::format("n{}", std::uint64_t{node.value} + 1); }

std::string describe(Incarnation incarnation, NodeNames names) {
  if (incarnation.number == 0) return "nobody";
  const std::string node =
      names == NodeNames::by_id ? fmt::format("n{}", incarnation.node.value) : describe(incarnation.node);
  return incarnation.number == 1 ? node : fmt::format("{}#{}", node, incarnation.number);
}

std::string describe(const Token& token) {
  if (token.branch == 0) return fmt::format("epoch {}", token.epoch);
  return fmt::format("branch {} epoch {}", token.branch, token.epoch);
}

std::string describe(const reference::EventId& event) {
  std::string text = fmt::format("schedule {} at {}", event.schedule.value, describe(event.slot));
  if (event.run != 0) text += fmt::format(" run {}", event.run);
  return text;
}

std::string describe(const Message& message) {
  return fmt::format("{}({})", message.kind, fmt::join(message.words, ", "));
}

std::string describe(const Note& note) {
  return std::visit(
      Overloaded{
          [](const Believes& it) {
            std::string text = "believes " + describe_until(it.until);
            if (it.token) text += ", " + describe(*it.token);
            return text + in_resource(it.resource);
          },
          [](const StepsDown& it) {
            return fmt::format("steps down{}: {}", in_resource(it.resource), it.why);
          },
          [](const LeadershipChecked& it) { return "has checked that it leads" + in_resource(it.resource); },
          [](const ClockAlarm& it) { return "alarm: the store's clock jumped by " + describe(it.jump); },
          [](const Annotation& it) { return fmt::format("remarks: {} ({})", it.text, it.value); },
          [](const DesignError& it) { return fmt::format("its program failed: {}", it.what); },
          [](const Stopped&) { return std::string{"has stopped"}; },
      },
      note);
}

std::string describe(const Input& input) {
  return std::visit(
      Overloaded{
          [](const Started& it) {
            return fmt::format("started as {} of {}", describe(it.self), it.cluster_size);
          },
          [](const TimerFired& it) {
            return fmt::format("timer {}.{}", name_of(it.timer.part), it.timer.name);
          },
          [](const MessageReceived& it) { return describe(it.message) + " from " + describe(it.from); },
          [](const StoreReplied& it) { return describe_reply(it); },
          [](const ChangeNotified& it) {
            return "notified: " + std::string(name_of(it.what.what)) + in_resource(it.what.resource);
          },
          [](const WorkDone& it) {
            std::string text = fmt::format("work {}: {}", name_of(it.result), describe(it.event));
            if (it.retry_after != Duration{}) text += ", not again for " + describe(it.retry_after);
            return text;
          },
          [](const WriteDone& it) {
            return fmt::format("write {}: {}", it.number, it.fenced ? "fenced" : "done");
          },
          [](const StopAsked&) { return std::string{"asked to stop"}; },
      },
      input);
}

// Enumerators by their values, from 0 on.
template <std::size_t kCount>
static std::string_view named(const std::string_view (&names)[kCount], auto value) {
  const auto place = static_cast<std::size_t>(value);
  return place < kCount ? names[place] : "?";
}

std::string_view name_of(Part it) { return named({"elector", "scheduler"}, it); }
std::string_view name_of(RequestOutcome it) { return named({"applied", "rejected", "unknown"}, it); }
std::string_view name_of(Rejection it) {
  return named({"none", "unreachable", "overloaded", "not permitted"}, it);
}
std::string_view name_of(Notification::What it) {
  return named({"lease freed", "schedules changed", "events added"}, it);
}
std::string_view name_of(WorkResult it) {
  return named({"done", "stopped", "fenced", "running", "duplicate", "failed"}, it);
}
std::string_view name_of(reference::Denial it) {
  return named(
      {"no lease", "other holder", "stale token", "expired", "clock stepped", "other branch", "stale view"},
      it);
}
std::string_view name_of(reference::Disposition it) {
  return named({"fired", "coalesced", "missed", "paused", "overlapped", "deleted", "replaced"}, it);
}
std::string_view name_of(reference::RowResult it) {
  return named({"covered", "moved", "not due", "no segment", "overlapped"}, it);
}
std::string_view name_of(reference::EditDenial it) {
  return named({"no such schedule", "deleted", "version conflict", "in the future", "it exists already",
                "no number is left", "this program cannot read the definition",
                "the run was asked for with another digest"},
               it);
}
std::string_view name_of(reference::Standing it) {
  return named(
      {"claimed", "cancelled", "failed", "completed", "dead", "replaced", "reissued", "unknown", "released"},
      it);
}
std::string_view name_of(Delivery::Kind it) {
  return schedule_field("delivery").words[static_cast<std::size_t>(it)];
}

}  // namespace tenure

// Lines of a journal: each event, each kind of request and reply, and each field.
//
// Thread rule: tests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/journal/line.h"

namespace tenure::testing::journal_lines {

using namespace tenure::journal;

inline constexpr Incarnation kWho{{3}, 4'000'000'000U};
inline constexpr Token kToken{2, 7, 18'000'000'000'000'000'001ULL};
inline constexpr StoreTime kSlot = StoreTime::from_ns(1'700'000'000'000'000'000);

inline Line line(JournalEvent event) {
  return {{BootTime::from_ns(5'000), MonoTime::from_ns(5'001)},
          kWho,
          std::move(event),
          17,
          std::string(kFirstPrev)};
}
inline Line asked(reference::Request request, bool as_leader = true) {
  return line(Asked{{kWho, 9}, {{}, Part::scheduler, std::move(request), MonoTime::max(), as_leader}});
}
inline Line answered(reference::Reply reply) {
  return line(Answered{.id = {kWho, 9},
                       .store = {1},
                       .part = Part::elector,
                       .outcome = RequestOutcome::applied,
                       .message = {},
                       .store_time = kSlot,
                       .position = 12,
                       .changed = true,
                       .reply = std::move(reply)});
}

// Of that kind.
inline Line client(const reference::Request& request, std::optional<ClientChange::Run> run,
                   std::optional<ClientChange::Done> done) {
  return line(ClientChange{.kind = request.index(),
                           .resource = {6},
                           .run = run,
                           .done = done,
                           .asked = MonoTime::from_ns(done ? 0 : 4'000)});
}

inline std::vector<Definition> every_rule() {
  Definition bounded{.recurrence = Interval{.start = kSlot, .period = Duration::seconds(5)}};
  bounded.not_before = kSlot;
  bounded.until = kSlot + Duration::seconds(50);
  bounded.jitter = {Duration::seconds(1), Jitter::Per::schedule, 7};
  bounded.misfire.catchup_window = Duration::seconds(60);
  bounded.misfire.max_catchup = 9;
  bounded.delivery = {.kind = Delivery::Kind::push,
                      .destination = "crm",
                      .strict_order = true,
                      .attempts = 3,
                      .back_off = Duration::seconds(2),
                      .longest_back_off = Duration::seconds(60)};
  const auto cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("0 9 * * mon-fri")));
  return {bounded,
          {.recurrence = CronRule{.cron = cron, .zone = only_utc().find("UTC")}},
          {.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::vector{kSlot})}}};
}

template <std::size_t... kRequests, std::size_t... kReplies>
void append_every_kind(std::vector<Line>& lines, std::index_sequence<kRequests...>,
                       std::index_sequence<kReplies...>) {
  (lines.push_back(asked(reference::Request(std::in_place_index<kRequests>))), ...);
  (lines.push_back(answered(reference::Reply(std::in_place_index<kReplies>))), ...);
}

// One of everything that is read back.
inline std::vector<Line> every_line() {
  const ResourceId resource{6};
  const reference::EventId event{{8}, kSlot, 10'000'000'000'000'000'000ULL};
  reference::Changes changes;
  changes.branch = 3;
  changes.changes.push_back({4,
                             {{1}, 2, kSlot, StoreTime::max(), kSlot},
                             {.recurrence = Interval{.start = kSlot, .period = Duration::seconds(5)}},
                             false});
  std::uint64_t seq = 10;
  for (const Definition& definition : every_rule())
    changes.changes.push_back({seq++, {{1}, 2, kSlot, StoreTime::max(), kSlot}, definition, false});
  changes.changes.push_back({5, {{1}, 2, kSlot, StoreTime::max(), kSlot}, {}, true});
  std::vector<Line> lines = {
      line(LifeBegan{"boot"}),
      line(LifeBegan{"", {{"scheduling.max_running", 64}}, "an ephemeral node"}),
      line(LifeEnded{true}),
      line(LifeEnded{false}),
      line(Note{Believes{resource, kToken, MonoTime::from_ns(77)}}),
      line(Note{Believes{resource, std::nullopt, WallTime::from_ns(78)}}),
      line(Note{Believes{resource, kToken, Open{}}}),
      line(Note{StepsDown{resource, "why"}}),
      line(Note{LeadershipChecked{resource}}),
      line(Note{ClockAlarm{Duration::seconds(-3)}}),
      line(Note{Annotation{"text", -5}}),
      line(Note{Stopped{}}),
      line(StoreFound{"0123456789abcdef0123456789abcdef"}),
      line(WorkItem{resource, event, kToken, true}),
      line(WorkItem{resource, event, std::nullopt, false}),
      asked(reference::Acquire{resource, kWho, 41, 42, Duration::seconds(15)}),
      asked(reference::Renew{resource, kWho, kToken, Duration::seconds(15)}),
      asked(reference::Release{resource, kWho, kToken}),
      asked(reference::SetHold{resource, kWho, kToken, {}}),
      asked(reference::ClearHold{resource, kWho, kToken}, false),
      asked(reference::CommitFires{
          resource,
          kWho,
          kToken,
          {{{1}, 2, kSlot, StoreTime::max(), kSlot, {}, reference::Disposition::missed, 3},
           {{2}, 1, kSlot, kSlot + Duration::seconds(1), kSlot}}}),
      asked(reference::ReadDue{resource, {}, 1000, {}}),
      asked(reference::AckEvents{resource, {{event}, {{{1}, kSlot, 0}, Delivery::Kind::push, "crm"}}}),
      asked(reference::GiveUpEvents{resource, kWho, kToken, {{event, 5, 7}, {{{1}, kSlot, 0}, 1}}}, true),
      asked(reference::ChangesSince{resource, 12}),
      answered(reference::Granted{kToken, Duration::seconds(15)}),
      answered(reference::Refused{reference::Denial::clock_stepped, {}, 0, Duration::millis(5)}),
      answered(reference::Refused{reference::Denial::other_holder, kWho, 6, Duration::millis(5)}),
      answered(changes),
      answered(reference::Committed{{reference::RowResult::covered, reference::RowResult::no_segment}}),
      answered(reference::CommitRefused{reference::Denial::expired, true}),
      answered(reference::Released{}),
      answered(reference::Outbox{}),
      line(Answered{.id = {kWho, 9},
                    .store = {},
                    .outcome = RequestOutcome::rejected,
                    .message = "gone",
                    .store_time = {}}),
  };
  for (const auto result : {WorkResult::done, WorkResult::stopped, WorkResult::fenced, WorkResult::running,
                            WorkResult::duplicate})
    lines.push_back(line(WorkDone{event, result}));
  lines.push_back(line(WorkDone{event, WorkResult::failed, Duration::seconds(30)}));
  lines.push_back(line(StopAsked{}));
  lines.push_back(client(reference::EndExecutions{}, {}, ClientChange::Done{kSlot, 12}));
  lines.push_back(client(reference::PutNamed{}, {}, ClientChange::Done{kSlot, 12, 4}));
  lines.push_back(client(reference::TriggerSchedule{}, ClientChange::Run{{8}, event.run}, std::nullopt));
  append_every_kind(lines, std::make_index_sequence<std::variant_size_v<reference::Request>>(),
                    std::make_index_sequence<std::variant_size_v<reference::Reply>>());
  return lines;
}

// What is written and not read: only words, and what its writer could not read either.
inline std::vector<Line> lines_for_people() {
  reference::Changes changes;
  changes.changes.push_back({4, {{1}, 2, kSlot, StoreTime::max(), kSlot}, {}, false, true});
  return {line(Note{DesignError{"words"}}), answered(changes)};
}

}  // namespace tenure::testing::journal_lines

#include "adapters/runtime/store_health_reporter.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "core/journal/kinds.h"
#include "core/model/describe.h"

namespace tenure {
namespace {

constexpr std::array<std::string_view, 3> kLevels = {"info", "warning", "error"};

// How far slots must be covered ahead of the store's clock. A clock that merely drifts is not worth a word.
constexpr Duration kWorthAWord = Duration::seconds(1);

bool may_pass(StoreError trouble) { return trouble == StoreError::busy; }

Level level_of(StoreError trouble) {
  const bool may_go_on =
      trouble == StoreError::busy || trouble == StoreError::lost || trouble == StoreError::no_answer;
  return may_go_on ? Level::warning : Level::error;
}

// It has to do with the connection, whatever is asked on it.
bool of_connection(StoreError trouble) {
  return trouble == StoreError::unreachable || trouble == StoreError::lost;
}

// Two failures of one cause differ in what the store itself said: times, process ids.
std::string cause_in(const std::string& message) {
  return message.substr(0, std::min(message.find(" (Postgres:"), message.find(" (SQLite:")));
}

std::string in_tenths(Duration duration) {
  return describe(Duration::millis(duration.ns() / 100'000'000 * 100));
}

std::string of(Incarnation who, std::size_t request) {
  return fmt::format("node {}, {}", who.node.value, journal::kRequestKinds.at(request));
}

}  // namespace

std::string said_now(Level level, std::string_view words) {
  const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto millis = now.time_since_epoch().count() % 1'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {}: {}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), millis,
                     kLevels.at(static_cast<std::size_t>(level)), words);
}

void StoreHealthReporter::say(Level level, std::string_view words) {
  if (sink_) sink_(said_now(level, words));
}

void StoreHealthReporter::covered(Incarnation who, StoreTime due) {
  const auto [last, fresh] = covered_.try_emplace(who, due);
  if (!fresh) last->second = std::max(last->second, due);
}

void StoreHealthReporter::answered(const Asked& asked, const Answer& answer, MonoTime now) {
  if (!sink_) return;
  if (answer.trouble != StoreError::none)
    return failed({asked.who, asked.part, asked.request}, asked, answer, now);
  worked(asked, now);
  see_leader(asked, answer, now);
  see_hold(asked, answer, now);
}

void StoreHealthReporter::failed(const Key& key, const Asked& asked, const Answer& answer, MonoTime now) {
  const auto [place, fresh] = open_.try_emplace(key);
  Open& open = place->second;
  if (fresh) open.since = asked.sent_at;
  open.trouble = answer.trouble;
  open.cause = cause_in(answer.message);
  open.last = now;
  if (may_pass(answer.trouble) && now - open.since < kBusyBound) return;
  if (!open.said.insert(open.cause).second || is_said_of_another(key, open.cause)) return;
  if (open.first_said.empty()) open.first_said = open.cause;
  say(level_of(answer.trouble), fmt::format("{}: {} (for {})", of(asked.who, asked.request), answer.message,
                                            in_tenths(now - open.since)));
}

// By the same node: two that cannot reach their store are two troubles.
bool StoreHealthReporter::is_said_of_another(const Key& key, const std::string& cause) const {
  return std::any_of(open_.begin(), open_.end(), [&](const auto& other) {
    return other.first != key && std::get<0>(other.first) == std::get<0>(key) &&
           other.second.said.contains(cause);
  });
}

void StoreHealthReporter::worked(const Asked& asked, MonoTime now) {
  std::vector<Key> over;
  for (const auto& [key, open] : open_) {
    const auto& [who, part, request] = key;
    if (who != asked.who || part != asked.part) continue;
    if (request == asked.request || of_connection(open.trouble) || now - open.last > kForgotten)
      over.push_back(key);
  }
  for (const Key& key : over) end(open_.find(key), now);
}

void StoreHealthReporter::end(std::map<Key, Open>::iterator which, MonoTime now) {
  const auto [key, open] = *which;
  open_.erase(which);
  if (open.said.empty()) return;
  const Incarnation who = std::get<0>(key);
  // The last of those that share what was said says that it is over.
  for (auto& [other, left] : open_) {
    if (std::get<0>(other) != who || !left.said.contains(open.cause)) continue;
    if (left.first_said.empty()) left.first_said = open.first_said;
    left.since = std::min(left.since, open.since);
    return;
  }
  say(Level::info,
      fmt::format("{}: works again after {}: {}", of(who, std::get<2>(key)), in_tenths(now - open.since),
                  open.first_said.empty() ? open.cause : open.first_said));
}

void StoreHealthReporter::see_leader(const Asked& asked, const Answer& answer, MonoTime now) {
  if (std::holds_alternative<reference::Granted>(answer.reply) && answer.outcome == RequestOutcome::applied)
    standbys_.erase(asked.who);
  const auto* refused = std::get_if<reference::Refused>(&answer.reply);
  if (refused == nullptr || refused->holder.number == 0 || refused->holder == asked.who) return;
  StandsBy& standby = standbys_.try_emplace(asked.who, StandsBy{now}).first->second;
  if (now - standby.since < kStandsBy || std::exchange(standby.said, true)) return;
  const std::uint32_t self = asked.who.node.value;
  const std::uint32_t leader = refused->holder.node.value;
  const std::string_view advice =
      leader == self ? "If that is another process, give each an id of its own"
                     : "If that is another application, give each application a resource of its own";
  say(Level::info, fmt::format("node {}: stands by: {} leads over resource {} (epoch {}). {}", self,
                               leader == self ? fmt::format("another life of node {}", leader)
                                              : fmt::format("node {}", leader),
                               asked.resource.value, refused->epoch, advice));
}

// In the reply of whoever sets or clears it, and of whoever reads what is due.
void StoreHealthReporter::see_hold(const Asked& asked, const Answer& answer, MonoTime now) {
  const auto* due = std::get_if<reference::Due>(&answer.reply);
  const auto* set = std::get_if<reference::HoldSet>(&answer.reply);
  if (due == nullptr && set == nullptr) return;
  const std::optional<reference::Hold> hold = due != nullptr ? due->hold : set->hold;
  const auto known = held_.find(asked.who);
  if (hold && known == held_.end()) {
    held_.emplace(asked.who, now);
    say(Level::warning, fmt::format("node {}: nothing fires: the store's clock jumped by {} against this "
                                    "machine's; held since {}, until "
                                    "it has been steady for a while or somebody clears the hold",
                                    asked.who.node.value, describe(hold->jump), describe(hold->since)));
  } else if (!hold && known != held_.end()) {
    say(Level::info,
        fmt::format("node {}: the hold is over after {}: what is due fires{}", asked.who.node.value,
                    in_tenths(now - known->second), covered_ahead(asked.who, answer.store_time)));
    held_.erase(known);
  }
}

std::string StoreHealthReporter::covered_ahead(Incarnation who, StoreTime store_now) const {
  const auto last = covered_.find(who);
  if (last == covered_.end() || last->second - store_now < kWorthAWord) return {};
  return fmt::format(
      "; slots up to {} were covered while the store's clock was ahead, and do not fire again: that is {} "
      "from "
      "now by its clock",
      describe(last->second), in_tenths(last->second - store_now));
}

void StoreHealthReporter::forget(Incarnation who) {
  std::erase_if(open_, [&](const auto& one) { return std::get<0>(one.first) == who; });
  held_.erase(who);
  standbys_.erase(who);
  covered_.erase(who);
}

}  // namespace tenure

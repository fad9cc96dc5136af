#include "adapters/postgres/listener.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>

#include "adapters/postgres/failure.h"

namespace tenure {
namespace {

// "lease_freed 7"; nullopt for payload that a later version may say.
std::optional<Notification> notification_of(std::string_view payload) {
  const std::size_t space = payload.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view what = payload.substr(0, space);
  const std::string_view number = payload.substr(space + 1);
  Notification heard;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), heard.resource.value);
  if (error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
  if (what == "lease_freed")
    heard.what = Notification::What::lease_freed;
  else if (what == "schedules_changed")
    heard.what = Notification::What::schedules_changed;
  else if (what == "events_added")
    heard.what = Notification::What::events_added;
  else
    return std::nullopt;
  return heard;
}

}  // namespace

ListenerEvent PostgresListener::wait(Duration timeout) {
  const postgres::Deadline deadline = postgres::deadline_after(timeout);
  ListenerEvent heard;
  try {
    if (!connection_ && !listen(deadline, heard)) return heard;
    if (heard.missed) return heard;
    while (heard.notifications.empty() && connection_->wait(deadline)) {
      for (const std::string& payload : connection_->take_notifications())
        if (const auto known = notification_of(payload)) heard.notifications.push_back(*known);
    }
  } catch (const postgres::PostgresFailure& failure) {
    heard.trouble = postgres::open_error_of(failure, "listening").message;
    connection_.reset();
  }
  return heard;
}

bool PostgresListener::listen(postgres::Deadline deadline, ListenerEvent& heard) {
  if (next_attempt_ > deadline) {
    std::this_thread::sleep_until(deadline);
    heard.trouble = "listening: the connection broke, and it is not yet time to try again";
    return false;
  }
  std::this_thread::sleep_until(next_attempt_);
  next_attempt_ = postgres::deadline_after(pause_);
  const postgres::Deadline patience = std::max(deadline, postgres::deadline_after(kPatience));
  postgres::PostgresConnection fresh(words_, false, patience, over_);
  fresh.run("LISTEN tenure", patience);
  connection_ = std::move(fresh);
  heard.missed = true;
  return true;
}

}  // namespace tenure

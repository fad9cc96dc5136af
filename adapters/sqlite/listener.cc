#include "adapters/sqlite/listener.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "adapters/sqlite/failure.h"
#include "adapters/sqlite/statement.h"
#include "core/store/listening.h"

namespace tenure {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr Duration kPatience = Duration::seconds(1);

}  // namespace

struct SqliteListener::Eye {
  struct Seen {
    bool held = false;
    std::int64_t change_seq = 0;
    std::int64_t clients_events = 0;
  };

  explicit Eye(const std::string& path)
      : connection(path, sqlite::Make::no),
        version(connection, "PRAGMA data_version"),
        resources(connection,
                  "SELECT resource, holder_life <> 0, change_seq, clients_events FROM tenure_resource") {
    connection.remember_log();  // preparing these has read the tables
    look();
  }

  // What is different from the look before, if any other connection has committed since.
  std::vector<Notification> look() {
    connection.give_up_after(kPatience);
    connection.check_place();
    const std::int64_t now = version_now();
    std::vector<Notification> changed;
    if (now == version_seen) return changed;
    sqlite::Rows rows = resources.with();
    while (rows.next()) {
      const ResourceId resource{rows.small()};
      const Seen fresh{rows.flag(), rows.integer(), rows.integer()};
      const Seen before = std::exchange(seen[resource], fresh);
      if (before.held && !fresh.held) changed.push_back({Notification::What::lease_freed, resource});
      if (before.change_seq != fresh.change_seq)
        changed.push_back({Notification::What::schedules_changed, resource});
      if (before.clients_events != fresh.clients_events)
        changed.push_back({Notification::What::events_added, resource});
    }
    version_seen = now;
    return changed;
  }
  std::int64_t version_now() {
    sqlite::Rows rows = version.with();
    rows.next();
    return rows.integer();
  }

  sqlite::SqliteConnection connection;
  sqlite::Statement version;
  sqlite::Statement resources;
  std::int64_t version_seen = -1;
  std::map<ResourceId, Seen> seen;
};

SqliteListener::SqliteListener(std::string path, Duration period) : path_(std::move(path)), period_(period) {}

SqliteListener::~SqliteListener() = default;

ListenerEvent SqliteListener::wait(Duration timeout) {
  const auto deadline = steady_clock::now() + nanoseconds(timeout.ns());
  ListenerEvent heard;
  try {
    if (eye_ == nullptr) {
      std::this_thread::sleep_until(std::min(next_attempt_, deadline));
      if (steady_clock::now() < next_attempt_) {
        heard.trouble = trouble_;  // it is not yet time to try again
        return heard;
      }
      next_attempt_ = steady_clock::now() + nanoseconds(kListenAgain.ns());
      eye_ = std::make_unique<Eye>(path_);
      heard.missed = true;
      return heard;
    }
    for (;;) {
      heard.notifications = eye_->look();
      const auto now = steady_clock::now();
      if (!heard.notifications.empty() || now >= deadline) return heard;
      std::this_thread::sleep_until(std::min(now + nanoseconds(period_.ns()), deadline));
    }
  } catch (const sqlite::SqliteFailure& failure) {
    heard.trouble = trouble_ = "listening: " + sqlite::open_error_of(failure, path_).message;
    eye_.reset();
  }
  return heard;
}

}  // namespace tenure

#include "adapters/sqlite/sqlite_machine.h"

#include <utility>

#include "core/base/check.h"
#include "core/store/reference/reference_store.h"

namespace tenure {
namespace {

constexpr Duration kNoHurry = Duration::max();

std::unique_ptr<SqliteStore> opened(SqliteStore::Opened result) {
  if (const auto* error = std::get_if<OpenError>(&result)) CHECK(false, error->message);
  return std::move(std::get<std::unique_ptr<SqliteStore>>(result));
}

}  // namespace

SqliteMachine::SqliteMachine(const TimeZones& zones)
    : store_(opened(SqliteStore::open(
          {.path = ":memory:", .zones = &zones, .clock = [now = now_] { return *now; }, .history = false}))) {
}

bool SqliteMachine::handles(const Request& request) const {
  return std::holds_alternative<reference::Request>(request);
}

Reply SqliteMachine::apply(const Request& request, StoreTime store_now,
                           std::vector<Notification>& notifications) {
  CHECK(handles(request), "a request of another store's family");
  *now_ = store_now;
  Answer answer = store_->execute(std::get<reference::Request>(request), kNoHurry);
  CHECK(answer.outcome == RequestOutcome::applied, answer.message);
  notifications.insert(notifications.end(), answer.notifications.begin(), answer.notifications.end());
  return std::move(answer.reply);
}

// One writer at a time is how SQLite does it; what is simulated is what the reference store promises.
RowLock SqliteMachine::lease_lock(const Request& request) const {
  return reference::ReferenceStore{}.lease_lock(request);
}

void SqliteMachine::promote(std::uint32_t branch) {
  const Answer answer = store_->promote(branch, kNoHurry);
  CHECK(answer.outcome == RequestOutcome::applied, answer.message);
}

std::unique_ptr<StoreMachine> SqliteMachine::clone() const {
  std::unique_ptr<SqliteMachine> copy(new SqliteMachine);
  *copy->now_ = *now_;
  copy->store_ = opened(store_->copy_in_memory([now = copy->now_] { return *now; }));
  return copy;
}

void SqliteMachine::hash(Hasher& hasher, StoreTime now) const { store_->hash(hasher, now); }

}  // namespace tenure

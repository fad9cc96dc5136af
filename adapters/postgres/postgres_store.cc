#include "adapters/postgres/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "adapters/postgres/failure.h"
#include "adapters/postgres/migrate.h"
#include "adapters/store/slot_search.h"
#include "core/base/check.h"

namespace tenure {

using postgres::Deadline;
using postgres::Edit;
using postgres::PostgresFailure;
using postgres::PostgresStage;
using postgres::StatementCall;

namespace {

constexpr const char* kLockTimeout = "55P03";
constexpr const char* kLockHolder = "SELECT tenure.lock_holder()";

// Only the scheduler sends these. What another session does is nothing for clients.
bool is_of_scheduler(const reference::Request& request) {
  return std::holds_alternative<reference::CommitFires>(request) ||
         std::holds_alternative<reference::Acquire>(request) ||
         std::holds_alternative<reference::Renew>(request) ||
         std::holds_alternative<reference::Release>(request);
}

// Which session has the lock that was waited for, in words; empty: it is gone, or the server did not say.
std::string lock_holder(postgres::PostgresConnection& connection, Deadline deadline) {
  try {
    return std::string(connection.ask(kLockHolder, {}, deadline).text());
  } catch (const PostgresFailure&) {
    return {};
  }
}

}  // namespace

PostgresStore::Opened PostgresStore::open(PostgresOptions options) {
  if (options.zones == nullptr) options.zones = &only_utc();
  std::unique_ptr<PostgresStore> store(new PostgresStore(std::move(options)));
  try {
    const PostgresOptions& asked = store->options_;
    const Deadline deadline = postgres::deadline_after(asked.timeout);
    const Deadline soon = std::min(deadline, postgres::deadline_after(asked.connect_within));
    if (auto error = store->connect(asked.migrate, soon, deadline)) return *std::move(error);
    return store;
  } catch (const PostgresFailure& failure) {
    return postgres::open_error_of(failure, store->place());
  }
}

std::optional<OpenError> PostgresStore::connect(bool may_change, Deadline deadline, Deadline to_migrate) {
  connection_.reset();
  statement_ms_ = 0;
  postgres::PostgresConnection fresh(options_.connection, !options_.pooled, deadline);
  place_ = fresh.place();
  if (!options_.pooled) fresh.run("SET default_transaction_isolation = 'read committed'", deadline);
  if (auto error = postgres::migrate(fresh, may_change, deadline, to_migrate)) return error;
  const std::string found = postgres::identity_of(fresh, deadline);
  if (auto error = other_store(place_, identity_, found)) return error;
  identity_ = found;
  connection_ = std::move(fresh);
  return std::nullopt;
}

// Most callers have one timeout for all, so this is said once for a connection.
void PostgresStore::limit_statements(Duration timeout, Deadline deadline) {
  const std::int64_t ms = std::max<std::int64_t>(1, timeout.ns() / 1'000'000 / 10 * 9);
  if (options_.pooled || ms == statement_ms_) return;
  connection_->run(fmt::format("SET statement_timeout = {}", std::min<std::int64_t>(ms, INT32_MAX)),
                   deadline);
  statement_ms_ = ms;
}

std::int64_t PostgresStore::lock_wait_ms(const reference::Request& request, Duration timeout) {
  const bool one_lock = std::holds_alternative<reference::Acquire>(request) ||
                        std::holds_alternative<reference::Renew>(request) ||
                        std::holds_alternative<reference::Release>(request);
  const std::int64_t ms = timeout.ns() / 1'000'000;
  return std::clamp<std::int64_t>(one_lock ? ms / 10 * 8 : ms / 10 * 4, 1, INT32_MAX);
}

Answer PostgresStore::execute(const reference::Request& request, Duration timeout) {
  const Deadline deadline = postgres::deadline_after(timeout);
  Answer answer;
  try {
    if (connection_ && !connection_->usable()) connection_.reset();
    if (!connection_) {
      if (auto error = connect(false, deadline, deadline))
        return rejected(error->trouble, std::move(error->message));
    }
    limit_statements(timeout, deadline);
    perform(request, timeout, deadline, answer);
    return answer;
  } catch (PostgresFailure failure) {
    if (failure.sqlstate == kLockTimeout && is_of_scheduler(request)) {
      const std::string holder = lock_holder(*connection_, deadline);
      if (!holder.empty()) failure.message += "; " + holder;
    }
    answer = postgres::answer_of(failure, place());
  } catch (const std::out_of_range& error) {
    answer = unknown(StoreError::failed, place() + ": an answer that makes no sense");
  }
  // Only a server that has said what became of it can be talked to again. Where it was busy or full, that was about the
  // request. Anything else may be about the connection: it leads to a server that may only be read, or what was
  // prepared on it is of tables that are no more.
  const bool settled = connection_ && connection_->usable() && answer.outcome == RequestOutcome::rejected;
  if (!settled || (answer.trouble != StoreError::busy && answer.trouble != StoreError::full))
    connection_.reset();
  return answer;
}

void PostgresStore::perform(const reference::Request& request, Duration timeout, Deadline deadline,
                            Answer& answer) {
  const std::int64_t wait_ms = lock_wait_ms(request, timeout);
  const std::optional<Edit> edit = std::visit(
      [](const auto& asked) -> std::optional<Edit> {
        if constexpr (std::is_constructible_v<Edit, decltype(asked)>) return Edit{asked};
        return std::nullopt;
      },
      request);
  if (edit) return perform(*edit, wait_ms, deadline, answer);
  const StatementCall call = postgres::call_of(request, wait_ms);
  postgres::read_answer(request, connection_->ask(call.sql, call.params, deadline), *options_.zones, answer);
  answer.outcome = RequestOutcome::applied;
}

void PostgresStore::perform(const Edit& edit, std::int64_t wait_ms, Deadline deadline, Answer& answer) {
  const StatementCall look = postgres::look_call(edit);
  const auto all = postgres::left_until(deadline);
  for (int round = 0; round < kSearchRounds; ++round) {
    // What waits longer than the caller would end as unknown.
    const auto left = postgres::left_until(deadline);
    if (left < all / 10) break;
    wait_ms = std::min<std::int64_t>(wait_ms, left.count() / 10 * 4 + 1);
    postgres::Looked looked;
    try {
      looked = postgres::read_look(edit, connection_->ask(look.sql, look.params, deadline));
    } catch (const PostgresFailure& failure) {  // nothing is written by a look
      throw PostgresFailure{failure.stage == PostgresStage::lost ? PostgresStage::before : failure.stage,
                            failure.sqlstate, failure.message};
    }
    const StatementCall call = postgres::edit_call(edit, looked, *options_.zones, wait_ms);
    answer = {};
    if (postgres::read_edit(edit, connection_->ask(call.sql, call.params, deadline), answer)) {
      answer.outcome = RequestOutcome::applied;
      return;
    }
  }
  throw PostgresFailure{PostgresStage::answered, "40001",
                        "the schedule changed each time before its edit could be written"};
}

std::optional<StoreAudit> PostgresStore::audit(ResourceId resource) {
  const Deadline deadline = postgres::deadline_after(options_.timeout);
  try {
    if (!connection_ || !connection_->usable()) {
      if (connect(false, deadline, deadline)) return std::nullopt;
    }
    limit_statements(options_.timeout, deadline);
    const StatementCall call = postgres::audit_call(resource);
    return postgres::read_audit(connection_->ask(call.sql, call.params, deadline));
  } catch (const PostgresFailure&) {
    connection_.reset();
    return std::nullopt;
  }
}

}  // namespace tenure

// The API's handlers on the reference machine, without a server: what a test asks is answered at once.
//
// Thread rule: MachineStore::ask() may be called from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/tzdb/tzdb.h"
#include "core/base/check.h"
#include "core/store/reference/reference_store.h"
#include "daemon/api/handlers.h"
#include "daemon/api/quotas.h"
#include "daemon/api/schedule_names.h"
#include "daemon/api/streams.h"

namespace tenure::daemon {

class MachineStore final : public PooledStore {
 public:
  Answer ask(const reference::Request& request) override {
    const std::lock_guard lock(mutex_);
    Answer answer;
    answer.outcome = RequestOutcome::applied;
    answer.store_time = now;
    answer.reply = std::get<reference::Reply>(machine_.apply(request, now, notifications_));
    return answer;
  }
  std::string identity() const override { return "00112233445566778899aabbccddeeff"; }

  StoreTime now = StoreTime::from_ns(1'800'000'000'000'000'000);

 private:
  std::mutex mutex_;
  reference::ReferenceStore machine_ = reference::ReferenceStore::with_history();
  std::vector<Notification> notifications_;
};

// The same store, as a pool connects to it.
class MachineBackend final : public StoreBackend {
 public:
  explicit MachineBackend(MachineStore& store) : store_(store) {}
  Answer execute(const reference::Request& request, Duration) override { return store_.ask(request); }
  std::optional<StoreAudit> audit(ResourceId) override { return std::nullopt; }

 private:
  MachineStore& store_;
};

class ApiOnAMachine {
 public:
  Call call(std::string body = {}, QueryPairs query = {}, std::vector<std::string> in_path = {}) {
    Call made{context, {}, std::move(in_path), std::move(query), {"tester", true, true, true, {}}};
    made.request.body = std::move(body);
    made.store = &store;
    return made;
  }
  void put(const std::string& name, const std::vector<reference::Label>& labels = {},
           Duration every = Duration::hours(1)) {
    reference::PutNamed put;
    put.name = name;
    put.definition.recurrence = Interval{.start = {}, .period = every};
    put.definition.delivery.kind = Delivery::Kind::pull;
    put.payload.labels = labels;
    const Answer answer = store.ask(put);
    CHECK(std::holds_alternative<reference::NamedEdited>(answer.reply), "it is a new name");
  }

  ApiContext context_of(StorePool& of_clients) {
    return {.resource = {},
            .zones = zones,
            .leadership = leadership,
            .pool = of_clients,
            .streams = streams,
            .names = names,
            .log = log,
            .not_ready = [] { return std::string(); },
            .outbox = [] { return OutboxReading{}; },
            .metrics_text = {},
            .destinations = [] { return std::vector<std::string>(); },
            .runs = runs,
            .refused_by_quota = [this](const std::string&,
                                       std::string_view quota) { refused.emplace_back(quota); }};
  }

  MachineStore store;
  MachineClock clock;
  LeadershipView leadership{clock};
  StorePool pool{{.connect = {}, .threads = 0}, clock};
  EventStreams streams{pool, 1};
  ScheduleNames names;
  RunBudget runs;
  std::vector<std::string> refused;  // by which quota
  Logger log{false};
  Tzdb zones;
  ApiContext context = context_of(pool);
};

}  // namespace tenure::daemon

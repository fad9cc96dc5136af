#include "daemon/service/scheduler_service.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "adapters/postgres/listener.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/runtime/around_store.h"
#include "adapters/runtime/journal_files.h"
#include "adapters/runtime/journaling_store.h"
#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/sqlite_store.h"
#include "daemon/service/webhook_sender.h"

namespace tenure::daemon {
namespace {

std::unique_ptr<Listener> listen_to(const DaemonConfig& config) {
  if (!is_postgres(config.store)) return std::make_unique<SqliteListener>(config.store);
  if (config.pooled) return nullptr;  // a pool loses the LISTEN
  return std::make_unique<PostgresListener>(config.store);
}

// REQUIRES: the observer outlives every connection.
Connect watched(Connect connect, StoreObserver& observer) {
  return around_each_request(
      std::move(connect),
      [&observer](StoreBackend& store, const reference::Request& request, Duration timeout) {
        const auto began = std::chrono::steady_clock::now();
        Answer answer = store.execute(request, timeout);
        const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
        observer.answered(request, answer, Duration::nanos(took.count()));
        return answer;
      });
}

SchedulesOptions schedules_options(const DaemonConfig& config) {
  return {.id = {},
          .resource = kResource,
          .connect = {},
          .election = config.election,
          .scheduling = config.scheduling,
          .accept = config.accept};
}

}  // namespace

Connect connect_to(const DaemonConfig& config, const TimeZones& zones) {
  if (is_postgres(config.store))
    return connect_with<PostgresStore>(
        {.connection = config.store, .zones = &zones, .pooled = config.pooled});
  return connect_with<SqliteStore>({.path = config.store, .zones = &zones, .shares_file = false});
}

struct SchedulerService::Parts {
  Parts(const DaemonConfig& the_config, const TimeZones& zones, const Logger& the_log,
        ServiceMetrics& the_metrics)
      : config(the_config),
        log(the_log),
        metrics(the_metrics),
        connect(connect_to(config, zones)),
        journal(journal_of(config, log)),
        runtime(std::make_unique<Runtime>(journal ? journal->sink() : JournalSink{}, log.troubles())),
        leadership(runtime->clock(), longest_silence(config.scheduling)),
        of_scheduler{&leadership, &metrics, &metrics.renewals()},
        of_clients{&metrics} {
    sender.emplace(client_connect(), runtime->clock(), log, config.destinations);
  }
  ~Parts() {
    schedules.reset();  // nothing is given to the sender any more
    sender.reset();     // it has the runtime's clock
    runtime.reset();    // its threads tell the observers
  }

  // What is changed on these connections is in the journal, if there is one.
  Connect client_connect() { return watched(journal ? told(connect, *runtime) : connect, of_clients); }

  static std::optional<JournalFilesOptions> journal_options(const DaemonConfig& config, const Logger& log) {
    if (config.journal.empty()) return std::nullopt;
    return JournalFilesOptions{.path = config.journal,
                               .keep = static_cast<std::uint32_t>(config.journal_keep),
                               .trouble = [&log](std::string_view words) { log.say(Level::error, words); }};
  }
  static std::unique_ptr<JournalFiles> journal_of(const DaemonConfig& config, const Logger& log) {
    auto options = journal_options(config, log);
    return options ? std::make_unique<JournalFiles>(*std::move(options)) : nullptr;
  }

  const DaemonConfig& config;
  const Logger& log;
  ServiceMetrics& metrics;
  Connect connect;
  std::unique_ptr<JournalFiles> journal;
  std::unique_ptr<Runtime> runtime;
  LeadershipView leadership;
  StoreObservers of_scheduler;
  StoreObservers of_clients;
  std::optional<WebhookSender> sender;
  std::mutex mutex;
  bool draining = false;
  std::optional<Schedules> schedules;  // once it has a number
};

SchedulerService::SchedulerService(const DaemonConfig& config, const TimeZones& zones, const Logger& log,
                                   ServiceMetrics& metrics)
    : parts_(std::make_unique<Parts>(config, zones, log, metrics)) {
  if (auto listener = listen_to(config)) parts_->runtime->listen(std::move(listener));
  if (config.node != 0) take_part({config.node});
}

void SchedulerService::registration_answered(const Answer& answer) {
  parts_->leadership.answered(reference::RegisterNode{}, answer, {});
  const auto* given = std::get_if<reference::NodeRegistered>(&answer.reply);
  if (given != nullptr && answer.outcome == RequestOutcome::applied) take_part(given->node);
}

void SchedulerService::take_part(NodeId node) {
  Parts& parts = *parts_;
  const std::lock_guard lock(parts.mutex);
  if (parts.draining || parts.schedules) return;
  SchedulesOptions options = schedules_options(parts.config);
  options.id = node;
  options.has_clients = parts.journal != nullptr;
  options.connect = watched(parts.connect, parts.of_scheduler);
  options.observe = [&parts](const Note& note) {
    const bool led = parts.leadership.state().leads;
    parts.leadership.note(note);
    if (const auto* believes = std::get_if<Believes>(&note); believes != nullptr && !led) {
      parts.metrics.began_to_lead();
      parts.log.say(Level::info, "leads",
                    {{"epoch", fmt::format("{}", believes->token ? believes->token->epoch : 0)}});
    }
    if (const auto* down = std::get_if<StepsDown>(&note))
      parts.log.say(Level::info, "no longer leads", {{"why", std::string(down->why)}});
  };
  parts.leadership.begin({node, 0});
  // Schedules of the API have their events pulled or sent. Another program that uses this store may have put others.
  parts.schedules.emplace(
      *parts.runtime, std::move(options), [&parts](const WorkItem& item, WorkDoneCallback done) {
        if (!item.destination.empty()) return parts.sender->send(item, std::move(done));
        parts.log.say(Level::error,
                      "an event is work that this program does not do: another one put its schedule",
                      {{"uid", fmt::format("{}", item.event.schedule.value)}});
        done(WorkResult::failed);
      });
}

SchedulerService::~SchedulerService() = default;

const MachineClock& SchedulerService::clock() const { return parts_->runtime->clock(); }

const LeadershipView& SchedulerService::leadership() const { return parts_->leadership; }

Connect SchedulerService::client_connect() const { return parts_->client_connect(); }

void SchedulerService::set_destinations(std::vector<webhook::WebhookDestination> destinations) {
  parts_->sender->set_destinations(std::move(destinations));
}

bool SchedulerService::drain(Duration within) {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->draining = true;
  }
  parts_->runtime->stop();
  return parts_->runtime->wait(within);
}

}  // namespace tenure::daemon

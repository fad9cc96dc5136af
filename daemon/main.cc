// The program `tenured`: docs/daemon.md.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "adapters/postgres/hosts.h"
#include "adapters/tzdb/tzdb.h"
#include "daemon/api/api.h"
#include "daemon/api/quotas.h"
#include "daemon/api/schedule_names.h"
#include "daemon/api/streams.h"
#include "daemon/config/endpoint.h"
#include "daemon/config/read_config.h"
#include "daemon/http/server.h"
#include "daemon/service/each_second.h"
#include "daemon/service/node_registration.h"
#include "daemon/service/outbox_watch.h"
#include "daemon/service/scheduler_service.h"
#include "daemon/service/signals.h"
#include "daemon/service/supervisor.h"

using namespace tenure;
using namespace tenure::daemon;

namespace {

enum ExitCode : int { kDone = 0, kNotDrained = 1, kUsage = 64, kBadConfig = 65, kInputOutput = 74 };

constexpr std::size_t kMessageBytes = 400;
constexpr Duration kToAnswer = Duration::seconds(5);  // what clients have asked for when it stops

struct Arguments {
  std::string config;  // empty: none
  std::vector<format::Override> sets;
  bool check = false;
};

// A flag that stands for a key of the configuration.
void add_key(CLI::App& app, Arguments& arguments, const char* flag, const char* type, const char* key,
             const char* doc) {
  app.add_option_function<std::string>(
         flag,
         [&arguments, key = std::string(key)](const std::string& value) {
           // An address of IPv6 begins as a list does in TOML.
           const bool is_address = value.starts_with('[');
           arguments.sets.push_back({key, is_address ? '"' + value + '"' : value});
         },
         doc)
      ->type_name(type);
}

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--config", arguments.config, "configuration file, like tenured.toml (none)")
      ->type_name("FILE");
  add_key(app, arguments, "--store", "STORE", "store", "SQLite file, or postgres://… (tenure.db)");
  add_key(app, arguments, "--listen", "ADDRESS:PORT", "http.listen", "serve HTTP there (127.0.0.1:8420)");
  add_key(app, arguments, "--health", "ADDRESS:PORT", "http.health", "serve only health checks there (none)");
  add_key(app, arguments, "--insecure", "true|false", "http.insecure",
          "accept remote clients without TLS (false)");
  add_key(app, arguments, "--node", "N", "node",
          "number of this instance, 1 to 999, unique in the store (given by the store)");
  add_key(app, arguments, "--log", "FORMAT", "log", "text or json (text)");
  add_key(app, arguments, "--journal", "FILE", "journal",
          "write a journal for `tenure audit` to FILE (none)");
  add_key(app, arguments, "--drain", "TIME", "drain", "wait at most TIME for running work on SIGTERM (20s)");
  app.add_option_function<std::vector<std::string>>(
         "--set",
         [&arguments](const std::vector<std::string>& all) {
           for (const std::string& one : all) {
             const std::size_t equals = one.find('=');
             if (equals == std::string::npos || equals == 0)
               throw CLI::ValidationError("--set", "KEY=VALUE, like election.lease_duration=10s");
             arguments.sets.push_back({one.substr(0, equals), one.substr(equals + 1)});
           }
         },
         "override a key of tenured.toml, like election.lease_duration=10s")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--check-config", arguments.check, "check the configuration and the store's folder, and exit");
  app.set_version_flag("--version", TENURE_VERSION, "print the version");
}

// What others on this machine could read or change.
void add_warnings(const Arguments& arguments, ConfigRead& read) {
  if (others_may(arguments.config, std::filesystem::perms::others_write))
    read.warnings.push_back(
        fmt::format("every account of this machine can change {}: `chmod o-w` it", arguments.config));
  for (const format::Override& set : arguments.sets)
    if (set.key == "store" && is_postgres(set.value) && postgres::has_password(set.value))
      read.warnings.push_back(
          "the password in --store is shown to every account of this machine (`ps`): write it into "
          "the configuration, ~/.pgpass or PGPASSWORD");
}

// That the store's file cannot be written here. Its folder may be mounted later.
std::string problem_with_folder(const std::string& store) {
  if (is_postgres(store)) return {};
  const std::filesystem::path folder = std::filesystem::path(store).parent_path();
  const std::string shown = folder.empty() ? "." : folder.string();
  std::error_code unknown;
  if (!std::filesystem::is_directory(shown, unknown))
    return fmt::format("the store's folder {} is not there: create it, or change `store`", shown);
  if (access(shown.c_str(), W_OK | X_OK) != 0)
    return fmt::format("this account cannot write the store's folder {}: {}", shown,
                       std::generic_category().message(errno));
  return {};
}

// A file of another kind never becomes a store, so there is nothing to wait for.
bool is_another_file(const std::string& store) {
  constexpr std::string_view kHead = "SQLite format 3";
  if (is_postgres(store) || !std::filesystem::is_regular_file(store)) return false;
  std::string head(kHead.size(), '\0');
  std::ifstream file(store, std::ios::binary);
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head != kHead;
}

// The configuration, or all that is wrong with it, on stderr.
ConfigRead load(const Arguments& arguments) {
  std::string text;
  if (!arguments.config.empty()) {
    errno = 0;
    std::ifstream file(arguments.config, std::ios::binary);
    char part[4096];
    while (file.read(part, sizeof part) || file.gcount() > 0)
      text.append(part, static_cast<std::size_t>(file.gcount()));
    if (!file.eof()) {
      ConfigRead read;
      format::Diagnostic error;
      error.where = arguments.config;
      error.message = "cannot read the configuration";
      if (errno != 0) error.message += ": " + std::generic_category().message(errno);
      read.errors.push_back(error);
      return read;
    }
  }
  ConfigRead read = read_config(text, arguments.config, arguments.sets);
  add_warnings(arguments, read);
  if (!read.config || !is_postgres(read.config->store)) return read;
  if (const std::string problem = postgres::problem_with(read.config->store); !problem.empty()) {
    format::Diagnostic error;
    error.where = "store";
    error.message = problem;
    read.errors.push_back(error);
    read.config.reset();
  }
  return read;
}

// An error in the configuration, for a log of one line an entry.
Logger::Fields fields_of(const format::Diagnostic& error) {
  std::string where = error.where;
  if (error.line != 0) where += fmt::format(":{}:{}", error.line, error.column);
  Logger::Fields fields = {{"where", where}};
  if (!error.hint.empty()) fields.emplace_back("hint", error.hint);
  if (!error.note.empty()) fields.emplace_back("note", error.note);
  return fields;
}

HttpOptions http_options(const DaemonConfig& config, ServiceMetrics& metrics) {
  return {.address = config.listen.address,
          .port = config.listen.port,
          .threads = static_cast<int>(config.http_threads),
          .connections = static_cast<std::size_t>(config.http_connections),
          .idle_time = config.http_idle,
          .receive_time = config.http_request,
          .answered = [&metrics](const HttpAnswered& answer) {
            metrics.http_answered(answer.route, answer.method, answer.status, answer.took);
          }};
}

// The program, from its start to its stop.
class Program {
 public:
  Program(DaemonConfig config, Arguments arguments)
      : config_(std::move(config)),
        arguments_(std::move(arguments)),
        log_(config_.log_json),
        service_(config_, zones_, log_, metrics_),
        pool_(
            {.connect = service_.client_connect(), .threads = static_cast<std::size_t>(config_.connections)},
            service_.clock()),
        streams_(pool_, static_cast<std::size_t>(config_.streams)),
        outbox_(pool_, kResource, metrics_),
        registration_(pool_, kResource, log_,
                      [this](const Answer& answer) { service_.registration_answered(answer); }),
        api_(context(), AccessRules(config_)) {
    learn_destinations(config_);
  }

  int run(const Signals& signals) {
    if (!open(server_, http_options(config_, metrics_), api_.handler())) return kInputOutput;
    if (config_.health) {
      HttpOptions options = http_options(config_, metrics_);
      options.address = config_.health->address;
      options.port = config_.health->port;
      options.threads = 1;
      if (!open(health_, options, api_.health_handler())) return kInputOutput;
    }
    log_.say(Level::info,
             fmt::format("listens on http://{}", text_of({config_.listen.address, server_->port()})),
             {{"store", shown_store(config_.store)}});
    if (config_.node == 0) registration_.tick();
    const EachSecond ticking([this] { tick(); });
    tell_supervisor("READY=1");
    while (signals.wait() == SIGHUP) read_again();
    return stop(signals);
  }

 private:
  ApiContext context() {
    return {.resource = kResource,
            .zones = zones_,
            .leadership = service_.leadership(),
            .pool = pool_,
            .streams = streams_,
            .names = names_,
            .log = log_,
            .not_ready = [this] { return std::string(stopping_ ? "it is stopping" : ""); },
            .outbox = [this] { return outbox_.reading(); },
            .metrics_text = [this] { return metrics_.text(readings()); },
            .destinations = [this] { return destination_names(); },
            .runs = runs_,
            .refused_by_quota = [this](const std::string& token,
                                       std::string_view quota) { metrics_.refused_by_quota(token, quota); }};
  }
  std::vector<std::string> destination_names() const {
    const std::lock_guard lock(mutex_);
    return destinations_;
  }
  void learn_destinations(const DaemonConfig& config) {
    const std::lock_guard lock(mutex_);
    destinations_.clear();
    for (const webhook::WebhookDestination& one : config.destinations) destinations_.push_back(one.name);
  }
  GaugeReadings readings() const {
    const LeadershipState state = service_.leadership().state();
    return {.leads = state.leads,
            .belief_left = state.belief_left,
            .held = state.hold.has_value(),
            .store_answers = state.store_answers,
            .http_connections = server_ ? server_->connections() : 0,
            .requests_waiting = pool_.waiting(),
            .streams = streams_.followers()};
  }
  bool open(std::unique_ptr<HttpServer>& server, HttpOptions options, HttpHandler handler) {
    HttpServer::Opened opened = HttpServer::open(std::move(options), std::move(handler));
    if (const auto* why = std::get_if<std::string>(&opened)) {
      log_.say(Level::error, *why);
      return false;
    }
    server = std::get<std::unique_ptr<HttpServer>>(std::move(opened));
    return true;
  }
  void tick() {
    api_.tick();
    streams_.tick();
    outbox_.tick();
    if (config_.node == 0) registration_.tick();
    if (watchdog_ > Duration{}) tell_supervisor("WATCHDOG=1");
  }
  void read_again() {
    ConfigRead read = load(arguments_);
    for (const format::Diagnostic& error : read.errors)
      log_.say(Level::error, format::printable(error.message, kMessageBytes), fields_of(error));
    if (!read.config) return log_.say(Level::error, "the configuration is bad; what was read before stays");
    api_.set_rules(AccessRules(*read.config));
    service_.set_destinations(read.config->destinations);
    learn_destinations(*read.config);
    log_.say(Level::info,
             "tokens, http.hosts, http.loopback_needs_token and destinations are read again; "
             "everything else needs a restart",
             {{"tokens", fmt::format("{}", read.config->tokens.size())},
              {"destinations", fmt::format("{}", read.config->destinations.size())}});
  }
  int stop(const Signals& signals) {
    stopping_ = true;
    api_.tick();  // who waits is answered
    tell_supervisor("STOPPING=1");
    log_.say(Level::info, "stops");
    std::thread([signals] {
      while (signals.wait() == SIGHUP) {  // a terminal was closed, or a reload came late: nothing to end for
      }
      std::_Exit(kNotDrained);  // asked once more: at once
    }).detach();
    const bool drained = service_.drain(config_.drain);
    if (!drained)
      log_.say(Level::warning, "not finished in time; another instance leads once the lease has run out");
    server_->stop(kToAnswer);
    if (health_) health_->stop(Duration{});
    streams_.end();
    pool_.stop();
    api_.end();
    return drained ? kDone : kNotDrained;
  }

  const DaemonConfig config_;
  const Arguments arguments_;
  const Duration watchdog_ = watchdog_period();
  const Tzdb zones_;
  const Logger log_;
  ServiceMetrics metrics_;
  SchedulerService service_;
  StorePool pool_;
  EventStreams streams_;
  ScheduleNames names_;
  RunBudget runs_;
  OutboxWatch outbox_;
  NodeRegistration registration_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> destinations_;  // their names
  Api api_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpServer> health_;
};

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("tenured: schedules as a service. One instance is leader and fires; all answer requests.",
               "tenured");
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "error: {}\n`tenured --help` lists the options\n", error.what());
    return kUsage;
  }
  ConfigRead read = load(arguments);
  for (const format::Diagnostic& error : read.errors) fmt::print(stderr, "{}", format::render(error));
  for (const std::string& warning : read.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (!read.config) return kBadConfig;
  const std::string& store = read.config->store;
  if (const std::string problem = problem_with_folder(store); !problem.empty())
    fmt::print(stderr, "warning: {}\n", problem);
  if (is_another_file(store)) {
    fmt::print(stderr, "error: the store {} is not an SQLite database: name another file\n", store);
    return kBadConfig;
  }
  if (arguments.check) {
    fmt::print("the configuration is good: {} listens on {}, and clients of this machine need {}\n",
               shown_store(read.config->store), text_of(read.config->listen),
               read.config->loopback_needs_token ? "a token" : "no token");
    return kDone;
  }
  const Signals signals;
  return Program(*std::move(read.config), std::move(arguments)).run(signals);
}

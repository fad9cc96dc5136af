// The program `tenured`: docs/daemon.md.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "adapters/tzdb/tzdb.h"
#include "daemon/api/api.h"
#include "daemon/config/config.h"
#include "daemon/http/server.h"
#include "daemon/service/scheduler_service.h"
#include "daemon/service/signals.h"

using namespace tenure;
using namespace tenure::daemon;

int main(int argc, char** argv) {
  DaemonConfig config;
  CLI::App app("tenured: schedules as a service");
  app.add_option("--store", config.store,
                 "a file of SQLite, or Postgres by its connection string (tenure.db)");
  std::uint16_t port = 8420;
  app.add_option("--port", port, "where it listens on 127.0.0.1 (8420)");
  CLI11_PARSE(app, argc, argv);
  config.listen.port = port;

  const Signals signals;
  static const Tzdb zones;
  const Logger log(config.log_json);
  SchedulerService service(config, zones, log);
  StorePool pool({.connect = service.client_connect()}, service.clock());
  Api api({.resource = kResource,
           .zones = zones,
           .leadership = service.leadership(),
           .pool = pool,
           .not_ready = [] { return std::string{}; }},
          AccessRules(config));
  HttpServer::Opened opened =
      HttpServer::open({.address = config.listen.address, .port = config.listen.port}, api.handler());
  if (const auto* why = std::get_if<std::string>(&opened)) {
    log.say(Level::error, *why);
    return 74;
  }
  auto& server = std::get<std::unique_ptr<HttpServer>>(opened);
  log.say(Level::info, "listens on http://" + text_of({config.listen.address, server->port()}));
  signals.wait();
  log.say(Level::info, "stops");
  const bool drained = service.drain(config.drain);
  server->stop(Duration::seconds(5));
  return drained ? 0 : 1;
}

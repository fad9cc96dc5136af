#include "bench/postgres/least.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "adapters/postgres/params.h"

namespace tenure {
namespace {

constexpr std::pair<const char*, const char*> kStatements[] = {
    {"round trip", "SELECT $1::bigint"},
    {"commit", "UPDATE least SET n = n + $1 WHERE id = 1"},
    {"fire",
     "WITH head AS (UPDATE least SET n = n + 1 WHERE id = 1 RETURNING n),"
     "     segment AS (UPDATE least SET n = least.n + $1 FROM head WHERE id = 2 + head.n % 90000 RETURNING "
     "id) "
     "INSERT INTO least_events SELECT head.n, head.n FROM head, segment"}};

constexpr const char* kBareFire =
    "WITH lease AS (SELECT l.stamp FROM tenure.lease l"
    "               WHERE l.resource = $1 AND l.holder_node = $2 AND l.holder_life = $3 AND l.branch = $4"
    "                 AND l.epoch = $5 AND l.nonce = $6"
    "                 AND l.expires_us > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    "               FOR KEY SHARE),"
    "     segment AS (UPDATE tenure.segment s SET cursor_us = $10, covered_us = $11 FROM lease"
    "                 WHERE s.resource = $1 AND s.schedule = $7 AND s.version = $8 AND s.cursor_us = $9"
    "                 RETURNING lease.stamp),"
    "     head AS (UPDATE tenure.head h"
    "              SET outbox_seq = h.outbox_seq + 1, history_seq = h.history_seq + 1,"
    "                  stamp = greatest(h.stamp, segment.stamp) + 1 FROM segment"
    "              WHERE h.resource = $1 AND h.hold_since_us IS NULL RETURNING h.outbox_seq, h.history_seq,"
    "              (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now),"
    "     event AS (INSERT INTO tenure.outbox (resource, seq, slot_us, schedule, run, version, at_us)"
    "               SELECT $1, head.outbox_seq, $9, $7, 0, $8, head.now FROM head) "
    "INSERT INTO tenure.history"
    " (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what)"
    " SELECT $1, head.history_seq, $7, $8, $9, 0, $9, $10, 1, head.now, 0 FROM head";

std::string text(std::int64_t number) { return fmt::format("{}", number); }

}  // namespace

Least::Least() {
  for (const char* sql :
       {"CREATE TABLE least (id bigint PRIMARY KEY, n bigint) WITH (fillfactor = 10)",
        "CREATE TABLE least_events (seq bigint PRIMARY KEY, slot bigint, UNIQUE (slot, seq))",
        "INSERT INTO least SELECT i, 0 FROM generate_series(1, 100000) i", "CHECKPOINT"})
    server_.ask(sql);
  for (const auto& [name, sql] : kStatements) server_.prepare(name, sql);
}

void Least::time(Latencies& times, const char* statement) {
  const std::vector<std::string> one = {"1"};
  times.measure([&] { server_.call(statement, one); });
}

BareFire::BareFire(ResourceId resource, Incarnation holder, const Token& token)
    : lease_{text(resource.value), text(holder.node.value),      text(holder.number),
             text(token.branch),   text(as_signed(token.epoch)), text(as_signed(token.nonce))} {
  server_.prepare("bare fire", kBareFire);
}

void BareFire::fire(const reference::LedgerRow& row, Latencies& times) {
  std::vector<std::string> parameters = lease_;
  for (const std::int64_t number : {std::int64_t{row.schedule.value}, std::int64_t{row.version},
                                    to_integer(row.slot), to_integer(row.to), to_integer(row.slot) + 1})
    parameters.push_back(text(number));
  int events = 0;
  times.measure([&] { events = server_.call("bare fire", parameters); });
  if (events == 1) return;
  fmt::print(stderr, "the bare statement wrote no event\n");
  std::exit(70);
}

}  // namespace tenure

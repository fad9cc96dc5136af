// All that is stored, as a hash.
#include <string>

#include "adapters/sqlite/partition.h"
#include "adapters/sqlite/sqlite_store.h"

namespace tenure {
namespace {

struct HashedTable {
  const char* columns;
  const char* rest;
};

// Without the lease, whose times go in as distances, and how often it was written, which changes no reply.
constexpr HashedTable kTables[] = {
    {"branch", "tenure_meta"},
    {"resource, hold_since_us, hold_jump_ns, change_seq, outbox_seq, history_seq, next_node",
     "tenure_resource ORDER BY resource"},
    {"*", "tenure_schedule ORDER BY resource, schedule"},
    {"*", "tenure_segment ORDER BY resource, schedule, version"},
    {"*", "tenure_exception ORDER BY resource, schedule, version, from_us"},
    {"*", "tenure_change ORDER BY resource, seq"},
    {"*", "tenure_payload ORDER BY resource, schedule, version"},
    {"*", "tenure_outbox ORDER BY resource, seq"},
    {"*", "tenure_waiting ORDER BY resource, seq"},
    {"*", "tenure_ended ORDER BY resource, slot_us, schedule, run"},
    {"*", "tenure_dead ORDER BY resource, seq"},
    {"*", "tenure_history ORDER BY resource, seq"},
    {"*", "tenure_node ORDER BY resource, node"},
    {"*", "tenure_run ORDER BY resource, schedule, run"},
};

}  // namespace

void SqliteStore::hash(Hasher& hasher, StoreTime now) {
  for (const HashedTable& table : kTables) {
    sqlite::Statement rows_of(*connection_,
                              ("SELECT " + std::string(table.columns) + " FROM " + table.rest).c_str());
    sqlite::Rows rows = rows_of.with();
    while (rows.next())
      for (int i = rows.columns(); i > 0; --i) hasher.add(rows.text());
  }
  sqlite::Statement resources(*connection_, "SELECT resource FROM tenure_resource ORDER BY resource");
  sqlite::Rows rows = resources.with();
  while (rows.next()) {
    const ResourceId resource{rows.small()};
    hasher.add(resource);
    sqlite::SqlitePartition(*statements_, *options_.zones, resource, options_.history)
        .audit()
        .lease.hash(hasher, now);
  }
}

}  // namespace tenure

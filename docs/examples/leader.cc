// One of several processes of which one leads: leader STORE ID [JOURNAL]
//
// STORE is as open_store.h says. Start it a few times with the same STORE and another ID each, and stop, suspend or kill
// the one that leads.
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>

#include "adapters/runtime/election.h"
#include "adapters/runtime/journal_files.h"
#include "node_id.h"
#include "open_store.h"
#include "stop_signals.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: leader STORE ID [JOURNAL]\n");
    return 64;
  }
  const tenure::NodeId id = node_id_from(argv[2]);
  const StopSignals signals;

  // In files of 64 MB at most, JOURNAL and, once they are full, JOURNAL.000001 and so on.
  std::optional<tenure::JournalFiles> journal;
  if (argc > 3) journal.emplace(tenure::JournalFilesOptions{.path = argv[3]});
  tenure::Runtime runtime(journal ? journal->sink() : tenure::JournalSink{});
  runtime.listen(listen_to(argv[1]));

  tenure::ElectionOptions options{.id = id, .connect = connect_to(argv[1])};
  options.parameters.set("lease_duration", tenure::Duration::seconds(2));
  options.parameters.set("renew_period", tenure::Duration::millis(500));
  options.parameters.set("request_timeout", tenure::Duration::millis(500));
  options.parameters.set("retry_period", tenure::Duration::millis(200));
  options.stop_margin = tenure::Duration::millis(200);

  const tenure::Election election(runtime, std::move(options), [&](const tenure::Term& term) {
    std::cout << "leads epoch " << term.token.epoch << std::endl;
    std::mutex mutex;
    std::condition_variable_any told;
    std::unique_lock lock(mutex);
    told.wait(lock, term.stop, [] { return false; });  // the work of a leader, with its token on every write
    std::cout << "stops epoch " << term.token.epoch << std::endl;
  });

  signals.wait();
  runtime.stop();
  return runtime.wait(tenure::Duration::seconds(30)) ? 0 : 1;
}

// One of several processes of which one fires what is due: scheduler STORE ID [JOURNAL]
//
// STORE is as open_store.h says. Prints the slots of a schedule that fires every 250 ms, each on one of them.
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "adapters/runtime/journal_files.h"
#include "adapters/runtime/schedules.h"
#include "node_id.h"
#include "open_store.h"
#include "stop_signals.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: scheduler STORE ID [JOURNAL]\n");
    return 64;
  }
  const tenure::NodeId id = node_id_from(argv[2]);
  const StopSignals signals;
  const auto connect = connect_to(argv[1]);

  // Any client puts schedules; all of these put the same one, and the first creates it.
  auto client = connect();
  if (const auto* error = std::get_if<tenure::OpenError>(&client)) {
    std::fprintf(stderr, "%s\n", error->message.c_str());
    return 1;
  }
  const tenure::reference::PutSchedule put{
      .resource = {},
      .schedule = tenure::ScheduleId{1},
      .expected_version = 0,
      .definition = {.recurrence = tenure::Interval{.start = {}, .period = tenure::Duration::millis(250)}}};
  std::get<std::unique_ptr<tenure::StoreBackend>>(client)->execute(put, tenure::Duration::seconds(5));

  // In files of 64 MB at most, JOURNAL and, once they are full, JOURNAL.000001 and so on.
  std::optional<tenure::JournalFiles> journal;
  if (argc > 3) journal.emplace(tenure::JournalFilesOptions{.path = argv[3]});
  tenure::Runtime runtime(journal ? journal->sink() : tenure::JournalSink{});
  runtime.listen(listen_to(argv[1]));
  const tenure::Schedules schedules(runtime, {.id = id, .connect = connect},
                                    [](const tenure::WorkItem& fire, const tenure::WorkDoneCallback& done) {
                                      std::cout << fire.event.slot.ns() / 1'000'000
                                                << std::endl;  // the work, quickly done
                                      done(tenure::WorkResult::done);
                                    });

  signals.wait();
  runtime.stop();
  return runtime.wait(tenure::Duration::seconds(30)) ? 0 : 1;
}

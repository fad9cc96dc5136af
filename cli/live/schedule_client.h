// A client of a live run's store: it puts the scenario's schedules, and carries its [[change]]s out at their times,
// on a thread of its own. It keeps a journal, as each process does that changes a store. There may be several.
//
// Thread rule: main thread; the edits run on the client's own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/runtime/journal.h"
#include "adapters/runtime/journal_files.h"
#include "adapters/runtime/machine_clock.h"
#include "adapters/store/store_backend.h"
#include "sim/scenario/scenario.h"

namespace tenure::cli {

class ScheduleClient {
 public:
  static constexpr NodeId kNode{1'000'000};  // of the first client; the next one has the next number

  ScheduleClient(const sim::Scenario& scenario, std::unique_ptr<StoreBackend> store,
                 const std::string& journal, NodeId node);
  ~ScheduleClient();  // ends its journal
  ScheduleClient(const ScheduleClient&) = delete;
  ScheduleClient& operator=(const ScheduleClient&) = delete;

  // Empty: all are there.
  std::string put_schedules();
  void begin(const sim::ChangeSetting& change);
  std::uint64_t applied() const { return applied_; }

 private:
  Answer execute(const reference::Request& request);
  void serve();
  void carry_out(const sim::ChangeSetting& change);

  struct Known {
    std::uint32_t version = 0;
    Definition definition;
  };

  const sim::Scenario& scenario_;
  std::unique_ptr<StoreBackend> store_;
  MachineClock clock_;
  JournalFiles files_;
  RuntimeJournal journal_;
  const Incarnation who_;
  std::vector<Known> known_;  // by the number in the scenario
  std::atomic<std::uint64_t> applied_ = 0;
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<const sim::ChangeSetting*> waiting_;
  bool over_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tenure::cli

// One life of a program as a node: each input is a line to its process, and each answer is carried out in its order.
//
//   I1. Where a life has a twin, both are told the same, and must answer the same.
//   I2. A process that dies, or answers what is no answer, is an error of the design (DesignError) that names the step.
//       One that does not answer in time is none: this machine may be slow. It throws HostFailure.
//
// A scheduler's program is told of its election in each line, and is asked to stop before its election is.
//
// Thread rule: as Node.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/design/hosted.h"
#include "adapters/design/lanes.h"
#include "adapters/design/life.h"
#include "adapters/process/messages.h"
#include "adapters/process/program.h"
#include "adapters/process/shared_core.h"

namespace tenure::process {

class ProgramHost {
 public:
  ProgramHost(const Program& program, design::HostSetup setup);

  void step(const Input& input, Env& env);
  // Of its election, before each step. REQUIRES: it is a scheduler.
  void hear(const Leadership& leadership);
  // What it believes itself, or was told.
  Leadership leadership(const Clock& clock) const;
  bool is_over() const { return life_.is_over(); }

 private:
  struct Said {
    std::string answer;
    std::string aside;  // on standard error
  };
  // A sync takes time, and is answered when that is over.
  struct Sync {
    MonoTime until;
    std::int64_t id = 0;
    std::uint64_t write = 0;  // that it makes safe, with all before it
  };

  bool is_scheduler() const { return setup_.role == design::Role::scheduler; }
  LineContext context(const Env& env) const;
  // What the program is told of the input; empty: nothing.
  std::string line_of(const Input& input, Env& env);
  std::string start(const Started& started, Env& env);
  std::string line_of_timer(const TimerFired& fired, Env& env);
  std::string line_of_reply(const StoreReplied& reply, Env& env);
  std::string line_of_work(const WorkDone& done, Env& env);
  std::string line_of_write(const WriteDone& done, Env& env);
  void tell(const std::string& line, Env& env);
  void exchange(const std::string& line, Env& env);
  void compare(const Said& one, const Said& other, const std::string& line, Env& env);
  Said heard_from(Child& child, const std::string& line, Env& env);

  // What it wants done.
  void perform(const SendAct& act, Env& env);
  void perform(const SqlAct& act, Env& env);
  void perform(const BelieveAct& act, Env& env);
  void perform(const StepDownAct& act, Env& env);
  void perform(const RunAct& act, Env& env);
  void perform(const WriteAct& act, Env& env);
  void perform(const CheckedAct& act, Env& env);
  void perform(const PutAct& act, Env& env);
  void perform(const SyncAct& act, Env& env);
  void perform(const LogAct& act, Env& env);
  void perform(const StoppedAct& act, Env& env);
  void perform(const ErrorAct& act, Env& env);
  void set_sync_timer(Env& env) const;
  void fail_here(const std::string& what, Env& env);

  const Program& program_;
  const design::HostSetup setup_;
  const Part part_;  // whose connection it uses
  Incarnation self_;
  std::uint32_t cluster_size_ = 1;
  design::Life life_;
  std::optional<SharedCore> core_;  // while there are processes
  std::unique_ptr<Child> child_;
  std::unique_ptr<Child> twin_;
  // By what the world calls it: the program's own number.
  std::map<RequestId, std::int64_t> asked_;
  std::map<reference::EventId, std::deque<std::int64_t>> running_;  // the same event may run twice
  std::map<std::uint64_t, std::int64_t> writing_;
  std::uint64_t writes_ = 0;   // to the outside world
  std::uint64_t written_ = 0;  // to its disk: the number of the last write
  std::vector<Sync> syncs_;
  design::Lanes lanes_;  // the connections that it names
  Leadership told_;      // a scheduler's: of its election
  bool news_ = false;    // it has not been told of that yet
  std::uint64_t steps_ = 0;
  bool stop_asked_ = false;
};

}  // namespace tenure::process

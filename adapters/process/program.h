// A design that is a program in any language: a process a node, in lock step (docs/node-protocol.md).
//
// Here it is asked what it is, judged and kept, as the kind of a protocol or a scheduler like those of the registries.
//
// Thread rule: immutable once it is read; use one from as many threads as you like.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/process/fork_server.h"
#include "adapters/process/self_description.h"
#include "adapters/process/spawner.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "core/store/store_kind.h"

namespace tenure::process {

// What is run, for messages: the last file among the command's words. What comes before it runs it, and what comes
// after are its arguments.
std::string name_of(const Launch& launch);

class Program {
 public:
  // Starts the program, and asks it what it is. Null: `problem` says what is wrong. `make_store` may be null: then a
  // schema is an error. Throws HostFailure when nothing comes for as long as `patience`.
  static std::unique_ptr<const Program> read(Launch launch, design::MakeStore make_store,
                                             std::chrono::milliseconds patience, std::string& problem);

  bool elects() const { return description_.design.elects(); }
  bool schedules() const { return description_.design.schedules(); }
  // Its kinds, which are as long-lived as this program. REQUIRES: it elects(), or it schedules().
  const ElectorKind& kind() const { return kind_; }
  const SchedulerKind& scheduler() const { return scheduler_; }

  bool has_tokens() const { return kind_.has_tokens; }
  bool writes() const { return kind_.writes; }
  const StoreKind* store() const { return kind_.store; }

  // name_of() its launch.
  const std::string& name() const { return name_; }

  // How long a process may take for an answer, on this machine's clock.
  std::chrono::milliseconds patience() const { return patience_; }

  // What the program has against these values of its parameters. REQUIRES: it validates. Throws HostFailure.
  std::vector<Complaint> complaints(const Parameters& values) const;
  // A client's edit of a schedule as a request to its store; or what is wrong with the program. REQUIRES: it
  // schedules(). Throws HostFailure.
  std::variant<Request, std::string> edit(const ScheduleEdit& edit) const;

  // A process for a new life. Throws HostFailure.
  std::unique_ptr<Child> begin_life() const { return begin(first_); }
  // A second one, started apart from it, that has to answer alike. Null: this life has none. The first lives have one,
  // and then one life in sixteen.
  std::unique_ptr<Child> begin_twin() const;

 private:
  // What processes are made from: made when the first one is needed.
  struct Origin {
    std::mutex mutex;
    std::unique_ptr<ForkServer> server;
  };

  Program(Launch launch, design::MakeStore make_store, std::chrono::milliseconds patience);
  // Starts a process that is told to describe itself, and reads what it says. It goes on as a fork server, or ends.
  std::string ask(Origin& origin, SelfDescription& description) const;
  std::unique_ptr<Child> begin(Origin& origin) const;
  void make_kinds();
  // What a process answers to this line, its first and its last; or `problem` says why it does not. Asked once only for
  // each line: a hunt has the same ones again and again. Throws HostFailure.
  struct Answer {
    std::string line;
    std::string problem;
  };
  Answer ask_once(const std::string& line, std::string_view to_do) const;

  Launch launch_;
  std::string name_;
  design::MakeStore make_store_;
  std::chrono::milliseconds patience_;
  DesignFile file_;
  SelfDescription description_;
  ElectorKind kind_;
  SchedulerKind scheduler_;
  mutable Origin first_;
  mutable Origin second_;
  mutable std::atomic<std::uint64_t> lives_{0};
  mutable std::mutex asking_;
  mutable std::map<std::string, Answer> answers_;  // by the line
};

}  // namespace tenure::process

// A design that is a program in any language: a process a node, in lock step (docs/node-protocol.md).
//
// Here it is asked what it is, judged and kept, as the kind of a protocol like those of the registry.
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
#include <vector>

#include "adapters/process/fork_server.h"
#include "adapters/process/self_description.h"
#include "adapters/process/spawner.h"
#include "core/electors/registry.h"
#include "core/store/registry.h"

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

  // Its kind, which is as long-lived as this program.
  const ElectorKind& kind() const { return kind_; }

  // name_of() its launch.
  const std::string& name() const { return name_; }

  // How long a process may take for an answer, on this machine's clock.
  std::chrono::milliseconds patience() const { return patience_; }

  // What the program has against these values of its parameters. REQUIRES: it validates. Throws HostFailure.
  std::vector<Complaint> complaints(const Parameters& values) const;

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
  std::vector<Complaint> ask_for_complaints(const Parameters& values) const;

  Launch launch_;
  std::string name_;
  design::MakeStore make_store_;
  std::chrono::milliseconds patience_;
  DesignFile file_;
  SelfDescription description_;
  ElectorKind kind_;
  mutable Origin first_;
  mutable Origin second_;
  mutable std::atomic<std::uint64_t> lives_{0};
  // Complaints, by the values: a hunt asks for the same ones again and again.
  mutable std::mutex judging_;
  mutable std::map<std::vector<std::int64_t>, std::vector<Complaint>> judged_;
};

}  // namespace tenure::process

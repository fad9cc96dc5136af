// A controller: its leader assigns items to workers, and each instance is one of the workers.
//
// README.md has the pseudo-code and its weak points. It fires nothing and has no schedules; what it does is judged by
// who runs which item.
//
//   1. A worker runs what the store has told it in answer to its latest report, until `give_up` after it sent that
//      report, on its monotonic clock. Then it runs nothing until it is told again.
//   2. Whenever a worker begins or ceases to run something, it reports that in the same step.
//   3. A leader moves an item that has no worker, or one that was silent for `worker_timeout` by the store's clock.
//      It asks itself whether it leads in the step in which it assigns.
//
// Source: no single one. It is what controllers do that place work on nodes: Kubernetes' scheduler with its node
// lifecycle controller, and article 003's placement of streams.
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/protocols/kind_parts.h"
#include "sim/stores/placement/requests.h"

namespace tenure {

class Placement final : public CopyableScheduler<Placement> {
 public:
  // What an assignment is held against.
  enum class Guard : std::uint8_t {
    none,     // nothing: it overwrites what is there
    version,  // the item's version that the leader decided by
    term,     // the greatest term that was shown, where the election has tokens
  };
  struct Settings {
    std::int64_t items = 0;
    Duration report_period;
    Duration request_timeout;
    Duration resync_period;
    Duration worker_timeout;
    Duration give_up;  // zero: never
    Guard guard = Guard::version;
  };
  explicit Placement(const SchedulerSetup& setup);

  void step(const Input& input, const Leadership& leadership, Env& env) override;
  bool idle() const override { return assigning_.empty() && !(stopping_ && reporting_); }
  void hash(Hasher& hasher, const Canon& canon) const override;

 private:
  // The worker.
  void report(Env& env);
  void report_again(Env& env);
  void told(const placement::Yours& yours, MonoTime sent_at, Env& env);
  void give_up(Env& env);
  void leave(Env& env);
  // The leader.
  void resync(const Leadership& leadership, Env& env);
  void place(const placement::Placements& there, const Leadership& leadership, Env& env);
  std::vector<placement::PlacedItem> items_of(const placement::Placements& there) const;
  bool is_there(std::int64_t worker, const placement::Placements& there) const;

  void on_reply(const StoreReplied& reply, const Leadership& leadership, Env& env);
  RequestId submit(placement::Request request, bool as_leader, Env& env) const;

  StoreId store_;
  ResourceId resource_;
  Settings settings_;

  bool started_ = false;
  bool stopping_ = false;
  std::int64_t self_ = 0;  // as a worker
  std::set<std::int64_t> runs_;
  std::optional<RequestId> reporting_;  // the latest report, until it is answered
  bool led_ = false;                    // in the step before
  std::optional<RequestId> listing_;
  std::set<RequestId> assigning_;  // under way
};

extern const SchedulerKind kPlacement;

}  // namespace tenure

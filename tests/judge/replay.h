// A history shown to observers once more, as if it happened: also one that never did (forge.h).
//
// Thread rule: one replay belongs to one thread.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tests/judge/history.h"

namespace tenure::judging {

class Replay final : public sim::View {
 public:
  explicit Replay(const History& history) : history_(history) {}

  // Once.
  void show_to(const std::vector<sim::Observer*>& observers);

  sim::TrueTime true_time_of(NodeId node, const Until& until) const override;
  StoreTime store_now(StoreId) const override { return store_now_; }
  // As of the last delivery of that node: nobody asks at another moment.
  MonoTime mono_now(NodeId node) const override;

 private:
  void follow(std::size_t place);

  const History& history_;
  StoreTime store_now_;
  std::map<NodeId, MonoTime> mono_;
  struct End {
    std::size_t declared = 0;  // its place
    Until until;
    sim::TrueTime at;
  };
  std::map<NodeId, std::vector<End>> ends_;
};

}  // namespace tenure::judging

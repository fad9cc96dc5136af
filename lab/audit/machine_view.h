// The clocks of an audit, as the checkers ask for them.
//
// The machine's clock is true time. Each node's own is known against it as of its last line, and taken to run as fast
// from there.
//
// Thread rule: one view belongs to one audit.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "lab/audit/event_order.h"
#include "sim/world/record.h"

namespace tenure::sim {

class MachineView final : public View {
 public:
  TrueTime true_time_of(NodeId node, const Until& until) const override {
    const auto* mono = std::get_if<MonoTime>(&until);
    return mono != nullptr ? TrueTime{} + (*mono - zero_of(node)) : TrueTime::max();
  }
  StoreTime store_now(StoreId) const override { return store_now_; }
  MonoTime mono_now(NodeId node) const override { return zero_of(node) + (now_ - TrueTime{}); }

  // The node whose clock has run off against the machine's by more than kNoticed since it was last looked at.
  std::optional<NodeId> advance(const Moment& moment) {
    now_ = moment.at;
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what))
      store_now_ = std::max(store_now_, executed->answered->store_time);
    const auto* wrote = std::get_if<NodeWrote>(&moment.what);
    if (wrote == nullptr) return std::nullopt;
    const MonoTime zero = wrote->line->now.mono - (moment.at - TrueTime{});
    const auto [known, first] = zeros_.try_emplace(wrote->line->who.node, zero);
    const Duration moved = zero - known->second;
    if (first || (moved < kNoticed && -moved < kNoticed)) return std::nullopt;
    known->second = zero;
    return wrote->line->who.node;
  }

 private:
  static constexpr Duration kNoticed = Duration::micros(100);

  MonoTime zero_of(NodeId node) const {
    const auto known = zeros_.find(node);
    return known != zeros_.end() ? known->second : MonoTime{};
  }

  TrueTime now_;
  StoreTime store_now_ = StoreTime::min();
  std::map<NodeId, MonoTime> zeros_;  // of true time, by the node's own clock
};

}  // namespace tenure::sim

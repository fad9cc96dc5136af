// The clocks of an audit, as the checkers ask for them.
//
// The machine's clock is true time. Each node's own is known against it as of its last line, and taken to run as fast
// from there. So is the store's, as of its last answer: a request is executed between its sending and its hearing.
//
// Thread rule: one view belongs to one audit.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "lab/audit/event_order.h"
#include "sim/world/record.h"

namespace tenure::lab {

class MachineView final : public sim::View {
 public:
  MachineView() = default;  // of no store
  explicit MachineView(const Moments& moments) {
    for (const Moment& moment : moments.moments)
      if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) {
        store_zero_ = executed->answered->store_time - (moment.at - sim::TrueTime{});
        return;
      }
  }

  sim::TrueTime true_time_of(NodeId node, const Until& until) const override {
    const auto* mono = std::get_if<MonoTime>(&until);
    return mono != nullptr ? sim::TrueTime{} + (*mono - zero_of(node)) : sim::TrueTime::max();
  }
  StoreTime store_now(StoreId) const override { return store_zero_ + (now_ - sim::TrueTime{}); }
  MonoTime mono_now(NodeId node) const override { return zero_of(node) + (now_ - sim::TrueTime{}); }

  // The node whose clock has moved against the machine's since its last line.
  std::optional<NodeId> advance(const Moment& moment) {
    now_ = moment.at;
    stepped_ = {};
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) see_store(*executed);
    const auto* wrote = std::get_if<NodeWrote>(&moment.what);
    if (wrote == nullptr) return std::nullopt;
    if (const auto* asked = std::get_if<journal::Asked>(&wrote->line->event)) sent_[asked->id] = now_;
    const MonoTime zero = wrote->line->now.mono - (moment.at - sim::TrueTime{});
    const auto [known, first] = zeros_.try_emplace(wrote->line->who.node, zero);
    if (first || zero == known->second) return std::nullopt;
    known->second = zero;
    return wrote->line->who.node;
  }

  // By how much the last moment shows the store's clock to have stepped; zero: not at all.
  Duration store_stepped() const { return stepped_; }

 private:
  static constexpr Duration kStep = Duration::seconds(1);  // what is less is drift

  void see_store(const StoreExecuted& executed) {
    const auto sent = sent_.find(executed.asked->id);
    const StoreTime shown = executed.answered->store_time;
    const StoreTime least = shown - (now_ - sim::TrueTime{});
    const StoreTime most = sent != sent_.end() ? shown - (sent->second - sim::TrueTime{}) : least;
    const StoreTime zero = std::clamp(store_zero_, least, std::max(least, most));
    const Duration moved = zero - store_zero_;
    if (moved >= kStep || -moved >= kStep) stepped_ = moved;
    store_zero_ = zero;
  }

  MonoTime zero_of(NodeId node) const {
    const auto known = zeros_.find(node);
    return known != zeros_.end() ? known->second : MonoTime{};
  }

  sim::TrueTime now_;
  StoreTime store_zero_;  // the store's clock at true time's zero
  Duration stepped_;
  std::map<RequestId, sim::TrueTime> sent_;
  std::map<NodeId, MonoTime> zeros_;  // of true time, by the node's own clock
};

}  // namespace tenure::lab

#include "sim/runner/conditions.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/models/links.h"
#include "sim/world/store_knobs.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kReplicaStalled = "its replica stands still";

// "0.5%" of 5,000 parts per million.
std::string share(std::int64_t ppm) {
  std::string text = fmt::format("{}.{:04}", ppm / 10'000, ppm % 10'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

class Words {
 public:
  void add_if(bool applies, std::string_view words) {
    if (applies) text_ += (text_.empty() ? "" : ", ") + std::string(words);
  }
  void add_share(std::int64_t ppm, std::string_view what) {
    add_if(ppm > 0, share(ppm) + " " + std::string(what));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Empty: nothing is.
std::string matter_with(const StoreDegraded& turned) {
  const StoreKnobs& knobs = turned.knobs;
  Words words;
  words.add_if(knobs.down, "down");
  words.add_if(knobs.hang, "hangs");
  words.add_if(knobs.slow > Duration{}, "slow by " + describe(knobs.slow));
  words.add_share(knobs.ack_lost_ppm, "of its answers are lost");
  words.add_share(knobs.request_lost_ppm, "of the requests are lost");
  words.add_share(knobs.rejected_ppm, "of the requests are refused");
  words.add_if(knobs.lease_lock != RowLock::none, "the lease is locked");
  words.add_if(turned.partial, "a part of it fails");
  return words.take();
}

std::string matter_with(const LinkState& link) {
  if (link.cut) return "cut";
  Words words;
  words.add_if(link.delay > Duration{}, "slow by " + describe(link.delay));
  words.add_share(link.loss_ppm, "lost");
  words.add_share(link.duplicate_ppm, "twice");
  words.add_if(link.held_back > Duration{}, "some late by up to " + describe(link.held_back));
  return words.take();
}

// Ends the span that goes on and is the one meant.
template <class T, class IsMeant>
void end_open(std::vector<T>& spans, TrueTime now, IsMeant&& is_meant) {
  for (T& span : spans)
    if (span.span.to == TrueTime::max() && is_meant(span)) span.span.to = now;
}

}  // namespace

void follow_conditions(TrueTime now, const Record& record, Recording& recording) {
  std::vector<StoreCondition>& stores = recording.conditions;
  std::vector<LinkCondition>& links = recording.links;
  if (const auto* turned = std::get_if<StoreDegraded>(&record)) {
    end_open(stores, now, [&](const StoreCondition& one) {
      return one.store == turned->store && one.text != kReplicaStalled;
    });
    std::string matter = matter_with(*turned);
    if (!matter.empty())
      stores.push_back({turned->store, {now}, std::move(matter), !turned->knobs.down && !turned->knobs.hang});
  } else if (const auto* stepped = std::get_if<StoreClockStepped>(&record)) {
    stores.push_back({stepped->store, {now, now}, "its clock jumps by " + describe(stepped->by)});
  } else if (const auto* stalled = std::get_if<StoreReplicaStalled>(&record)) {
    stores.push_back({stalled->store, {now}, std::string(kReplicaStalled)});
  } else if (const auto* over = std::get_if<StoreFailedOver>(&record)) {
    end_open(stores, now, [&](const StoreCondition& one) {
      return one.store == over->store && one.text == kReplicaStalled;
    });
    stores.push_back({over->store, {now, now}, fmt::format("fails over, branch {}", over->branch)});
  } else if (const auto* changed = std::get_if<LinkChanged>(&record)) {
    end_open(links, now, [&](const LinkCondition& one) {
      return one.from == changed->from && one.to == changed->to && one.store == changed->store;
    });
    std::string matter = matter_with(changed->state);
    if (!matter.empty())
      links.push_back(
          {changed->from, changed->to, changed->store, {now}, std::move(matter), changed->state.cut});
  }
}

}  // namespace tenure::sim

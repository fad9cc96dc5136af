#include "lab/hunt/signature.h"

#include <algorithm>
#include <bit>

#include "sim/checkers/trackers/applied.h"

namespace tenure::lab {
namespace {

enum class What : std::uint8_t {
  start,
  death,
  pause,
  resume,
  role,
  note,
  applied,
  stepped,
  landed,
  ended,
  fault,
  skipped,
  check,
  metric
};

std::uint64_t hashed(What what, std::uint64_t detail = 0, std::uint64_t more = 0) {
  return Hasher().add(what).add(detail).add(more).value();
}

// Which message of which store it is, and why a request was refused.
std::uint64_t kind_of(const Request& request) {
  const auto* open = std::get_if<OpenMessage>(&request);
  return store_number(request) * std::uint64_t{64} +
         (open != nullptr ? open->index() : std::get<reference::Request>(request).index());
}
std::uint64_t kind_of(const Reply& reply) {
  std::uint64_t kind = store_number(reply) * std::uint64_t{64};
  if (const auto* reference = std::get_if<reference::Reply>(&reply)) {
    kind += reference->index();
    if (const auto* refused = std::get_if<reference::Refused>(reference))
      kind += (static_cast<std::uint64_t>(refused->why) + 1) * 1'024;
    if (const auto* refused = std::get_if<reference::CommitRefused>(reference))
      kind += (static_cast<std::uint64_t>(refused->why) + 1) * 1'024;
    if (const auto* committed = std::get_if<reference::Committed>(reference))
      for (const reference::RowResult row : committed->rows)
        kind |= std::uint64_t{1} << (32 + static_cast<unsigned>(row));
  }
  return kind;
}

std::uint64_t magnitude(std::uint64_t count) { return static_cast<std::uint64_t>(std::bit_width(count)); }
std::uint64_t magnitude(Duration length) {
  return magnitude(static_cast<std::uint64_t>(std::max<std::int64_t>(length.ns() / 1'000'000, 0)));
}

}  // namespace

std::uint32_t SignatureCollector::wants() const {
  return sim::record_mask<sim::NodeStarted, sim::NodeDied, sim::NodePaused, sim::NodeResumed, sim::Noted,
                          sim::Applied, sim::StoreClockStepped, sim::StoreFailedOver, sim::WorkArrived,
                          sim::WorkEnded, sim::FaultBegan, sim::FaultEnded, sim::FaultSkipped>();
}

void SignatureCollector::see(sim::TrueTime, const sim::Record& record) {
  if (const auto* applied = std::get_if<sim::Applied>(&record)) {
    see_applied(*applied);
  } else if (const auto* noted = std::get_if<sim::Noted>(&record)) {
    see_note(*noted);
  } else if (const auto* landed = std::get_if<sim::WorkArrived>(&record)) {
    event(hashed(What::landed, static_cast<std::uint64_t>(landed->landing)));
  } else if (const auto* ended = std::get_if<sim::WorkEnded>(&record)) {
    event(hashed(What::ended, static_cast<std::uint64_t>(ended->ending)));
  } else if (const auto* began = std::get_if<sim::FaultBegan>(&record)) {
    const auto family = static_cast<std::size_t>(sim::find_fault_kind(began->action)->family);
    if (began->duration > Duration{} && active_[family]++ == 0) families_ |= std::uint64_t{1} << family;
    event(hashed(What::fault, hash_text(began->action)));
  } else if (const auto* over = std::get_if<sim::FaultEnded>(&record)) {
    const auto family = static_cast<std::size_t>(sim::find_fault_kind(over->action)->family);
    if (active_[family] > 0 && --active_[family] == 0) families_ &= ~(std::uint64_t{1} << family);
  } else if (const auto* died = std::get_if<sim::NodeDied>(&record)) {
    const bool believed = std::erase(believers_, died->who) > 0;
    event(hashed(What::death, static_cast<std::uint64_t>(died->how), believed ? 1 : 0));
  } else if (const auto* paused = std::get_if<sim::NodePaused>(&record)) {
    event(hashed(What::pause, std::count(believers_.begin(), believers_.end(), paused->who) > 0 ? 1 : 0));
  } else if (const auto* resumed = std::get_if<sim::NodeResumed>(&record)) {
    event(hashed(What::resume, std::count(believers_.begin(), believers_.end(), resumed->who) > 0 ? 1 : 0));
  } else if (std::holds_alternative<sim::StoreClockStepped>(record)) {
    event(hashed(What::stepped));
  } else if (std::holds_alternative<sim::StoreFailedOver>(record)) {
    event(hashed(What::stepped, 1));
  } else if (std::holds_alternative<sim::NodeStarted>(record)) {
    event(hashed(What::start));
  } else if (std::holds_alternative<sim::FaultSkipped>(record)) {
    event(hashed(What::skipped));
  }
}

void SignatureCollector::see_applied(const sim::Applied& applied) {
  event(hashed(What::applied, kind_of(applied.request), kind_of(applied.reply)));
}

void SignatureCollector::see_note(const sim::Noted& noted) {
  const auto known = std::find(believers_.begin(), believers_.end(), noted.who);
  if (std::holds_alternative<Believes>(noted.note)) {
    if (known != believers_.end()) return;  // an extension
    believers_.push_back(noted.who);
    event(hashed(What::role, 1));
  } else if (const auto* down = std::get_if<StepsDown>(&noted.note)) {
    if (known != believers_.end()) believers_.erase(known);
    event(hashed(What::role, 0, hash_text(down->why)));
  } else if (const auto* remark = std::get_if<Annotation>(&noted.note)) {
    event(hashed(What::note, hash_text(remark->text)));
  } else if (std::holds_alternative<ClockAlarm>(noted.note)) {
    event(hashed(What::note, 1));
  } else if (const auto* error = std::get_if<DesignError>(&noted.note)) {
    event(hashed(What::note, hash_text(error->what)));
  }
}

void SignatureCollector::event(std::uint64_t what) {
  const Hasher seen = Hasher(what).add(std::min<std::size_t>(believers_.size(), 2));
  add(seen.value());
  for (std::uint64_t left = families_; left != 0; left &= left - 1)
    add(Hasher(seen).add(std::countr_zero(left)).add("during").value());
  add(Hasher(what).add(before_).value());
  const std::uint32_t count = ++counts_[what % counts_.size()];
  if (std::has_single_bit(count)) add(Hasher(what).add(count).add("times").value());
  before_ = what;
}

void SignatureCollector::add(std::uint64_t feature) {
  const auto place = static_cast<std::uint32_t>(reduce(feature, kFeatures));
  if (seen_[place]) return;
  seen_[place] = true;
  features_.push_back(place);
}

Signature SignatureCollector::take(const sim::RunResult& result) {
  for (const sim::CheckResult& check : result.checks) {
    add(hashed(What::check, hash_text(check.name), check.violation_count > 0 ? 1 : 0));
    add(Hasher(hashed(What::check, hash_text(check.name), 2)).add(magnitude(check.opportunities)).value());
  }
  const sim::Metrics& metrics = result.metrics;
  const auto measured = [&](std::uint64_t which, std::uint64_t value) {
    add(hashed(What::metric, which, value));
  };
  measured(0, magnitude(metrics.leaderless));
  measured(1, magnitude(metrics.believer_overlap_longest));
  measured(2, metrics.safety_margin ? magnitude(*metrics.safety_margin) : 0);
  measured(3, magnitude(metrics.stale_writes_rejected));
  measured(4, magnitude(metrics.skipped_slots));
  measured(5, metrics.drained_segments);
  std::sort(features_.begin(), features_.end());
  return std::move(features_);
}

std::vector<std::uint32_t> Coverage::add(const Signature& signature) {
  std::vector<std::uint32_t> fresh;
  for (const std::uint32_t feature : signature)
    if (seen_[feature]++ == 0) fresh.push_back(feature);
  size_ += fresh.size();
  return fresh;
}

}  // namespace tenure::lab

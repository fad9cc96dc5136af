#include "lab/calibrate/leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/int128.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/units.h"

namespace tenure::lab {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShownOfKind = 60;
constexpr std::int64_t kLongestLease = 86'400 * 365;  // seconds
constexpr std::int64_t kMostTransitions = INT32_MAX;  // Kubernetes counts in 32 bits

// What makes no sense is thrown, and caught in read_leases.
struct Nonsense {
  std::string what;
};

const Json* member(const Json& from, const char* name) {
  if (!from.is_object()) return nullptr;
  const auto found = from.find(name);
  return found == from.end() || found->is_null() ? nullptr : &*found;
}

std::string text_in(const Json& from, const char* name) {
  const Json* found = member(from, name);
  if (found == nullptr) return {};
  if (!found->is_string()) throw Nonsense{fmt::format("`{}` is not text", name)};
  return found->get<std::string>();
}

std::optional<std::int64_t> number_in(const Json& from, const char* name) {
  const Json* found = member(from, name);
  if (found == nullptr) return std::nullopt;
  const bool fits =
      found->is_number_integer() && !(found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX);
  if (!fits || found->get<std::int64_t>() < 0) throw Nonsense{fmt::format("`{}` is not a count", name)};
  return found->get<std::int64_t>();
}

std::int64_t time_in(const Json& from, const char* name) {
  const std::string text = text_in(from, name);
  if (text.empty()) return 0;
  const Parsed<std::int64_t> instant = format::parse_instant(text);
  if (!instant.value) throw Nonsense{fmt::format("`{}`: {}", name, instant.problem)};
  return *instant.value;
}

// The handovers between two sightings beyond the `shown` ones. A count that goes back is of a lease that was made anew.
std::int64_t unseen_between(const LeaseSighting& before, const LeaseSighting& next, int shown) {
  if (!before.transitions || !next.transitions) return 0;
  if (*next.transitions < *before.transitions) return *next.transitions;
  return std::max<std::int64_t>(*next.transitions - *before.transitions - shown, 0);
}

class Reader {
 public:
  void take(const Json& object) {
    const std::string kind = text_in(object, "kind");
    if (const Json* items = member(object, "items"); items != nullptr && items->is_array()) {
      for (const Json& item : *items) take(item);
    } else if (const Json* inside = member(object, "object"); inside != nullptr && kind.empty()) {
      if (text_in(object, "type") != "DELETED") take(*inside);
    } else if (kind == "Lease") {
      take_lease(object);
    } else {
      throw Nonsense{kind.empty()
                         ? std::string("an object without a `kind`")
                         : fmt::format("a `{}`, which is no Lease", format::printable(kind, kShownOfKind))};
    }
  }
  std::vector<ObservedLease> leases() && { return std::move(leases_); }

 private:
  void take_lease(const Json& object) {
    const Json* metadata = member(object, "metadata");
    const Json* spec = member(object, "spec");
    if (metadata == nullptr || text_in(*metadata, "name").empty()) throw Nonsense{"a Lease without a name"};
    if (spec == nullptr) return;  // nobody has had it yet
    LeaseSighting sighting;
    sighting.holder = text_in(*spec, "holderIdentity");
    sighting.renewed_ns = time_in(*spec, "renewTime");
    sighting.acquired_ns = time_in(*spec, "acquireTime");
    sighting.transitions = number_in(*spec, "leaseTransitions");
    if (sighting.transitions > kMostTransitions) throw Nonsense{"`leaseTransitions` is above 2147483647"};
    const std::int64_t seconds = number_in(*spec, "leaseDurationSeconds").value_or(0);
    if (seconds > kLongestLease) throw Nonsense{"`leaseDurationSeconds` is longer than a year"};
    sighting.lease_duration = Duration::seconds(seconds);
    if (sighting.renewed_ns == 0) return;
    const std::string space = text_in(*metadata, "namespace");
    add(space.empty() ? text_in(*metadata, "name") : space + "/" + text_in(*metadata, "name"),
        std::move(sighting));
  }

  void add(const std::string& name, LeaseSighting sighting) {
    auto found =
        std::find_if(leases_.begin(), leases_.end(), [&](const ObservedLease& l) { return l.name == name; });
    if (found == leases_.end()) {
      found = leases_.insert(found, ObservedLease{});
      found->name = name;
    }
    ObservedLease& lease = *found;
    if (!sighting.holder.empty() &&
        std::find(lease.holders.begin(), lease.holders.end(), sighting.holder) == lease.holders.end())
      lease.holders.push_back(sighting.holder);
    if (!lease.sightings.empty()) {
      const LeaseSighting& before = lease.sightings.back();
      const bool same = before.holder == sighting.holder && before.acquired_ns == sighting.acquired_ns &&
                        unseen_between(before, sighting, 0) == 0;
      if (same && before.renewed_ns == sighting.renewed_ns) return;  // a watch begins with what there is
      const bool handed_over = !same && !sighting.holder.empty();
      lease.unseen_handovers += unseen_between(before, sighting, handed_over ? 1 : 0);
      if (same && !sighting.holder.empty() && sighting.renewed_ns > before.renewed_ns)
        add_gap(lease, {Duration::nanos(sighting.renewed_ns - before.renewed_ns), before.lease_duration});
      if (same && !sighting.holder.empty() && sighting.renewed_ns < before.renewed_ns) ++lease.went_back;
      if (handed_over) hand_over(lease, sighting);
    }
    lease.sightings.push_back(std::move(sighting));
  }

  static void add_gap(ObservedLease& lease, const LeaseGap& gap) {
    lease.gaps.push_back(gap.length);
    if (gap.lease_duration == Duration{}) return;
    const std::optional<LeaseGap>& worst = lease.worst_gap;
    if (!worst || int128{gap.length.ns()} * worst->lease_duration.ns() >
                      int128{worst->length.ns()} * gap.lease_duration.ns())
      lease.worst_gap = gap;
  }

  // From whoever was the last to hold it; with nobody between, if it was released.
  static void hand_over(ObservedLease& lease, const LeaseSighting& next) {
    const LeaseSighting& last = lease.sightings.back();
    const auto held = std::find_if(lease.sightings.rbegin(), lease.sightings.rend(),
                                   [](const LeaseSighting& s) { return !s.holder.empty(); });
    if (held == lease.sightings.rend()) return;
    const std::int64_t begins = next.acquired_ns != 0 ? next.acquired_ns : next.renewed_ns;
    const std::int64_t gap = std::max<std::int64_t>(begins - last.renewed_ns, 0);
    lease.handovers.push_back({held->holder, next.holder, Duration::nanos(gap), held->lease_duration,
                               last.holder.empty(), unseen_between(*held, next, 1)});
  }

  std::vector<ObservedLease> leases_;
};

}  // namespace

Duration ObservedLease::observed() const {
  if (sightings.empty()) return {};
  const auto [first, last] = std::minmax_element(
      sightings.begin(), sightings.end(),
      [](const LeaseSighting& a, const LeaseSighting& b) { return a.renewed_ns < b.renewed_ns; });
  return Duration::nanos(last->renewed_ns - first->renewed_ns);
}

Duration ObservedLease::lease_duration() const {
  const auto held = std::find_if(sightings.rbegin(), sightings.rend(),
                                 [](const LeaseSighting& s) { return !s.holder.empty(); });
  return held == sightings.rend() ? Duration{} : held->lease_duration;
}

sim::Range<Duration> ObservedLease::leaderless() const {
  int128 low = 0;
  int128 high = 0;
  for (const Handover& handover : handovers) {
    const Duration covered = handover.released ? Duration{} : handover.lease_duration;
    if (handover.unseen == 0) low += std::max(handover.unrenewed - covered, Duration{}).ns();
    high += handover.unrenewed.ns();
  }
  const auto fitting = [](int128 ns) {
    return Duration::nanos(static_cast<std::int64_t>(std::min<int128>(ns, INT64_MAX)));
  };
  return {fitting(low), fitting(high)};
}

std::variant<std::vector<ObservedLease>, std::string> read_leases(std::string_view bytes) {
  std::istringstream stream{std::string(bytes)};
  Reader reader;
  std::uint64_t count = 0;
  try {
    while (stream >> std::ws && stream.peek() != std::istringstream::traits_type::eof()) {
      ++count;
      Json object;
      stream >> object;
      reader.take(object);
    }
  } catch (const Json::exception&) {
    // A file that is still being written ends in the middle of an object.
    if (stream.eof() && count > 1) return std::move(reader).leases();
    return fmt::format(
        "object {} is not JSON: `kubectl get lease NAME --output json --watch` writes what is read here",
        count);
  } catch (const Nonsense& nonsense) {
    return fmt::format("object {}: {}", count, nonsense.what);
  }
  if (count == 0) return std::string("the file is empty");
  return std::move(reader).leases();
}

}  // namespace tenure::lab

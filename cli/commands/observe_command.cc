#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "format/print/print.h"
#include "format/schema/quantile_keys.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"
#include "lab/calibrate/calibrate.h"
#include "lab/calibrate/leases.h"
#include "lab/calibrate/reduce.h"
#include "lab/session/json_writer.h"
#include "lab/session/read_file.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

using lab::ObservedLease;

constexpr std::size_t kLongestName = 200;
constexpr std::string_view kGapsBegin = "lease,gap_us,late_us\n";

std::string printed(Duration duration) { return print_duration(duration); }

// How much later than the quickest each renewal came: what store, network and pauses add to the pause between two.
std::vector<Duration> lateness_of(const ObservedLease& lease) {
  std::vector<Duration> late = lease.gaps;
  if (late.empty()) return late;
  const Duration least = *std::min_element(late.begin(), late.end());
  for (Duration& each : late) each = each - least;
  return late;
}

std::string text_of_gaps(const ObservedLease& lease) {
  if (lease.gaps.empty()) return row("renewals", "one at most by each holder: no gaps");
  const sim::Quantiles gaps = lab::reduce_samples(lease.gaps);
  std::string text = row("gaps", fmt::format("{}: min {}, p50 {}, p90 {}, p99 {}, max {}",
                                             format::print_thousands(lease.gaps.size()), printed(gaps.min()),
                                             printed(gaps.at(500'000)), printed(gaps.at(900'000)),
                                             printed(gaps.at(990'000)), printed(gaps.max())));
  if (const auto& worst = lease.worst_gap) {
    const std::int64_t share = worst->length.ns() / (worst->lease_duration.ns() / 100);
    text +=
        row(worst->length == gaps.max() ? "longest gap" : "worst gap",
            fmt::format("{} of a lease of {}: {}%{}", printed(worst->length), printed(worst->lease_duration),
                        share, share >= 100 ? ", so it had expired" : ""));
  }
  text += row("as a table", format::print_quantiles(gaps));
  return text + row("lateness", format::print_quantiles(lab::reduce_samples(lateness_of(lease))));
}

std::string text_of(const ObservedLease& lease) {
  const lab::LeaseSighting& last = lease.sightings.back();
  std::string text = fmt::format("{}: {} in {}\n", format::printable(lease.name, kLongestName),
                                 counted(lease.sightings.size(), "sighting"), printed(lease.observed()));
  std::string holders;
  for (const std::string& holder : lease.holders)
    holders += (holders.empty() ? "" : ", ") + format::printable(holder, kLongestName);
  text += row("holders", holders.empty() ? "nobody" : holders);
  const Duration lease_duration = lease.lease_duration();
  if (lease_duration > Duration{}) text += row("lease", printed(lease_duration));
  text += text_of_gaps(lease);
  if (lease.went_back > 0)
    text += row("went back", fmt::format("{}: the holder's clock was set back, so they are no gaps",
                                         counted(static_cast<std::uint64_t>(lease.went_back), "renewal")));
  std::string besides;
  if (lease.unseen_handovers > 0) besides = fmt::format(", {} not seen", lease.unseen_handovers);
  if (last.transitions) besides += fmt::format("; leaseTransitions {}", *last.transitions);
  text += row("handovers", fmt::format("{} seen{}", lease.handovers.size(), besides));
  for (const lab::Handover& handover : lease.handovers)
    text += row("", fmt::format("{} to {}: {} {}{}", format::printable(handover.from, kLongestName),
                                format::printable(handover.to, kLongestName), printed(handover.unrenewed),
                                handover.released ? "after it was released" : "after the last renewal",
                                handover.unseen > 0 ? ", others in between" : ""));
  if (lease.handovers.empty()) return text;
  const sim::Range<Duration> leaderless = lease.leaderless();
  return text + row("leaderless", fmt::format("at least {}, at most {}", printed(leaderless.low),
                                              printed(leaderless.high)));
}

void write_table(std::string_view name, const std::vector<Duration>& samples, lab::JsonWriter& json) {
  json.key(name);
  if (samples.empty()) {
    json.null();
    return;
  }
  const sim::Quantiles quantiles = lab::reduce_samples(samples);
  json.begin_object();
  for (const format::QuantileColumn& column : format::kQuantileColumns)
    json.field(column.name, quantiles.at(column.at));
  json.end_object();
}

void write_json(const ObservedLease& lease, lab::JsonWriter& json) {
  const lab::LeaseSighting& last = lease.sightings.back();
  json.begin_object().field("lease", lease.name).field("sightings", lease.sightings.size());
  json.field("seconds", lease.observed()).field("lease_duration_seconds", lease.lease_duration());
  json.field("lease_transitions", last.transitions);
  json.list("holders", lease.holders).field("gaps", lease.gaps.size());
  write_table("gap_seconds", lease.gaps, json);
  json.key("worst_gap");
  if (const auto& worst = lease.worst_gap)
    json.begin_object()
        .field("seconds", worst->length)
        .field("lease_duration_seconds", worst->lease_duration)
        .end_object();
  else
    json.null();
  write_table("lateness_seconds", lateness_of(lease), json);
  json.key("handovers").begin_array();
  for (const lab::Handover& handover : lease.handovers) {
    json.begin_object().field("from", handover.from).field("to", handover.to);
    json.field("unrenewed_seconds", handover.unrenewed).field("released", handover.released);
    json.field("unseen", handover.unseen).end_object();
  }
  json.end_array().field("unseen_handovers", lease.unseen_handovers);
  json.field("renewals_that_went_back", lease.went_back);
  json.field("leaderless_seconds_at_least", lease.leaderless().low);
  json.field("leaderless_seconds_at_most", lease.leaderless().high).end_object();
}

ExitCode write_gaps(const std::string& path, const std::vector<ObservedLease>& leases, Streams& streams) {
  if (!may_write(path, {"--gaps", "what --gaps wrote", kGapsBegin}, streams)) return ExitCode::io_error;
  std::string text(kGapsBegin);
  for (const ObservedLease& lease : leases) {
    const std::vector<Duration> late = lateness_of(lease);
    for (std::size_t i = 0; i < late.size(); ++i)
      text += fmt::format("{},{},{}\n", lease.name, lease.gaps[i].ns() / 1'000, late[i].ns() / 1'000);
  }
  return write_file(path, text, streams) ? ExitCode::pass : ExitCode::io_error;
}

// Only the one that is asked for; what is wrong, when there is none.
std::string keep_only(const std::string& name, std::vector<ObservedLease>& leases) {
  std::vector<std::string> names;
  for (const ObservedLease& lease : leases) names.push_back(lease.name);
  std::erase_if(leases, [&](const ObservedLease& lease) { return lease.name != name; });
  if (!leases.empty()) return {};
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fmt::format("there is no lease `{}`: {}", format::printable(name, kLongestName),
                     format::printable(format::suggestion(name, known), kLongestName));
}

}  // namespace

ExitCode observe_command(const ObserveOptions& options, Streams& streams) {
  const std::string shown = format::printable(options.path, 400);
  std::string why;
  const auto bytes = lab::read_file(options.path, lab::kMaxDataBytes + 1, why);
  if (!bytes) {
    print_error(streams, fmt::format("cannot read {}: {}", shown, why));
    return ExitCode::io_error;
  }
  const auto wrong = [&](const std::string& what) {
    print_error(streams, fmt::format("{}: {}", shown, what));
    return ExitCode::bad_scenario;
  };
  if (bytes->size() > lab::kMaxDataBytes)
    return wrong(fmt::format("larger than {} MiB", lab::kMaxDataBytes >> 20));
  auto read = lab::read_leases(*bytes);
  if (const auto* problem = std::get_if<std::string>(&read)) return wrong(*problem);
  auto& leases = std::get<std::vector<ObservedLease>>(read);
  if (leases.empty()) return wrong("no lease in it was ever held");
  if (!options.lease.empty())
    if (const std::string problem = keep_only(options.lease, leases); !problem.empty()) return wrong(problem);
  if (options.format == Format::json) {
    lab::JsonWriter json;
    json.begin_object().field("tenure", lab::version()).key("leases").begin_array();
    for (const ObservedLease& lease : leases) write_json(lease, json);
    json.end_array().end_object();
    streams.out << json.take() << "\n";
  } else {
    for (std::size_t i = 0; i < leases.size(); ++i) streams.out << (i > 0 ? "\n" : "") << text_of(leases[i]);
  }
  return options.gaps.empty() ? ExitCode::pass : write_gaps(options.gaps, leases, streams);
}

}  // namespace tenure::cli

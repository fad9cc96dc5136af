#include "cli/reports/text/probe_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "format/print/print.h"
#include "format/schema/quantile_keys.h"
#include "format/syntax/units.h"
#include "lab/calibrate/reduce.h"
#include "lab/session/json_writer.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

constexpr std::string_view kQuantilesShown[] = {"min", "p50", "p90", "p99", "max"};

Duration quantile(const sim::Quantiles& quantiles, std::string_view name) {
  const auto* column = std::find_if(std::begin(format::kQuantileColumns), std::end(format::kQuantileColumns),
                                    [&](const auto& each) { return each.name == name; });
  return quantiles.at(column->at);
}

// A microsecond is what such a measurement is good for.
Duration rounded(Duration duration) { return Duration::micros((duration.ns() + 500) / 1'000); }

std::string row_of(std::string_view label, const std::vector<Duration>& samples) {
  const sim::Quantiles quantiles = lab::reduce_samples(samples);
  std::string text = fmt::format("  {:<12}", label);
  for (const std::string_view name : kQuantilesShown)
    text += fmt::format("{:>11}", print_duration(rounded(quantile(quantiles, name))));
  return text + "\n";
}

std::vector<Duration> halves(std::vector<Duration> trips) {
  for (Duration& trip : trips) trip = Duration::nanos(trip.ns() / 2);
  return trips;
}

// What a commit takes beside the way there and back: the quickest round trip is way and nothing else. Since a commit's
// own way may have been slower, this is rather too much than too little.
std::vector<Duration> without_way(std::vector<Duration> commits, const std::vector<Duration>& trips) {
  const Duration way = *std::min_element(trips.begin(), trips.end());
  for (Duration& commit : commits) commit = std::max(commit - way, Duration{});
  return commits;
}

sim::Quantiles execution(const ProbeFindings& findings) {
  return lab::reduce_samples(findings.clock ? without_way(findings.commits, findings.trips)
                                            : findings.commits);
}

// To whole microseconds, outwards.
sim::Range<Duration> outwards(const sim::Range<Duration>& range) {
  const auto down = [](std::int64_t ns) { return ns / 1'000 - (ns % 1'000 < 0 ? 1 : 0); };
  return {Duration::micros(down(range.low.ns())), Duration::micros(-down(-range.high.ns()))};
}

void write_quantiles(std::string_view name, const std::vector<Duration>& samples, lab::JsonWriter& json) {
  const sim::Quantiles quantiles = lab::reduce_samples(samples);
  json.key(name).begin_object();
  for (const format::QuantileColumn& column : format::kQuantileColumns)
    json.field(column.name, quantiles.at(column.at));
  json.end_object();
}

}  // namespace

std::string text_of(const ProbeFindings& findings) {
  std::string text =
      fmt::format("{}: {} and {} in {}\n", findings.place, counted(findings.trips.size(), "round trip"),
                  counted(findings.commits.size(), "commit"), short_duration(findings.length));
  text += fmt::format("  {:<12}", "");
  for (const std::string_view name : kQuantilesShown) text += fmt::format("{:>11}", name);
  text += "\n" + row_of("round trip", findings.trips) + row_of("commit", findings.commits);
  if (!findings.clock) return text + "  clock       this machine's own\n";
  const lab::ClockBounds& clock = *findings.clock;
  text += fmt::format("  clock       ahead of this machine's by {}\n",
                      format::print_duration_range(outwards(clock.offset)));
  if (clock.rate_ppm)
    text += fmt::format("  rate        {} ppm faster than this machine's\n",
                        format::print_integer_range(*clock.rate_ppm));
  else if (clock.stepped)
    text += "  rate        unknown: one of the clocks was set meanwhile\n";
  else
    text += "  rate        unknown: it needs more time, or shorter round trips\n";
  return text;
}

std::string json_of(const ProbeFindings& findings) {
  lab::JsonWriter json;
  json.begin_object().field("tenure", lab::version()).field("place", findings.place);
  json.field("seconds", findings.length);
  json.field("round_trips", findings.trips.size()).field("commits", findings.commits.size());
  write_quantiles("round_trip_seconds", findings.trips, json);
  write_quantiles("commit_seconds", findings.commits, json);
  if (findings.clock) {
    json.key("clock").begin_object();
    json.field("offset_seconds_low", findings.clock->offset.low);
    json.field("offset_seconds_high", findings.clock->offset.high);
    if (const auto& rate = findings.clock->rate_ppm)
      json.field("rate_ppm_low", rate->low).field("rate_ppm_high", rate->high);
    json.field("stepped", findings.clock->stepped).end_object();
  }
  json.field("toml", toml_of(findings)).end_object();
  return json.take() + "\n";
}

std::string toml_of(const ProbeFindings& findings) {
  std::string text =
      fmt::format("{}: {}, {} and {} in {}\n[store]\nlatency = {}\n", kTablesBegin, findings.place,
                  counted(findings.trips.size(), "round trip"), counted(findings.commits.size(), "commit"),
                  short_duration(findings.length), format::print_quantiles(execution(findings)));
  if (!findings.clock)
    return text + "\n# the file is on the machine of the instances\n[network]\nlatency = \"0s\"\n";
  text +=
      fmt::format("clock = {{ offset = \"{}\", rate_ppm = \"{}\" }}\n",
                  format::print_duration_range(outwards(findings.clock->offset)),
                  findings.clock->rate_ppm ? format::print_integer_range(*findings.clock->rate_ppm) : "0");
  return text + fmt::format("\n# one way: half of a round trip\n[network]\nlatency = {}\n",
                            format::print_quantiles(lab::reduce_samples(halves(findings.trips))));
}

}  // namespace tenure::cli

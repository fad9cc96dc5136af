#include "cli/arguments/calibration_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

Duration length_of(std::string_view flag, const std::string& text, Duration least, Duration most) {
  const sim::Parsed<Duration> parsed = sim::parse_duration(text);
  if (!parsed.value) throw UsageError(fmt::format("{}: {}", flag, parsed.problem));
  if (*parsed.value < least || *parsed.value > most)
    throw UsageError(
        fmt::format("{} is from {} to {}", flag, sim::print_duration(least), sim::print_duration(most)));
  return *parsed.value;
}

}  // namespace

CLI::App* declare_probe(CLI::App& app, RawProbe& raw, std::optional<std::string>& format) {
  CLI::App* probe =
      app.add_subcommand("probe", "measure a real store, and write the [store] table of a scenario");
  probe
      ->add_option("STORE", raw.target,
                   "postgres://… or another connection string of libpq, or a file of SQLite")
      ->required()
      ->type_name("");
  probe->add_option("--for", raw.length, "for how long (10s)")->type_name("DURATION");
  probe->add_option("--every", raw.every, "one round trip and one commit in this time (100ms)")
      ->type_name("DURATION");
  probe->add_option("--write", raw.write, "write the tables there, as TOML")->type_name("FILE");
  probe->add_option("--format", format, "text or json")->type_name("FORMAT");
  return probe;
}

ProbeOptions probe_options(const RawProbe& raw, Format format) {
  if (raw.target.empty()) throw UsageError("probe takes a store: a connection string in quotes, or a file");
  ProbeOptions options;
  options.target = raw.target;
  options.length = length_of("--for", raw.length, Duration::millis(1), Duration::seconds(86'400));
  options.every = length_of("--every", raw.every, Duration::millis(1), Duration::seconds(3'600));
  options.write = raw.write;
  options.format = format;
  return options;
}

CLI::App* declare_observe(CLI::App& app, RawObserve& raw, std::optional<std::string>& format) {
  CLI::App* observe = app.add_subcommand("observe", "read renewals and handovers off Kubernetes leases");
  observe->add_option("FILE", raw.path, "what `kubectl get lease -w -o json` printed")
      ->required()
      ->type_name("");
  observe->add_option("--lease", raw.lease, "this one alone, like kube-system/kube-scheduler")
      ->type_name("NAME");
  observe->add_option("--gaps", raw.gaps, "write the gaps between renewals there, as CSV")->type_name("FILE");
  observe->add_option("--format", format, "text or json")->type_name("FORMAT");
  return observe;
}

ObserveOptions observe_options(const RawObserve& raw, Format format) {
  return {raw.path, raw.lease, raw.gaps, format};
}

}  // namespace tenure::cli

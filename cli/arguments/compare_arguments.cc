#include "cli/arguments/compare_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "cli/arguments/arguments.h"
#include "core/lease/elector_kind.h"
#include "format/syntax/suggest.h"
#include "sim/protocols/registry.h"

namespace tenure::cli {
namespace {

struct NamedCompareFormat {
  std::string_view name;
  CompareFormat format;
};
constexpr NamedCompareFormat kCompareFormats[] = {
    {"text", CompareFormat::text}, {"json", CompareFormat::json}, {"markdown", CompareFormat::markdown}};

CompareFormat compare_format_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const NamedCompareFormat& each : kCompareFormats) {
    if (each.name == name) return each.format;
    names.push_back(each.name);
  }
  throw UsageError(fmt::format("unknown format `{}`: {}", name, sim::suggestion(name, names)));
}

}  // namespace

CLI::App* declare_compare(CLI::App& app, RawCompare& raw) {
  CLI::App* command =
      app.add_subcommand("compare", "put designs into the same situations, to choose one of them");
  command
      ->add_option("DESIGN", raw.designs,
                   "like fenced-lease, client-go:60/40/5, my-lease.lua:lock_duration=10s or "
                   "fenced-lease+fenced-outbox; every protocol when left out")
      ->type_name("");
  command
      ->add_option("--against", raw.against,
                   "scenario files, or folders of them, in place of the built-in situations")
      ->type_name("FILE");
  command
      ->add_option(
          "--equal", raw.equal,
          "bring each design to one price first: failover_p99=20s, or requests=2000, of the store in an "
          "hour")
      ->type_name("PRICE");
  command->add_option("--seeds", raw.seeds, "how many runs of each design in each situation (200)")
      ->type_name("N");
  command->add_option("--format", raw.format, "text, markdown or json (text)")->type_name("FORMAT");
  command
      ->add_option("--out", raw.folder, "keep the worst run of each cell there, as small as it can be made")
      ->type_name("DIR");
  command->add_flag("--no-shrink", raw.no_shrink, "keep them as they are found");
  command->add_option("--shrink-for", raw.shrink_time, "how long to shrink each (10s)")->type_name("TIME");
  command
      ->add_option("--save", raw.save,
                   "write runs there as they come, so that --resume need not do them again")
      ->type_name("FILE");
  command->add_flag("--resume", raw.resume, "take from --save what was run before");
  return command;
}

CompareOptions read_compare(const RawCompare& raw, const ReportOptions& report, unsigned jobs) {
  CompareOptions options;
  options.designs = raw.designs;
  options.every_protocol = options.designs.empty();
  if (options.every_protocol)
    for (const ElectorKind& kind : elector_kinds()) options.designs.emplace_back(kind.name);
  for (auto it = options.designs.begin(); it != options.designs.end(); ++it)
    if (std::find(options.designs.begin(), it, *it) != it)
      throw UsageError(fmt::format("`{}` is there twice", *it));
  options.against = raw.against;
  if (raw.equal && raw.equal->empty()) throw UsageError("--equal needs a price, like failover_p99=20s");
  options.equal = raw.equal.value_or("");
  if (raw.seeds) options.seeds = parse_run_count(*raw.seeds);
  if (raw.format) options.format = compare_format_of(*raw.format);
  if (raw.folder && raw.folder->empty()) throw UsageError("--out needs the name of a folder");
  const std::string_view of_shrinking = raw.no_shrink ? "--no-shrink" : raw.shrink_time ? "--shrink-for" : "";
  if (!raw.folder && !of_shrinking.empty())
    throw UsageError(fmt::format("without --out nothing is kept, so {} means nothing", of_shrinking));
  if (raw.no_shrink && raw.shrink_time) throw UsageError("--shrink-for means nothing beside --no-shrink");
  options.folder = raw.folder.value_or("");
  options.shrink = !raw.no_shrink;
  if (raw.shrink_time) options.shrink_time = parse_time("--shrink-for", *raw.shrink_time);
  if (raw.save && raw.save->empty()) throw UsageError("--save needs the name of a file");
  if (raw.resume && !raw.save) throw UsageError("--resume needs the file that was written with --save");
  options.save = raw.save.value_or("");
  options.resume = raw.resume;
  options.jobs = jobs;
  options.page = report.page;
  options.window = report.window;
  return options;
}

}  // namespace tenure::cli

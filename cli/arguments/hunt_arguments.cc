#include "cli/arguments/hunt_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/arguments/arguments.h"

namespace tenure::cli {

void declare_hunt(CLI::App& command, RawHunt& raw) {
  command.add_option("--for", raw.time, "hunt each file for this long, like 5m, or until the seeds are done")
      ->type_name("TIME");
  command.add_flag("--exhaustive", raw.exhaustive,
                   "try everything that can happen, within the bounds of [exhaustive], instead of seeds");
  command.add_flag("--keep-going", raw.keep_going, "do not stop at the first violation");
  command.add_flag("--unguided", raw.unguided, "draw every case anew, and learn nothing from earlier ones");
  command.add_flag("--check-determinism", raw.check_determinism, "run every case twice, not one in 64");
  command.add_flag("--no-replay", raw.no_replay, "do not begin with the failures kept before");
  command.add_flag("--no-shrink", raw.no_shrink, "keep failures as they are found");
  command.add_option("--shrink-for", raw.shrink_time, "how long to shrink each failure (30s)")
      ->type_name("TIME");
  command.add_option("--out", raw.folder, "the folder for failures (regressions)")->type_name("DIR");
}

void declare_shrink(CLI::App& command, RawHunt& raw) {
  command.add_option("--for", raw.shrink_time, "for how long at most (30s)")->type_name("TIME");
  command.add_option("--out", raw.out, "the file to write (one in regressions)")->type_name("FILE");
}

void declare_replay(CLI::App& command, RawHunt& raw) {
  command.add_option("FILE", raw.kept, "regressions, or folders of them (regressions)")->type_name("");
}

void read_hunt(const RawHunt& raw, HuntOptions& options) {
  if (raw.time) options.time = parse_time("--for", *raw.time);
  if (raw.shrink_time) options.shrink_time = parse_time("--shrink-for", *raw.shrink_time);
  if (raw.no_shrink && raw.shrink_time) throw UsageError("--shrink-for means nothing beside --no-shrink");
  if (raw.folder && raw.folder->empty()) throw UsageError("--out needs the name of a folder");
  options.folder = raw.folder.value_or(options.folder);
  const std::string_view of_seeds = raw.time                ? "--for"
                                    : raw.keep_going        ? "--keep-going"
                                    : raw.unguided          ? "--unguided"
                                    : raw.check_determinism ? "--check-determinism"
                                    : raw.no_replay         ? "--no-replay"
                                    : raw.no_shrink         ? "--no-shrink"
                                    : raw.shrink_time       ? "--shrink-for"
                                    : raw.folder            ? "--out"
                                                            : "";
  if (raw.exhaustive && !of_seeds.empty())
    throw UsageError(fmt::format("--exhaustive draws no seeds, so {} means nothing beside it", of_seeds));
  options.exhaustive = raw.exhaustive;
  options.keep_going = raw.keep_going;
  options.guided = !raw.unguided;
  options.check_determinism = raw.check_determinism;
  options.replay = !raw.no_replay;
  options.shrink = !raw.no_shrink;
}

void read_shrink(const RawHunt& raw, ShrinkOptions& options) {
  if (raw.shrink_time) options.time = parse_time("--for", *raw.shrink_time);
  if (raw.out && raw.out->empty()) throw UsageError("--out needs the name of a file to write");
  options.out = raw.out.value_or("");
}

}  // namespace tenure::cli

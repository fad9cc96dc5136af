#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/commands/campaign.h"
#include "cli/commands/runs_report.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/terminal/signals.h"
#include "lab/session/runs.h"

namespace tenure::cli {
namespace {

lab::Campaign campaign_of(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files) {
  lab::Campaign campaign = campaign_of("run", options.paths, options.sets, *options.seeds, files);
  campaign.twice = options.twice;
  return campaign;
}

RunCommandOptions options_of(const lab::Campaign& campaign) {
  RunCommandOptions options;
  options.paths = campaign.paths;
  options.sets = sets_of(campaign);
  options.seeds = seeds_of(campaign);
  options.twice = campaign.twice;
  return options;
}

// With the seeds of its part alone.
RunCommandOptions of_part(RunCommandOptions options) {
  const lab::ShardRange range = lab::range_of(options.shard.value_or(lab::Shard{}), options.seeds->first,
                                              options.seeds->last - options.seeds->first + 1);
  options.seeds = SeedRange{range.first, range.first + range.size - 1};  // of none: one before the first
  return options;
}

}  // namespace

ExitCode run_part(const RunCommandOptions& all, const std::vector<format::ScenarioFile>& files,
                  Streams& streams) {
  if (!can_write_into(all.campaign, streams)) return ExitCode::io_error;
  const RunCommandOptions options = of_part(all);
  const RunPlan plan(options, files);
  Reporter nobody;
  RunsReport report(options, plan, nobody, streams);
  PartSaver part(all.campaign,
                 {.campaign = campaign_of(all, files),
                  .shard = all.shard.value_or(lab::Shard{}),
                  .done = 0,
                  .planned = plan.count(),
                  .states = {}},
                 streams);
  if (!part.go_on([&](const std::vector<std::string>& states) { return report.append(states); }))
    return ExitCode::io_error;

  const std::uint64_t first = part.done();
  const Interruption interruption;
  const lab::JobsEnd end = lab::run_each(
      plan.count() - first, options.jobs,
      [&](std::size_t job) {
        return lab::OneRun{
            .file = &plan.file(first + job), .seed = plan.seed(first + job), .twice = options.twice};
      },
      [&](std::size_t job, lab::RunOutcome outcome) {
        // After an interruption, outcomes come with gaps: those are made again.
        if (first + job != part.done() || outcome.host_failed) return;
        report.take(first + job, std::move(outcome));
        if (part.advance()) part.save(report.states());
      },
      lab::WhenInterrupted::leave);
  part.save(report.states());
  if (!part.good()) return ExitCode::io_error;
  const bool interrupted = end == lab::JobsEnd::interrupted;
  part.say("run", report.failed(), "not a pass", interrupted);
  if (interrupted) leave_interrupted(streams);
  return report.end(false) == ExitCode::internal_error ? ExitCode::internal_error : ExitCode::pass;
}

ExitCode merge_runs(const MergeOptions& options, const Parts& parts,
                    const std::vector<format::ScenarioFile>& files, Streams& streams) {
  RunCommandOptions run = options_of(parts.begin()->second.campaign);
  run.jobs = options.jobs;
  run.report = options.report;
  const RunPlan plan(run, files);
  const std::unique_ptr<Reporter> reporter = make_reporters(run.report, streams);
  if (!reporter) return ExitCode::io_error;
  RunsReport report(run, plan, *reporter, streams);
  for (const auto& [index, part] : parts)
    if (!report.append(part.states)) {
      print_error(streams, fmt::format("part {} of {} is damaged", index, part.shard.count));
      return ExitCode::bad_scenario;
    }
  const Interruption interruption;
  report.tell_appended();
  const bool drawn = run.report.page.empty() || report.draw();
  const ExitCode code = report.end(!drawn);
  if (!drawn) leave_interrupted(streams);
  return code;
}

}  // namespace tenure::cli

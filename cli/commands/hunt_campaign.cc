#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands/campaign.h"
#include "cli/commands/hunt_watch.h"
#include "cli/load.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "lab/session/hunt_session.h"
#include "lab/session/hunted_cases.h"
#include "lab/session/kept_json.h"

namespace tenure::cli {
namespace {

// Cases of a block, which is hunted by itself: eight generations.
constexpr std::uint64_t kBlock = 2048;

// In the campaign's folder: failures as they were found.
constexpr const char* kKeptFolder = "kept";

std::uint64_t count_of(const SeedRange& seeds) { return seeds.last - seeds.first + 1; }

// The blocks of a hunt: of the first scenario, then of the second, …
struct Block {
  std::size_t file = 0;
  SeedRange seeds;
};
std::vector<Block> blocks_of(const HuntOptions& options, std::size_t files) {
  std::vector<Block> blocks;
  const std::uint64_t each = (count_of(options.seeds) + kBlock - 1) / kBlock;
  const lab::ShardRange mine = lab::range_of(options.shard.value_or(lab::Shard{}), 0, each);
  for (std::size_t file = 0; file < files; ++file)
    for (std::uint64_t i = mine.first; i < mine.first + mine.size; ++i) {
      const std::uint64_t first = options.seeds.first + i * kBlock;
      blocks.push_back({file, {first, std::min(first + kBlock - 1, options.seeds.last)}});
    }
  return blocks;
}

// One block as a hunt: nothing is replayed or shrunk, and it goes on after failures.
HuntOptions hunt_of(const HuntOptions& all, const Block& block) {
  HuntOptions options = all;
  options.seeds = block.seeds;
  options.keep_going = true;
  options.replay = false;
  options.shrink = false;
  options.folder = all.campaign + "/" + kKeptFolder;
  return options;
}

class PartWatch final : public lab::HuntObserver {
 public:
  PartWatch(std::uint64_t done, std::uint64_t planned, ProgressLine& line, Streams& streams)
      : done_(done), planned_(planned), line_(line), streams_(streams) {}
  void progressed(std::uint64_t cases, std::uint64_t failures, std::uint64_t) override {
    if (streams_.progress && line_.is_due())
      line_.show(fmt::format("{} of {} blocks, {} cases and {} failures in this one", done_, planned_, cases,
                             failures));
  }
  void saved(const lab::SavedRegression& saved) override { say_unwritten(saved, streams_); }

 private:
  std::uint64_t done_;
  std::uint64_t planned_;
  ProgressLine& line_;
  Streams& streams_;
};

// What the parts say of each scenario. False: a part is damaged.
bool append(const std::vector<std::string>& states, std::vector<lab::HuntedCases>& all) {
  if (states.size() != all.size()) return false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::optional<lab::HuntedCases> cases = lab::read_json_line<lab::HuntedCases>(states[i]);
    if (!cases) return false;
    all[i].append(*cases);
  }
  return true;
}

std::vector<std::string> states_of(const std::vector<lab::HuntedCases>& all) {
  std::vector<std::string> states;
  for (const lab::HuntedCases& each : all) states.push_back(lab::json_line(each));
  return states;
}

// The saved failure, read and run again. Nullopt, and an error: it cannot be read.
std::optional<lab::Finding> finding_of(const lab::HuntedCases::KeptFailure& kept,
                                       const std::vector<std::string>& folders, Streams& streams) {
  // Folders of a campaign may have been moved since.
  std::vector<std::string> paths = {kept.path};
  for (const std::string& folder : folders) {
    const std::filesystem::path moved =
        std::filesystem::path(folder) / kKeptFolder / std::filesystem::path(kept.path).filename();
    if (std::filesystem::exists(moved)) paths = {moved.string()};
  }
  Loaded loaded = load(paths, {}, "the failure is not told", streams);
  if (loaded.files.size() != 1) return std::nullopt;
  lab::Finding finding;
  finding.seed = kept.seed;
  finding.times = kept.times;
  finding.saved.path = paths.front();
  finding.saved.file = std::move(loaded.files.front());
  finding.saved.failure = kept.failure;
  finding.saved.found = finding.saved.file.scenario;
  finding.saved.run = lab::tell_seed(finding.saved.file, finding.saved.file.scenario.seed.value_or(1)).run;
  return finding;
}

lab::HuntFindings findings_of(const lab::HuntedCases& cases, const format::ScenarioFile& file,
                              const lab::Campaign& campaign, const std::vector<std::string>& folders,
                              Streams& streams) {
  lab::HuntFindings findings;
  findings.scenario = findings.title = file.scenario.name;
  findings.path = file.scenario.path;
  findings.first_seed = campaign.first_seed;
  findings.planned = campaign.seeds;
  findings.not_demanded = lab::not_demanded(file);
  lab::totals_are(findings, cases.totals, file);
  findings.failures = cases.failures;
  findings.compared = cases.compared;
  findings.difference = cases.difference;
  findings.difference_seed = cases.difference_seed;
  for (const lab::HuntedCases::KeptFailure& kept : cases.kept)
    if (std::optional<lab::Finding> finding = finding_of(kept, folders, streams))
      findings.findings.push_back(*std::move(finding));
  if (cases.totals.cases < campaign.seeds) {
    findings.interrupted = true;
    findings.stopped = "parts are missing";
  }
  return findings;
}

}  // namespace

ExitCode hunt_part(const HuntOptions& options, const std::vector<format::ScenarioFile>& files,
                   Streams& streams) {
  if (!can_write_into(options.campaign, streams) ||
      !can_write_into(options.campaign + "/" + kKeptFolder, streams))
    return ExitCode::io_error;
  const std::vector<Block> blocks = blocks_of(options, files.size());
  lab::Campaign campaign = campaign_of("hunt", options.paths, options.sets, options.seeds, files);
  campaign.twice = options.check_determinism;
  campaign.guided = options.guided;
  PartSaver part(options.campaign,
                 {.campaign = std::move(campaign),
                  .shard = options.shard.value_or(lab::Shard{}),
                  .done = 0,
                  .planned = blocks.size(),
                  .states = {}},
                 streams);
  std::vector<lab::HuntedCases> all(files.size());
  if (!part.go_on([&](const std::vector<std::string>& states) { return append(states, all); }))
    return ExitCode::io_error;

  const Interruption interruption;
  ProgressLine line(streams);
  bool interrupted = false;
  while (part.done() < blocks.size() && !interrupted) {
    const Block& block = blocks[part.done()];
    PartWatch watch(part.done(), blocks.size(), line, streams);
    lab::HuntSession hunt(hunt_setup(hunt_of(options, block), {}), files[block.file], watch);
    const lab::HuntFindings& findings = hunt.run();
    interrupted = findings.interrupted;
    if (interrupted) break;
    all[block.file].append(lab::hunted_cases(findings, hunt.totals()));
    if (part.advance()) part.save(states_of(all));
  }
  part.save(states_of(all));
  if (!part.good()) return ExitCode::io_error;
  std::uint64_t failures = 0;
  for (const lab::HuntedCases& each : all) failures += each.failures;
  part.say("block", failures, failures == 1 ? "failure" : "failures", interrupted);
  if (interrupted) leave_interrupted(streams);
  return ExitCode::pass;
}

ExitCode merge_hunts(const MergeOptions& options, const Parts& parts,
                     const std::vector<format::ScenarioFile>& files, Streams& streams) {
  std::vector<lab::HuntedCases> all(files.size());
  for (const auto& [index, part] : parts)
    if (!append(part.states, all)) {
      print_error(streams, fmt::format("part {} of {} is damaged", index, part.shard.count));
      return ExitCode::bad_scenario;
    }
  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter) return ExitCode::io_error;
  const lab::Campaign& campaign = parts.begin()->second.campaign;
  HuntOptions hunt;
  hunt.sets = sets_of(campaign);
  hunt.seeds = seeds_of(campaign);
  hunt.guided = campaign.guided;
  hunt.report = options.report;
  hunt.jobs = options.jobs;
  const Interruption interruption;
  Totals totals{.unit = "scenario", .planned = files.size(), .done = files.size()};
  bool drawn = true;
  for (std::size_t i = 0; i < files.size() && drawn; ++i) {
    const lab::HuntFindings findings = findings_of(all[i], files[i], campaign, options.folders, streams);
    for (const lab::Finding& finding : findings.findings) reporter->found(findings, finding);
    drawn = tell_hunt(findings, files[i].scenario, hunt, *reporter, streams);
    const ExitCode code =
        findings.interrupted && findings.failures == 0 ? ExitCode::inconclusive : exit_code_of(findings);
    totals.code = worse(totals.code, code);
  }
  totals.interrupted = !drawn;
  const ExitCode code = worse(totals.code, reporter->end(totals));
  if (!drawn) leave_interrupted(streams);
  return code;
}

}  // namespace tenure::cli

// What the command line asked for, read and checked.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/schedule/definition.h"
#include "format/syntax/document.h"
#include "lab/session/shard.h"
#include "lab/session/trace_writer.h"

namespace tenure::cli {

enum class Format { text, json, jsonl, github };

// A part of a run, from its start.
struct TimeRange {
  Duration from;
  Duration to;
};

// Which events of a run are listed.
enum class EventList { none, what_matters, all };

// How `run`, `hunt` and `replay` say what they found.
struct ReportOptions {
  Format format = Format::text;
  EventList events = EventList::none;  // of `run`
  std::string page;                    // a file to write; empty: none
  std::string perfetto;                // of `run`: a file to write; empty: none
  std::string svg;                     // likewise
  std::optional<TimeRange> window;  // of the page: where it has every request, whatever is left out elsewhere
  std::string junit;                // a file to write; empty: none
  std::string summary;              // a file to append to; empty: none
  std::string baseline;             // an earlier result, as JSON; empty: none
};

// A mistake in the arguments that CLI11 does not see.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SeedRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included
};

struct RunCommandOptions {
  std::vector<std::string> paths;
  std::vector<format::Override> sets;
  std::optional<std::uint64_t> seed;
  std::optional<SeedRange> seeds;
  unsigned jobs = 1;
  ReportOptions report;
  std::string trace;  // a file to write; empty: none
  lab::TraceLevel trace_level = lab::TraceLevel::full;
  bool print_plan = false;
  bool twice = false;
  bool watch = false;
  std::string campaign;  // a folder, where what the runs say is saved instead of reported; empty: none
  std::optional<lab::Shard> shard;  // of the seeds; none: all of them
};

struct MergeOptions {
  std::vector<std::string> folders;  // of one campaign
  unsigned jobs = 1;
  ReportOptions report;
};

struct HuntOptions {
  std::vector<std::string> paths;
  std::vector<format::Override> sets;
  SeedRange seeds{1, 1'000};
  bool open_ended = false;       // the seeds are as many as there is time for
  std::optional<Duration> time;  // of the wall clock, for each scenario
  unsigned jobs = 1;
  ReportOptions report;
  bool keep_going = false;
  bool exhaustive = false;  // every interleaving within bounds, instead of seeds
  bool guided = true;
  bool replay = true;              // what was kept of this scenario before, first
  bool check_determinism = false;  // of every case, instead of a sample
  bool shrink = true;
  Duration shrink_time = Duration::seconds(30);
  std::string folder = "regressions";  // where failures are kept
  std::string campaign;                // as of RunCommandOptions
  std::optional<lab::Shard> shard;
  std::string save;  // the file where cases are kept as they come; empty: nowhere
  bool resume = false;
};

struct ShrinkOptions {
  std::string path;
  std::vector<format::Override> sets;
  std::optional<std::uint64_t> seed;
  Duration time = Duration::seconds(30);
  std::string out;  // a file; empty: among the regressions, under a name of its own
  std::string folder = "regressions";
};

struct ExplainOptions {
  std::string path;
  std::vector<format::Override> sets;
  std::optional<std::uint64_t> seed;  // in place of the file's
};

struct ReplayOptions {
  std::vector<std::string> paths;  // empty: the folder, where it is no mistake that there is nothing
  std::string folder = "regressions";
  std::vector<format::Override> sets;  // over each of them: does the mended setting mend it?
  unsigned jobs = 1;
  ReportOptions report;
};

enum class TuneFormat { text, json, csv, markdown };

struct TuneOptions {
  std::string path;
  std::vector<format::Override> sets;
  std::optional<std::uint64_t> seeds;  // in place of the file's
  unsigned jobs = 1;
  TuneFormat format = TuneFormat::text;
  std::string plot;      // a file to write; empty: none
  std::string page;      // likewise
  std::string baseline;  // an earlier result, as JSON; empty: none
  std::optional<TimeRange> window;
  std::string save;                 // where runs are kept; empty: NAME.tune
  bool keep = true;                 // runs are kept at all
  std::optional<lab::Shard> shard;  // the part of the runs to make; none: all of them
  bool resume = false;
  bool explain = false;
  bool shrink = true;
  Duration shrink_time = Duration::seconds(10);
  std::string folder = "counterexamples";
};

struct AdviseOptions {
  std::string path;
  std::vector<format::Override> sets;
  std::optional<std::uint64_t> seeds;
  unsigned jobs = 1;
};

enum class CompareFormat { text, json, markdown };

struct CompareOptions {
  std::vector<std::string> designs;
  bool every_protocol = false;       // nobody named any
  std::vector<std::string> against;  // scenarios; empty: the gauntlet
  std::string equal;                 // the price that all are brought to; empty: none
  std::uint64_t seeds = 200;         // of each design in each situation
  unsigned jobs = 1;
  CompareFormat format = CompareFormat::text;
  std::string page;      // a file to write; empty: none
  std::string baseline;  // an earlier result, as JSON; empty: none
  std::optional<TimeRange> window;
  std::string folder;  // where the worst run of each cell is kept; empty: nowhere
  bool shrink = true;
  Duration shrink_time = Duration::seconds(10);
  std::string save;                 // a file that runs are written to as they come; empty: none
  bool resume = false;              // and taken from
  std::optional<lab::Shard> shard;  // as of TuneOptions
};

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<format::Override> sets;
};

struct NextOptions {
  // One of these four says when.
  std::optional<std::string> expression;
  std::optional<std::string> every;
  std::vector<std::string> at;
  std::optional<std::string> once;

  std::optional<std::string> start;
  std::optional<std::string> end;
  std::optional<std::string> timezone;
  DstGap gap = DstGap::gap_end;
  DstOverlap overlap = DstOverlap::first;
  std::optional<std::string> from;
  std::optional<std::string> until;
  std::size_t count = 10;
  bool previous = false;
  std::optional<std::string> jitter;
  Jitter::Per jitter_per = Jitter::Per::slot;
  std::uint64_t jitter_seed = 0;
  ScheduleId schedule;
  Format format = Format::text;
};

struct AuditOptions {
  std::vector<std::string> journals;
  Format format = Format::text;
  bool start_missing = false;  // of a chain, on purpose: what is left is judged
  std::string page = {};       // a file to write; empty: none
};

struct LiveOptions {
  std::string path;
  std::vector<format::Override> sets;
  std::string store = "sqlite";       // or sqlite:FILE, postgres, postgres://…, 127.0.0.1:PORT
  std::optional<std::uint64_t> seed;  // in place of the file's; of the second run one more, and so on
  std::uint64_t runs = 1;
  bool compares = false;             // with simulated runs
  std::optional<Duration> soak;      // for so long, runs with drawn faults and edits
  std::string page;                  // a file to write, of the last run; empty: none
  Format format = Format::text;      // or json: a line for each run, and one for the comparison
  std::string keep;                  // a folder for journals and logs; empty: they go if all is well
  std::vector<std::string> command;  // of each instance; empty: instances of ours
};

struct ListOptions {
  std::string what;                  // empty: everything but scenarios
  std::string folder = "scenarios";  // of scenarios
};

struct InitOptions {
  std::string what;  // one of init_subjects()
  std::string folder = ".";
};

struct ProbeOptions {
  std::string target;  // a connection string of libpq, or a file of SQLite
  Duration length = Duration::seconds(10);
  Duration every = Duration::millis(100);
  std::string write;  // a file for the tables; empty: they are printed
  Format format = Format::text;
};

struct ObserveOptions {
  std::string path;
  std::string lease;  // this one alone; empty: all
  std::string gaps;   // a file for the gaps, as CSV; empty: none
  Format format = Format::text;
};

// Where the server is, and with which token.
struct ServerOptions {
  std::string url = "http://127.0.0.1:8420";
  std::string token;
};

enum class ScheduleAction { list, get, apply, remove, trigger, backfill, pause, resume, next, fires };

struct ScheduleCommandOptions {
  ScheduleAction action = ScheduleAction::list;
  ServerOptions server;
  Format format = Format::text;
  std::vector<std::string> names;
  std::string file;                  // of apply; "-" is standard input
  bool dry_run = false;              // of apply and backfill
  std::string why;                   // of pause and resume
  std::string key;                   // of trigger and backfill: the Idempotency-Key; empty: none
  std::string prefix;                // of list
  std::string state;                 // likewise
  std::vector<std::string> labels;   // likewise
  std::optional<std::string> order;  // likewise
  std::string from;                  // of next: a time in RFC 3339; empty: now; and of backfill
  std::string to;                    // of backfill, likewise: slots before it
  std::vector<std::string> slots;    // of backfill, instead of from and to
  std::size_t count = 10;            // of next and fires
  std::string outcome;               // of fires; empty: any
};

enum class EventAction { dead, replay, discard };

struct EventCommandOptions {
  EventAction action = EventAction::dead;
  ServerOptions server;
  Format format = Format::text;
  std::vector<std::string> keys;  // of replay and discard; empty: `all`
  bool all = false;               // those that are dead now
  std::string schedule;           // of dead, and with `all`: only those of this one; empty: any
  bool discarded = false;         // of dead: those that somebody has discarded
  std::size_t count = 100;        // of dead: so many at most
};

struct LeaderCommandOptions {
  ServerOptions server;
  Format format = Format::text;
};

}  // namespace tenure::cli

// A command of the program: its arguments, each declared once with how it is read, and what it does with them.
//
// Arguments are read when all of them are parsed, in the order in which they were declared, and checked against each
// other after that. What is wrong is a UsageError.
//
// Thread rule: runs on the main thread.
#pragma once

#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tenure::cli {

// Values of options, and of arguments without dashes. kScenarioFiles stands for files.
using Offers = std::map<const CLI::Option*, std::vector<std::string>>;
inline constexpr std::string_view kScenarioFiles = "*.toml";

class Command {
 public:
  Command(CLI::App& app, const std::string& name, const std::string& doc);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  CLI::App& app() const { return app_; }
  bool is_chosen() const;

  // Each declares one: `flags` as CLI11 takes them, a word without dashes is a positional.
  using Read = std::function<void(const std::string&)>;
  CLI::Option* option(const std::string& flags, const char* type, const std::string& doc, Read read);
  CLI::Option* text(const std::string& flags, const char* type, const std::string& doc, std::string& into);
  // A text that is not empty; `what` it is else said to need: "the name of a file to write".
  CLI::Option* named(const std::string& flags, const char* type, const std::string& doc, std::string& into,
                     const char* what);
  CLI::Option* texts(const std::string& flags, const char* type, const std::string& doc,
                     std::vector<std::string>& into);
  void flag(const std::string& flags, const std::string& doc, bool& into);
  void flag_off(const std::string& flags, const std::string& doc, bool& into);

  // Those that several commands take.
  void takes_sets(std::vector<format::Override>& sets);
  void takes_files(std::vector<std::string>& paths, std::vector<format::Override>& sets);
  void takes_one_file(std::string& path, std::vector<format::Override>& sets);
  void takes_jobs(unsigned& jobs);
  void takes_format(Format& format, const char* doc);
  void takes_page_file(std::string& page);
  void takes_page(std::string& page, std::optional<TimeRange>& window);
  void takes_report(ReportOptions& report);
  void takes_baseline(std::string& baseline);
  void takes_report_file(const char* flag, const char* doc, std::string& into);

  // What shells offer for the value of an option (arguments/completion.h).
  void offers(const CLI::Option* option, std::vector<std::string_view> values);
  const Offers& offered() const { return offered_; }

  bool given(const std::string& flag) const;
  // The first of them that was given; empty: none was.
  std::string_view first_given(std::initializer_list<const char*> flags) const;

  // Read after the arguments before it.
  void check(std::function<void()> check) { readers_.push_back(std::move(check)); }

  // The options that can have a default, without dashes.
  std::vector<std::string> keys() const;
  // What an option has where the command line says nothing of it, nor of one that excludes it. `place` says who did,
  // should it be wrong: "tenure.toml:3". Without effect where there is no such option.
  void set_default(const std::string& key, const std::string& value, const std::string& place);

  void does(std::function<ExitCode(Streams&)> action) { action_ = std::move(action); }
  // Its results are printed when all is known.
  void does_at_once(std::function<ExitCode(Streams&)> action);
  ExitCode run(Streams& streams) const;

 private:
  CLI::App& app_;
  struct Raw {
    CLI::Option* option = nullptr;
    std::optional<std::string> text;  // what it was given
    std::string place;                // of a default; empty: the command line
  };
  std::list<Raw> raw_;
  std::list<std::vector<std::string>> raw_lists_;  // likewise
  Offers offered_;
  std::vector<std::function<void()>> readers_;
  std::function<ExitCode(Streams&)> action_;
};

// With addresses that stay.
using Commands = std::list<Command>;

// In the order of the help.
void declare_init(CLI::App& app, Commands& commands);
void declare_runs(CLI::App& app, Commands& commands);      // run, hunt, shrink, explain, replay
void declare_settings(CLI::App& app, Commands& commands);  // tune, advise, compare
void declare_checks(CLI::App& app, Commands& commands);    // check, check-node, audit
void declare_next(CLI::App& app, Commands& commands);      // next
void declare_others(CLI::App& app, Commands& commands);    // probe, observe, list, schema, print
void declare_clients(CLI::App& app, Commands& commands);   // schedule, event, leader

}  // namespace tenure::cli

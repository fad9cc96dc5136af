#include "cli/arguments/defaults.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "format/syntax/diagnostic.h"
#include "format/syntax/document.h"
#include "format/syntax/suggest.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFile = "tenure.toml";
constexpr std::string_view kQuietKey = "quiet";  // of the whole program

using Names = std::vector<std::string>;

void refuse(const format::Entry& entry, std::string message, const Names& known,
            format::Diagnostics& diagnostics) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  diagnostics.add(entry.place, std::move(message), format::suggestion(entry.name, names));
}

// Takes the defaults of one table. `command`: whose they are; null: those of every command that has such an option, and
// of these the chosen one takes them.
class DefaultsReader {
 public:
  DefaultsReader(const Commands& commands, Command& chosen, const std::string& path,
                 format::Diagnostics& diagnostics, Streams& streams)
      : commands_(commands), chosen_(chosen), path_(path), diagnostics_(diagnostics), streams_(streams) {}

  void take(const format::Item& table, const Command* command) {
    Names known;
    if (command == nullptr) known.emplace_back(kQuietKey);
    for (const Command& each : commands_) {
      if (command != nullptr && command != &each) continue;
      const Names keys = each.keys();
      known.insert(known.end(), keys.begin(), keys.end());
    }
    for (const format::Entry& entry : table.entries) {
      if (command == nullptr && entry.item.kind == format::Item::Kind::table) continue;
      if (command == nullptr && entry.name == kQuietKey)
        take_quiet(entry.item);
      else if (std::find(known.begin(), known.end(), entry.name) == known.end())
        refuse(entry,
               fmt::format("no option `--{}`{}", entry.name,
                           command == nullptr ? " of any command" : " of this command"),
               known, diagnostics_);
      else if (entry.item.kind != format::Item::Kind::text && entry.item.kind != format::Item::Kind::integer)
        diagnostics_.add(entry.item.place, fmt::format("`{}` is text or a number here", entry.name));
      else if (command == nullptr || command == &chosen_)
        chosen_.set_default(entry.name, entry.item.text, fmt::format("{}:{}", path_, entry.place.line));
    }
  }

 private:
  void take_quiet(const format::Item& item) {
    if (item.kind != format::Item::Kind::boolean)
      diagnostics_.add(item.place, fmt::format("`{}` is true or false", kQuietKey));
    else if (item.boolean)
      streams_.be_quiet();
  }

  const Commands& commands_;
  Command& chosen_;
  const std::string& path_;
  format::Diagnostics& diagnostics_;
  Streams& streams_;
};

}  // namespace

std::string find_defaults() {
  std::error_code unknown;
  const fs::path here = fs::current_path(unknown);
  for (fs::path folder = here; !folder.empty(); folder = folder.parent_path()) {
    const fs::path file = folder / kFile;
    if (fs::is_regular_file(file, unknown)) return folder == here ? std::string(kFile) : file.string();
    if (folder == folder.root_path()) break;
  }
  return {};
}

std::optional<ExitCode> take_defaults(const std::string& path, const Commands& commands, Command& chosen,
                                      Streams& streams) {
  std::string why;
  const std::optional<std::string> text = lab::read_file(path, format::kMaxBytes + 1, why);
  if (!text) {
    print_error(streams, fmt::format("cannot read {}: {}", path, why));
    return ExitCode::io_error;
  }
  format::Diagnostics diagnostics(path, *text, {});
  const format::Item document = format::read_document(*text, {}, diagnostics);
  Names names;
  for (const Command& each : commands) names.push_back(each.app().get_name());
  DefaultsReader reader(commands, chosen, path, diagnostics, streams);
  // A command's own table is nearer than what all have.
  for (const format::Entry& entry : document.entries) {
    if (entry.item.kind != format::Item::Kind::table) continue;
    const auto command = std::find_if(commands.begin(), commands.end(), [&](const Command& each) {
      return each.app().get_name() == entry.name && each.app().get_parent()->get_parent() == nullptr;
    });
    if (command == commands.end())
      refuse(entry, fmt::format("no command `{}`", entry.name), names, diagnostics);
    else
      reader.take(entry.item, &*command);
  }
  reader.take(document, nullptr);
  const std::vector<format::Diagnostic> found = diagnostics.take();
  for (const format::Diagnostic& diagnostic : found)
    streams.err << format::render(diagnostic, streams.paint_err);
  if (found.empty()) return std::nullopt;
  return ExitCode::usage;
}

}  // namespace tenure::cli

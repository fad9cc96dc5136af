#include "cli/load.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "adapters/tzdb/tzdb.h"
#include "cli/text_format.h"
#include "sim/scenario/toml/parse.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

// The text of a file, as far as it is of interest: a byte more than the limit shows that it is too long.
std::optional<std::string> read_text(const std::string& path, std::string& why) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    why = "is a folder";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(sim::kMaxBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file && !file.eof()) {
    why = errno != 0 ? std::strerror(errno) : "cannot be read";
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// Folders replaced by the scenarios in them, in alphabetical order.
std::vector<std::string> expand(std::span<const std::string> paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".toml") inside.push_back(it->path().string());
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace

Loaded load(std::span<const std::string> paths, std::span<const sim::Override> sets,
            std::string_view consequence, Streams& streams) {
  Loaded loaded;
  const Tzdb zones;
  std::size_t errors = 0;
  for (const std::string& path : expand(paths)) {
    std::string why;
    const std::optional<std::string> text = read_text(path, why);
    if (!text) {
      ++errors;
      streams.err << painted("error:", Colour::red, streams.paint_err) << " cannot read "
                  << sim::printable(path, 400) << ": " << why << "\n";
      loaded.code = worse(loaded.code, ExitCode::io_error);
      continue;
    }
    sim::ParseResult parsed = sim::parse_scenario(path, *text, sets, zones);
    if (parsed.scenario) {
      loaded.scenarios.push_back(std::move(*parsed.scenario));
      continue;
    }
    errors += parsed.diagnostics.size();
    for (const sim::Diagnostic& diagnostic : parsed.diagnostics)
      streams.err << sim::render(diagnostic, streams.paint_err);
    loaded.code = worse(loaded.code, ExitCode::bad_scenario);
  }
  if (errors > 0)
    streams.err << counted(errors, "error") << (consequence.empty() ? "" : "; ") << consequence << "\n";
  return loaded;
}

}  // namespace tenure::cli

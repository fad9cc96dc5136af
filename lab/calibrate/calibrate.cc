#include "lab/calibrate/calibrate.h"

#include <fmt/format.h>

#include <utility>

#include "format/schema/quantile_keys.h"
#include "format/syntax/diagnostic.h"
#include "lab/calibrate/amount.h"
#include "lab/calibrate/gc_log.h"
#include "lab/calibrate/readers.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kShownOfName = 200;

std::string_view format_of(std::string_view bytes, const sim::DataSource& source) {
  if (!source.format.empty()) return source.format;
  constexpr int kLooked = 50;
  LineReader lines(bytes);
  std::string_view first;
  for (int i = 0; i < kLooked; ++i) {
    const auto next = lines.next();
    if (!next) break;
    const std::string_view line = trimmed(*next);
    if (line.empty()) continue;
    if (first.empty() && line.starts_with('{')) return "prometheus";
    if (line.find("_bucket{") != std::string_view::npos) return "prometheus";
    if (looks_like_gc(line)) return "gc";
    if (first.empty() && !line.starts_with('#')) first = line;
  }
  return !source.column.empty() || separator_of(first) != '\0' ? "csv" : "numbers";
}

// A key that the format has no use for is a mistake about the format.
std::optional<sim::DataProblem> misplaced(const sim::DataSource& source, std::string_view format) {
  using Of = sim::DataProblem::Of;
  const auto useless = [&](Of of, std::string_view key) {
    return sim::DataProblem{
        of, fmt::format("`{}` means nothing to a file of format `{}`", key, format),
        source.format.empty() ? "it was told from the content; `format` says otherwise" : ""};
  };
  if (!source.column.empty() && format != "csv" && format != "prometheus")
    return useless(Of::column, "column");
  if (!source.unit.empty() && format == "gc") return useless(Of::unit, "unit");
  if (source.take == "gaps" && format != "gc") return useless(Of::take, "take");
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> LineReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = rest_.find('\n');
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  return line;
}

sim::DataProblem problem_at(const DataText& text, std::uint64_t line, std::string_view what,
                            std::string hint) {
  return {sim::DataProblem::Of::file,
          fmt::format("{}:{}: {}", format::printable(text.name, kShownOfName), line, what), std::move(hint)};
}

sim::DataProblem no_sample(const DataText& text, std::string_view what) {
  return {sim::DataProblem::Of::file,
          fmt::format("{}: {}", format::printable(text.name, kShownOfName), what),
          {}};
}

sim::DataProblem no_unit(const DataText& text) {
  return {sim::DataProblem::Of::file,
          fmt::format("{} does not say of which unit its numbers are",
                      format::printable(text.name, kShownOfName)),
          "say `unit = \"ms\"`, or another"};
}

std::string count_of(std::uint64_t count, std::string_view what, std::string_view several) {
  return fmt::format("{} {}", format::print_thousands(count), count == 1 ? what : several);
}

std::variant<sim::Measured, sim::DataProblem> calibrate(std::string_view name, std::string_view bytes,
                                                        const sim::DataSource& source) {
  const DataText text{name, bytes.starts_with("\xef\xbb\xbf") ? bytes.substr(3) : bytes};
  if (bytes.size() > kMaxDataBytes)
    return sim::DataProblem{
        sim::DataProblem::Of::file,
        fmt::format("{} is larger than {} MiB", format::printable(name, kShownOfName), kMaxDataBytes >> 20),
        "take a part of it: `tail -c 60M`"};
  if (trimmed(text.bytes).empty()) return no_sample(text, "the file is empty");
  const std::string_view format = format_of(text.bytes, source);
  if (auto problem = misplaced(source, format)) return *std::move(problem);
  ReadResult result = format == "csv"          ? read_csv(text, source)
                      : format == "gc"         ? read_gc_log(text, source)
                      : format == "prometheus" ? read_prometheus(text, source)
                                               : read_numbers(text, source);
  if (auto* problem = std::get_if<sim::DataProblem>(&result)) return std::move(*problem);
  auto& reading = std::get<MeasuredReading>(result);
  std::string note = fmt::format("{}: {}", format::printable(name, kShownOfName), reading.what);
  for (const std::string& skipped : reading.skipped) note += fmt::format("; {} skipped", skipped);
  return sim::Measured{std::move(reading.quantiles), std::move(note)};
}

}  // namespace tenure::lab

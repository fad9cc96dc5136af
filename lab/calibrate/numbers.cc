// One number a line, with a unit or without; and one column of a CSV file.

#include <fmt/format.h>

#include <algorithm>

#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "lab/calibrate/amount.h"
#include "lab/calibrate/readers.h"
#include "lab/calibrate/reduce.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kShownOfColumn = 60;

std::optional<std::int64_t> unit_of(const sim::DataSource& source) {
  return source.unit.empty() ? std::nullopt : unit_named(source.unit);
}

bool is_comment(std::string_view line) { return line.starts_with('#'); }

// The cells of a line; in quotes a separator is text, and two quotes are one. A quoted cell ends with its line.
std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"' && (inside || trimmed(cells.back()).empty())) {
      inside = !inside;
    } else if (c == separator && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

// What is wrong with the choice of a column, or its place.
std::variant<std::size_t, sim::DataProblem> find_column(const DataText& text,
                                                        const std::vector<std::string>& header,
                                                        const std::string& wanted) {
  using Of = sim::DataProblem::Of;
  const std::vector<std::string_view> names(header.begin(), header.end());
  if (wanted.empty()) {
    if (header.size() == 1) return std::size_t{0};
    return sim::DataProblem{
        Of::file,
        fmt::format("{} has {} columns", format::printable(text.name, kShownOfColumn * 3), header.size()),
        fmt::format("say which: column = \"{}\"", format::printable(header.back(), kShownOfColumn))};
  }
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end())
    return sim::DataProblem{
        Of::column,
        fmt::format("{} has no column `{}`", format::printable(text.name, kShownOfColumn * 3),
                    format::printable(wanted, kShownOfColumn)),
        format::printable(format::suggestion(wanted, names), kShownOfColumn * 3)};
  if (std::count(names.begin(), names.end(), wanted) > 1)
    return sim::DataProblem{
        Of::column,
        fmt::format("{} has more than one column `{}`", format::printable(text.name, kShownOfColumn * 3),
                    format::printable(wanted, kShownOfColumn)),
        {}};
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> skipped_of(std::uint64_t blank, std::uint64_t comments, std::uint64_t empty) {
  std::vector<std::string> skipped;
  if (blank > 0) skipped.push_back(count_of(blank, "blank line", "blank lines"));
  if (comments > 0) skipped.push_back(count_of(comments, "comment", "comments"));
  if (empty > 0) skipped.push_back(count_of(empty, "empty cell", "empty cells"));
  return skipped;
}

}  // namespace

char separator_of(std::string_view header) {
  constexpr std::string_view kSeparators = ",;\t";
  const std::size_t at = header.find_first_of(kSeparators);
  return at == std::string_view::npos ? '\0' : header[at];
}

ReadResult read_numbers(const DataText& text, const sim::DataSource& source) {
  std::optional<std::int64_t> unit = unit_of(source);
  std::vector<Duration> samples;
  std::uint64_t blank = 0;
  std::uint64_t comments = 0;
  bool header = true;  // a line that may be one
  LineReader lines(text.bytes);
  while (const auto next = lines.next()) {
    const std::string_view line = trimmed(*next);
    if (line.empty() || is_comment(line)) {
      ++(line.empty() ? blank : comments);
      continue;
    }
    const Amount amount = parse_amount(line, unit);
    const bool begins_as_word = line.front() != '-' && line.front() != '+' && line.front() != '.' &&
                                (line.front() < '0' || '9' < line.front());
    if (header && !amount.problem.empty() && begins_as_word) {
      header = false;
      if (!unit) unit = unit_in_header(line);
      continue;
    }
    header = false;
    if (!amount.problem.empty()) return problem_at(text, lines.number(), amount.problem);
    if (amount.without_unit) return no_unit(text);
    samples.push_back(amount.length);
  }
  if (samples.empty()) return no_sample(text, "there is no number in it");
  const std::string what = fmt::format("numbers, {}", count_of(samples.size(), "sample", "samples"));
  return MeasuredReading{reduce_samples(std::move(samples)), what, skipped_of(blank, comments, 0)};
}

ReadResult read_csv(const DataText& text, const sim::DataSource& source) {
  std::optional<std::int64_t> unit = unit_of(source);
  std::vector<Duration> samples;
  std::uint64_t blank = 0;
  std::uint64_t comments = 0;
  std::uint64_t empty = 0;
  std::vector<std::string> header;
  std::size_t column = 0;
  char separator = '\0';
  LineReader lines(text.bytes);
  while (const auto next = lines.next()) {
    const std::string_view line = trimmed(*next);
    if (line.empty() || is_comment(line)) {
      ++(line.empty() ? blank : comments);
      continue;
    }
    if (header.empty()) {
      separator = separator_of(line);
      header = cells_of(*next, separator);  // a tab at an end is an empty cell, there as below
      const auto found = find_column(text, header, source.column);
      if (const auto* problem = std::get_if<sim::DataProblem>(&found)) return *problem;
      column = std::get<std::size_t>(found);
      if (!unit) unit = unit_in_header(header[column]);
      continue;
    }
    const std::vector<std::string> cells = cells_of(*next, separator);  // an empty first cell may be a blank
    if (cells.size() <= column || cells.size() > header.size())         // too many: a decimal comma, maybe
      return problem_at(text, lines.number(),
                        fmt::format("a line of {}, and the header has {}",
                                    count_of(cells.size(), "cell", "cells"), header.size()));
    if (cells[column].empty()) {
      ++empty;
      continue;
    }
    const Amount amount = parse_amount(cells[column], unit);
    if (!amount.problem.empty()) return problem_at(text, lines.number(), amount.problem);
    if (amount.without_unit) return no_unit(text);
    samples.push_back(amount.length);
  }
  if (samples.empty())
    return no_sample(text, header.empty() ? "there is no header in it" : "there is no number in the column");
  const std::string what =
      fmt::format("csv, column `{}`, {}", format::printable(header[column], kShownOfColumn),
                  count_of(samples.size(), "sample", "samples"));
  return MeasuredReading{reduce_samples(std::move(samples)), what, skipped_of(blank, comments, empty)};
}

}  // namespace tenure::lab

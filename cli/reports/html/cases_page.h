// A page about many runs: what was found, in tables and pictures, and below it the runs worth a look, each with its own
// timeline. One file, so that it opens from a mail.
//
//   1. A row of a table leads to its run's timeline if the page has it; else it says the command that draws it.
//   2. What is found is plain HTML: it can be read where no script may run.
//
// Thread rule: values; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/runner/result.h"

namespace tenure::cli {

// How grave a cell is: its colour, beside what its words say.
enum class PageTone : std::uint8_t { plain, good, doubtful, bad };

struct PageRow {
  std::vector<std::string> cells;
  std::string reproduce = {};        // the command of the run that it is about; empty: of none
  std::vector<PageTone> tones = {};  // of the cells, from the first; those that are missing are plain
};

// Rows that say nothing are left out before they get here. On a telephone each row is a card of its own.
struct PageTable {
  std::string caption;
  std::vector<std::string> columns = {};
  std::vector<PageRow> rows = {};
  bool folded = false;  // behind its caption, until a reader opens it
};

// Rows of which the first is the head, as reports in text have them.
PageTable table_of(std::string caption, std::vector<std::vector<std::string>> rows);

using PageFacts = std::vector<std::pair<std::string, std::string>>;

// What was found in one scenario, or by one command.
struct PageSection {
  std::string title;
  std::optional<sim::Verdict> verdict = {};  // nullopt: there is none to give
  std::string sentence = {};                 // what was found
  std::string reproduce = {};                // the command that makes all of it; empty: there is none
  PageFacts ran = {};                        // what was run: settings, faults, replicas
  std::string settings = {};                 // the scenario with every setting; empty: there is none
  std::vector<std::string> notes = {};
  std::vector<PageTable> tables = {};
  std::vector<std::string> pictures = {};  // SVG documents (cli/reports/svg)
};

struct PageCase {
  std::string title;
  std::string reproduce;  // the command that it is known by
  std::string data;       // page_data.h
};

struct CasesPage {
  std::string title;
  std::vector<PageSection> sections;
  std::vector<PageCase> cases;  // the most telling first: of too many for a mail, the last ones are left out
};

// The first of the cases, as far as they are small enough together for a mail. At least one.
std::size_t cases_that_fit(const std::vector<PageCase>& cases);

std::string page_of(const CasesPage& page);

}  // namespace tenure::cli

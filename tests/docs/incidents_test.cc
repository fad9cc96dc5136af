// docs/incidents.md and scenarios/incidents/ say the same: each scenario stands in one row of the table, under the
// incident that it names, with the verdict that the file asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TENURE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// What is between the bars, without the blanks around it.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream(row.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos ? ""
                                               : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return cells;
}

struct Entry {
  std::string incident;
  std::string verdict;
};

// Scenario -> what its row says. A row is: incident, what went wrong, scenario, verdict, model's scenario, verdict.
std::map<std::string, Entry> entries_of(const std::string& page, std::vector<std::string>& complaints) {
  static const std::regex link(R"(\[([\w-]+)\]\(\.\./scenarios/incidents/([\w-]+)\.toml\))");
  std::map<std::string, Entry> entries;
  std::istringstream stream(page);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("|") || line.find("](../scenarios/incidents/") == std::string::npos) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 6) {
      complaints.push_back("not six cells: " + line);
      continue;
    }
    for (const std::size_t column : {2u, 4u}) {
      std::smatch match;
      if (cells[column].empty() && cells[column + 1].empty()) continue;
      if (!std::regex_match(cells[column], match, link) || match[1] != match[2]) {
        complaints.push_back("not a scenario: " + cells[column]);
      } else if (!entries.emplace(match[1], Entry{cells[0], cells[column + 1]}).second) {
        complaints.push_back("in two rows: " + match[1].str());
      }
    }
  }
  return entries;
}

// "pass", or which checker the scenario says must fail.
std::string verdict_of(const std::string& scenario) {
  static const std::regex fails("\nfails = \"([\\w-]+)\"");
  std::smatch match;
  return std::regex_search(scenario, match, fails) ? "`" + match[1].str() + "` fails" : "pass";
}

TEST(Incidents, stand_in_the_table_each_under_its_source_and_with_its_verdict) {
  std::vector<std::string> complaints;
  std::map<std::string, Entry> entries = entries_of(read(kRoot / "docs/incidents.md"), complaints);
  for (const std::string& complaint : complaints) ADD_FAILURE() << complaint;
  std::set<std::string> incidents;
  for (const fs::directory_entry& file : fs::directory_iterator(kRoot / "scenarios/incidents")) {
    const std::string name = file.path().stem().string();
    SCOPED_TRACE(name);
    ASSERT_TRUE(entries.contains(name)) << "not in docs/incidents.md";
    const Entry entry = entries.extract(name).mapped();
    const std::string text = read(file.path());
    const std::string source =
        entry.incident.substr(0, entry.incident.find(','));  // others are further sightings
    EXPECT_TRUE(text.starts_with("# " + source)) << "the header begins with " << source;
    EXPECT_EQ(entry.verdict, verdict_of(text));
    incidents.insert(source);
  }
  for (const auto& [name, entry] : entries) ADD_FAILURE() << name << " is in the table and not in the folder";
  EXPECT_GE(incidents.size(), 20u);
}

TEST(IncidentsRule, finds_rows_that_are_no_rows_and_scenarios_named_twice) {
  const std::string a = "[a](../scenarios/incidents/a.toml)";
  std::vector<std::string> complaints;
  const auto entries = entries_of("| x#1 | wrong | " + a + " | pass | | |\n", complaints);
  EXPECT_TRUE(complaints.empty());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries.at("a").incident, "x#1");
  EXPECT_EQ(entries.at("a").verdict, "pass");
  for (const std::string& row :
       {"| x#1 | " + a + " |", "| x#1 | wrong | " + a + " | pass | " + a + " | pass |",
        std::string{"| x#1 | wrong | [b](../scenarios/incidents/a.toml) | pass | | |"}}) {
    complaints.clear();
    entries_of(row + "\n", complaints);
    EXPECT_EQ(complaints.size(), 1u) << row;
  }
  EXPECT_EQ(verdict_of("[expect]\nfails = \"no-drift\"\n"), "`no-drift` fails");
}

}  // namespace

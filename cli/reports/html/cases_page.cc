#include "cli/reports/html/cases_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/html/page.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kDataMax = 4'000'000;  // bytes of all cases together
constexpr std::size_t kRowsMax = 200;        // of one table
constexpr std::size_t kShortTable = 20;      // rows
constexpr std::size_t kShortCell = 16;       // letters

class CasesWriter {
 public:
  explicit CasesWriter(const CasesPage& page) : page_(page), fit_(cases_that_fit(page.cases)) {}

  std::string html() {
    html_ = "<div id=\"cases\">\n";
    for (const PageSection& section : page_.sections) write(section);
    write_list_of_cases();
    html_ += fmt::format("<footer><p class=\"soft\">tenure {}</p></footer>\n</div>\n", lab::version());
    html_ += "<p id=\"back\" hidden><a href=\"#\">all that was found</a></p>\n";
    return std::move(html_);
  }
  std::vector<PageBlock> blocks() const {
    std::vector<PageBlock> blocks;
    for (std::size_t i = 0; i < fit_; ++i)
      blocks.push_back({fmt::format("case-{}", i + 1), page_.cases[i].data});
    return blocks;
  }

 private:
  void write(const PageSection& section) {
    html_ += "<section>\n<p class=\"top\">";
    if (section.verdict) {
      const std::string_view name = sim::name_of(*section.verdict);
      html_ += fmt::format("<strong class=\"verdict {0}\">{0}</strong> ", name);
    }
    html_ += fmt::format("{}</p>\n<h1>{}</h1>\n", html_text(section.title), html_text(section.sentence));
    if (!section.reproduce.empty())
      html_ += fmt::format("<p class=\"reproduce\"><code>{}</code></p>\n", html_text(section.reproduce));
    write_what_was_run(section);
    for (const std::string& note : section.notes) html_ += fmt::format("<p>{}</p>\n", html_text(note));
    // The first table says most, unless it is so long that nobody would see the pictures.
    const bool table_first = !section.tables.empty() && section.tables.front().rows.size() <= kShortTable;
    if (table_first) write(section.tables.front());
    write_pictures(section);
    for (std::size_t i = table_first ? 1 : 0; i < section.tables.size(); ++i) write(section.tables[i]);
    if (!section.settings.empty())
      html_ +=
          fmt::format("<details><summary>The scenario with every setting</summary><pre>{}</pre></details>\n",
                      html_text(section.settings));
    html_ += "</section>\n";
  }

  void write_what_was_run(const PageSection& section) {
    if (section.ran.empty()) return;
    html_ += "<dl class=\"ran\" aria-label=\"What was run\">\n";
    for (const auto& [name, text] : section.ran)
      html_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_text(name), html_text(text));
    html_ += "</dl>\n";
  }

  void write_pictures(const PageSection& section) {
    if (section.pictures.empty()) return;
    html_ += "<div class=\"pictures\">\n";
    for (const std::string& picture : section.pictures)
      html_ += fmt::format("<figure>{}</figure>\n", picture);
    html_ += "</div>\n";
  }

  void write(const PageTable& table) {
    if (table.rows.empty()) return;
    const bool leads = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const PageRow& row) { return !row.reproduce.empty(); });
    const std::string more =
        table.rows.size() > kRowsMax ? fmt::format(" (the first {} of {})", kRowsMax, table.rows.size()) : "";
    const std::string caption = html_text(table.caption) + more;
    if (table.folded) html_ += fmt::format("<details><summary>{}</summary>\n", caption);
    const bool is_short = std::all_of(table.rows.begin(), table.rows.end(), [](const PageRow& row) {
      return row.cells.back().size() <= kShortCell;
    });
    const bool is_narrow = table.columns.size() <= 2 && is_short && !leads && !table.folded;
    const std::string_view kind = is_narrow ? "narrow" : "wide";
    html_ += fmt::format("<div class=\"{}\"><table>", kind);
    if (!table.folded) html_ += fmt::format("<caption>{}</caption>", caption);
    html_ += "\n<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (!is_blank(table, i)) html_ += fmt::format("<th scope=\"col\">{}</th>", html_text(table.columns[i]));
    html_ += leads ? "<th scope=\"col\">timeline</th></tr>\n" : "</tr>\n";
    for (std::size_t i = 0; i < std::min(table.rows.size(), kRowsMax); ++i) {
      html_ += "<tr>";
      write_cells(table.rows[i], table);
      if (leads) html_ += cell("timeline", PageTone::plain, way_to(table.rows[i].reproduce));
      html_ += "</tr>\n";
    }
    html_ += table.folded ? "</table></div></details>\n" : "</table></div>\n";
  }

  // A column in which no row has a word.
  static bool is_blank(const PageTable& table, std::size_t column) {
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](const PageRow& row) { return row.cells[column].empty(); });
  }

  void write_cells(const PageRow& row, const PageTable& table) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (!is_blank(table, i))
        html_ += cell(table.columns[i], i < row.tones.size() ? row.tones[i] : PageTone::plain,
                      html_text(row.cells[i]));
  }

  // With its column's name, which a narrow page shows beside it.
  static std::string cell(std::string_view column, PageTone tone, const std::string& html) {
    constexpr std::string_view kTones[] = {"", " class=\"good\"", " class=\"doubtful\"", " class=\"bad\""};
    return fmt::format("<td data-label=\"{}\"{}>{}</td>", html_text(column),
                       kTones[static_cast<std::size_t>(tone)], html);
  }

  // Invariant 1.
  std::string way_to(const std::string& reproduce) const {
    if (reproduce.empty()) return {};
    for (std::size_t i = 0; i < fit_; ++i)
      if (page_.cases[i].reproduce == reproduce)
        return fmt::format("<a href=\"#case={}\">{}</a>", i + 1, html_text(page_.cases[i].title));
    const std::string_view drawn = reproduce.starts_with("tenure run ") ? " --report FILE.html" : "";
    return fmt::format("<code>{}{}</code>", html_text(reproduce), drawn);
  }

  void write_list_of_cases() {
    if (fit_ == 0) return;
    html_ += "<section>\n<h2>Timelines in this page</h2>\n<ul>\n";
    for (std::size_t i = 0; i < fit_; ++i)
      html_ += fmt::format("<li><a href=\"#case={}\">{}</a></li>\n", i + 1, html_text(page_.cases[i].title));
    html_ += "</ul>\n";
    if (fit_ < page_.cases.size())
      html_ += fmt::format("<p>{} more omitted, to keep the page small enough for a mail.</p>\n",
                           page_.cases.size() - fit_);
    html_ += "</section>\n";
  }

  const CasesPage& page_;
  const std::size_t fit_;
  std::string html_;
};

}  // namespace

PageTable table_of(std::string caption, std::vector<std::vector<std::string>> rows) {
  PageTable table{std::move(caption)};
  if (!rows.empty()) table.columns = std::move(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.rows.push_back({std::move(rows[i])});
  return table;
}

std::size_t cases_that_fit(const std::vector<PageCase>& cases) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const PageCase& each : cases) {
    bytes += each.data.size();
    if (count > 0 && bytes > kDataMax) break;
    ++count;
  }
  return count;
}

std::string page_of(const CasesPage& page) {
  CasesWriter writer(page);
  const std::string html = writer.html();
  return page_of(page.title, html, writer.blocks());
}

}  // namespace tenure::cli

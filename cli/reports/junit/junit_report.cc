#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "cli/reports/reporters.h"
#include "cli/terminal/clean_text.h"

namespace tenure::cli {
namespace {

void set(pugi::xml_node node, const char* name, std::string_view text) {
  node.append_attribute(name).set_value(clean_text(text).c_str());
}

// The element that says that a case is not a pass; null for one that is.
const char* element_of(CheckStanding outcome) {
  switch (outcome) {
    case CheckStanding::passed: break;
    case CheckStanding::reported: return "skipped";
    case CheckStanding::inconclusive: return "error";
    case CheckStanding::failed: return "failure";
    case CheckStanding::broken: return "error";
  }
  return nullptr;
}

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  void add(const Suite& suite) {
    tests += suite.cases.size();
    failures += count_of(suite, CheckStanding::failed);
    errors += count_of(suite, CheckStanding::inconclusive) + count_of(suite, CheckStanding::broken);
    skipped += count_of(suite, CheckStanding::reported);
  }
  void write(pugi::xml_node node) const {
    set(node, "tests", std::to_string(tests));
    set(node, "failures", std::to_string(failures));
    set(node, "errors", std::to_string(errors));
    set(node, "skipped", std::to_string(skipped));
  }
};

void add_case(const SuiteCase& each, const Suite& suite, pugi::xml_node parent) {
  pugi::xml_node node = parent.append_child("testcase");
  set(node, "name", each.name);
  set(node, "classname", suite.scenario);
  set(node, "file", each.path);
  set(node, "line", std::to_string(each.line));
  const char* element = element_of(each.outcome);
  if (element == nullptr) return;
  pugi::xml_node why = node.append_child(element);
  set(why, "message", each.message);
  if (each.outcome == CheckStanding::reported) return;
  set(why, "type",
      each.outcome == CheckStanding::failed ? std::string_view(each.kind) : name_of(each.outcome));
  std::string text = each.story;
  if (!each.kept.empty() && text.find(each.kept) == std::string::npos)
    text += fmt::format("  kept        {}\n", each.kept);
  if (!each.reproduce.empty()) text += fmt::format("  reproduce   {}\n", each.reproduce);
  if (!text.empty()) why.text().set(clean_text("\n" + text).c_str());
}

}  // namespace

std::string junit_of(std::span<const Suite> suites) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "tenure");
  Counts all;
  for (const Suite& suite : suites) all.add(suite);
  all.write(root);
  for (const Suite& suite : suites) {
    pugi::xml_node node = root.append_child("testsuite");
    set(node, "name", suite.scenario);
    set(node, "file", suite.path);
    Counts counts;
    counts.add(suite);
    counts.write(node);
    pugi::xml_node property = node.append_child("properties").append_child("property");
    set(property, "name", "extent");
    set(property, "value", suite.extent);
    for (const SuiteCase& each : suite.cases) add_case(each, suite, node);
  }
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace tenure::cli

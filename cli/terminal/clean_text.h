// Text that may hold anything, made fit for formats that may not: XML, workflow commands, Markdown.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::cli {

// UTF-8 without control characters other than tab and line feed: what is neither becomes U+FFFD, one for each byte. So
// it is text of XML 1.0 (https://www.w3.org/TR/xml/#charsets).
std::string clean_text(std::string_view text);

// The data of a workflow command, and the value of one of its properties
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
std::string workflow_data(std::string_view text);
std::string workflow_property(std::string_view text);
// A log that is not to be taken for commands, whatever is in it.
std::string without_commands(std::string_view text);

// Text that Markdown shows as it is, on one line, in a cell of a table too.
std::string markdown_text(std::string_view text);
// The path of a file as the target of a link, also in a table.
std::string markdown_target(std::string_view path);
// Rows of cells that are Markdown, the head first; empty: there is none.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);
// A block of code, with as many tildes round it as it takes.
std::string markdown_block(std::string_view text);

}  // namespace tenure::cli

// Journals have the fields that are documented, and no others; and every documented field is seen.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "core/journal/kinds.h"
#include "core/journal/line.h"
#include "tests/cli/document_reader.h"
#include "tests/support/journal_lines.h"

namespace tenure::cli::testing {
namespace {

namespace journal_lines = tenure::testing::journal_lines;

constexpr const char* kExamples = TENURE_SOURCE_DIR "/docs/examples/journals";

// Every kind of line, as it is written now: files of older days would hide what is written no more.
TEST(Journal, has_the_fields_that_are_documented_and_every_one_of_them) {
  Reader reader(lab::document_spec("journal"));
  for (const auto& lines : {journal_lines::every_line(), journal_lines::lines_for_people()})
    for (const journal::Line& line : lines) reader.read(ordered_json::parse(journal::encode(line)));
  expect_all_seen(reader);
}

TEST(Journal, of_a_real_process_has_the_fields_that_are_documented) {
  Reader reader(lab::document_spec("journal"));
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(kExamples)) {
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    read_lines(text.str(), reader);
    ++files;
  }
  EXPECT_GT(files, 0U);
}

template <std::size_t... kKinds, class See>
void for_each_kind(std::index_sequence<kKinds...>, const See& see) {
  (see(reference::Request(std::in_place_index<kKinds>)), ...);
}

// Each kind of request and reply has its name in the tables.
TEST(Journal, documents_every_kind_of_request_and_reply) {
  const auto doc_of_kind = [](std::string_view event) {
    for (const lab::ObjectSpec& top : lab::document_spec("journal").tops)
      if (top.name == event)
        for (const lab::FieldSpec& field : top.fields)
          if (field.name == "kind") return std::string(field.doc);
    return std::string();
  };
  for (const std::string_view kind : journal::kRequestKinds)
    EXPECT_NE(doc_of_kind("submitted").find("`" + std::string(kind) + "`"), std::string::npos) << kind;
  for (const std::string_view kind : journal::kReplyKinds)
    EXPECT_NE(doc_of_kind("answered").find("`" + std::string(kind) + "`"), std::string::npos) << kind;
  for_each_kind(std::make_index_sequence<journal::kRequestKinds.size()>(), [&](const auto& request) {
    const std::string kind = "`" + std::string(journal::kRequestKinds[request.index()]) + "`";
    EXPECT_EQ(doc_of_kind("client").find(kind) != std::string::npos, journal::clients_change_with(request))
        << kind;
  });
}

}  // namespace
}  // namespace tenure::cli::testing

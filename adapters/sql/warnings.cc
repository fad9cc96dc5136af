#include "adapters/sql/warnings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "adapters/sql/numbered.h"
#include "adapters/sql/statement_errors.h"
#include "adapters/sql/tree.h"

namespace tenure::sql {
namespace {

constexpr std::string_view kVerbs[] = {"INSERT INTO ", "UPDATE ", "DELETE FROM ", "SELECT ", "WITH "};

class Warner {
 public:
  void walk(const TreeNode& node) {
    // Whether there is a row does not depend on which one it is.
    if (node["subLinkType"].text() == "EXISTS_SUBLINK") return;
    if ((node.has("limitCount") || node.has("limitOffset")) && !node.has("sortClause"))
      warn("LIMIT without ORDER BY: it is not said which rows it takes");
    if (node.has("UpdateStmt") && node["UpdateStmt"].has("fromClause"))
      warn("UPDATE … FROM: where several rows fit one, it is not said which is taken");
    for (const std::string& field : node.names()) walk(node[field]);
    for (const TreeNode& item : node.items()) walk(item);
  }
  std::vector<std::string> take() { return std::move(warnings_); }

 private:
  void warn(const char* what) {
    if (std::find(warnings_.begin(), warnings_.end(), what) == warnings_.end()) warnings_.emplace_back(what);
  }

  std::vector<std::string> warnings_;
};

// Other texts may be no SQL at all, or parts that a program puts together.
bool is_whole_statement(std::string_view sql, const FailedError& error) {
  const std::size_t from = std::min(sql.find_first_not_of(" \n\t"), sql.size());
  const std::string_view text = sql.substr(from);
  const bool begins = std::any_of(std::begin(kVerbs), std::end(kVerbs),
                                  [&](std::string_view verb) { return text.starts_with(verb); });
  return begins && sql.find('%') == std::string_view::npos &&
         error.message.find("end of input") == std::string::npos;
}

}  // namespace

std::vector<std::string> warnings_of(std::string_view sql) {
  std::string problem;
  const auto text = numbered(sql, problem);
  if (!text) return {};
  Warner warner;
  try {
    warner.walk(parse(*text, kLongestSchema));
  } catch (const FailedError& error) {
    if (is_whole_statement(sql, error)) return {"not valid SQL: " + error.message};
    return {};
  } catch (const RefusedError&) {
    return {};
  }
  return warner.take();
}

}  // namespace tenure::sql

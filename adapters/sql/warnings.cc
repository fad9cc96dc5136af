#include "adapters/sql/warnings.h"

#include <algorithm>
#include <utility>

#include "adapters/sql/numbered.h"
#include "adapters/sql/statement_errors.h"
#include "adapters/sql/tree.h"

namespace tenure::sql {
namespace {

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

}  // namespace

std::vector<std::string> warnings_of(std::string_view sql) {
  std::string problem;
  const auto text = numbered(sql, problem);
  if (!text) return {};
  Warner warner;
  try {
    warner.walk(parse(*text, kLongestSchema));
  } catch (const FailedError&) {
    return {};
  } catch (const RefusedError&) {
    return {};
  }
  return warner.take();
}

}  // namespace tenure::sql

#include "adapters/sql/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/sql/admission.h"
#include "adapters/sql/binder.h"
#include "adapters/sql/placeholders.h"
#include "adapters/sql/utf8.h"

namespace tenure::sql {
namespace {

struct KnownStatement {
  std::string_view kind;
  std::string_view words;
  std::string_view answer;
};
constexpr std::string_view kIntoSchema = "put it into the schema";
constexpr KnownStatement kRefused[] = {
    {"TransactionStmt", "BEGIN, COMMIT, ROLLBACK and savepoints",
     "hand the statements over as one transaction; or `engine = \"postgres\"` has them"},
    {"VariableSetStmt", "SET", kOnPostgres},
    {"VariableShowStmt", "SHOW", kOnPostgres},
    {"LockStmt", "LOCK TABLE", kOnPostgres},
    {"DoStmt", "PL/pgSQL: DO", kSeeList},
    {"CallStmt", "CALL", kSeeList},
    {"CreateFunctionStmt", "CREATE FUNCTION", kSeeList},
    {"CreateTrigStmt", "CREATE TRIGGER", kSeeList},
    {"ListenStmt", "LISTEN", kSeeList},
    {"UnlistenStmt", "UNLISTEN", kSeeList},
    {"NotifyStmt", "NOTIFY", kSeeList},
    {"CopyStmt", "COPY", kSeeList},
    {"TruncateStmt", "TRUNCATE", "write DELETE"},
    {"CreateStmt", "CREATE TABLE", kIntoSchema},
    {"CreateTableAsStmt", "CREATE TABLE AS", kIntoSchema},
    {"IndexStmt", "CREATE INDEX", kIntoSchema},
    {"CreateSeqStmt", "CREATE SEQUENCE", "a serial column counts by itself"},
    {"AlterTableStmt", "ALTER TABLE", kIntoSchema},
    {"DropStmt", "DROP", kSeeList},
    {"ViewStmt", "CREATE VIEW", kSeeList},
    {"MergeStmt", "MERGE", kSeeList},
    {"ExplainStmt", "EXPLAIN", kSeeList},
    {"PrepareStmt", "PREPARE", "hand the statement over itself"},
    {"ExecuteStmt", "EXECUTE", "hand the statement over itself"},
    {"DeclareCursorStmt", "cursors: DECLARE", kSeeList},
};

// From offsets in what was parsed to positions in what was written.
class Places {
 public:
  Places(std::string_view written, const Placed& placed) : written_(written), placed_(placed) {}
  int offset(int parsed) const {
    if (parsed < 0) return 0;
    const auto last = static_cast<int>(placed_.origin.size()) - 1;
    return placed_.origin[static_cast<std::size_t>(std::min(parsed, last))];
  }
  // As Postgres counts.
  int position(int parsed) const {
    return parsed < 0 ? 0 : characters_before(written_, static_cast<std::size_t>(offset(parsed))) + 1;
  }

 private:
  std::string_view written_;
  const Placed& placed_;
};

Plan failing(const FailedError& failed, const Places& places) {
  Plan plan;
  plan.error = Error{Error::Kind::statement, failed.sqlstate, failed.message, places.position(failed.at)};
  return plan;
}

}  // namespace

void refuse_statement(const TreeNode& statement, int at) {
  const auto* known = std::find_if(std::begin(kRefused), std::end(kRefused),
                                   [&](const KnownStatement& s) { return s.kind == statement.kind(); });
  if (known == std::end(kRefused)) throw RefusedError{fmt::format("the statement {}", statement.kind()), at};
  throw RefusedError{std::string(known->words), at, std::string(known->answer)};
}

Refusal refusal_at(const RefusedError& refused, std::string_view text, int at) {
  const std::string_view before =
      text.substr(0, static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(text.size()))));
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  Refusal refusal;
  refusal.what = refused.what;
  refusal.answer = refused.answer;
  refusal.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  refusal.column = characters_before(before.substr(line_begin), before.size()) + 1;
  return refusal;
}

Plan plan_of(const TreeNode& statement, std::string_view text, const Catalog& catalog) {
  Binder binder(text, catalog);
  const std::string& kind = statement.kind();
  if (kind == "SelectStmt") return binder.bind_select(statement.inside());
  if (kind == "InsertStmt") return binder.bind_insert(statement.inside());
  if (kind == "UpdateStmt") return binder.bind_update(statement.inside());
  if (kind == "DeleteStmt") return binder.bind_delete(statement.inside());
  refuse_statement(statement, 0);
}

std::variant<AdmittedStatement, Refusal> AdmittedStatement::admit(std::string_view sql,
                                                                  const Schema& schema) {
  Placed placed;
  try {
    placed = number_placeholders(sql);
    const Places places(sql, placed);
    try {
      const TreeNode statements = parse(placed.sql, kLongestStatement);
      if (statements.items().empty()) throw RefusedError{"a text without a statement", 0, "write one"};
      if (statements.items().size() > 1)
        throw RefusedError{"several statements in one text",
                           static_cast<int>(statements.items()[1]["stmt_location"].integer()),
                           "hand them over one by one, or as a transaction"};
      return AdmittedStatement(std::make_shared<const Plan>(
          plan_of(statements.items().front()["stmt"], placed.sql, schema.catalog())));
    } catch (const FailedError& failed) {
      return AdmittedStatement(std::make_shared<const Plan>(failing(failed, places)));
    } catch (const RefusedError& refused) {
      return refusal_at(refused, sql, places.offset(refused.at));
    }
  } catch (const RefusedError& refused) {
    return refusal_at(refused, sql, refused.at);
  }
}

const std::vector<Type>& AdmittedStatement::parameters() const { return plan_->parameters; }
const std::vector<AdmittedStatement::Column>& AdmittedStatement::columns() const { return plan_->columns; }
const std::optional<Error>& AdmittedStatement::error() const { return plan_->error; }
bool AdmittedStatement::writes() const { return plan_->kind != Plan::Kind::select; }

}  // namespace tenure::sql

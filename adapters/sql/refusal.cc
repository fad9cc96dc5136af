#include "adapters/sql/refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/binder.h"

namespace tenure::sql {
namespace {

// What a field of a node means to whoever wrote the statement.
struct FieldName {
  std::string_view field;
  std::string_view words;
};
constexpr FieldName kFieldNames[] = {
    {"over", "window functions: OVER"},
    {"agg_order", "ORDER BY in an aggregate"},
    {"agg_within_group", "WITHIN GROUP"},
    {"func_variadic", "VARIADIC"},
    {"pct_type", "%TYPE"},
    {"setof", "SETOF"},
    {"partspec", "PARTITION BY"},
    {"partbound", "PARTITION OF"},
    {"inhRelations", "INHERITS"},
    {"ofTypename", "tables OF a type"},
    {"options", "storage options: WITH (…)"},
    {"tablespacename", "TABLESPACE"},
    {"tableSpace", "TABLESPACE"},
    {"accessMethod", "access methods: USING"},
    {"search_clause", "SEARCH"},
    {"cycle_clause", "CYCLE"},
    {"catalogname", "names of another database"},
    {"join_using_alias", "JOIN … USING … AS"},
    {"concurrent", "CONCURRENTLY"},
    {"nulls_not_distinct", "NULLS NOT DISTINCT"},
    {"deferrable", "DEFERRABLE"},
    {"initdeferred", "INITIALLY DEFERRED"},
    {"indexIncludingParams", "INCLUDE"},
    {"including", "INCLUDE"},
    {"skip_validation", "NOT VALID"},
    {"is_no_inherit", "NO INHERIT"},
    {"indirection", "parts of a column"},
};

}  // namespace

std::string Refusal::message() const {
  return fmt::format("line {}, column {}: {}; {}", line, column, what, answer);
}

void expect_fields(const TreeNode& node, std::string_view kind, std::initializer_list<std::string_view> known,
                   int at) {
  for (const std::string& field : node.names()) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    const auto* named = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                     [&](const FieldName& name) { return name.field == field; });
    if (named != std::end(kFieldNames)) throw RefusedError{std::string(named->words), at};
    throw RefusedError{fmt::format("{} in {}", field, kind), at};
  }
}

}  // namespace tenure::sql

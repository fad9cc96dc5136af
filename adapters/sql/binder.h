// From the parse tree to SQLite's SQL: names are resolved and types inferred in Postgres' order, and each node,
// function and operator is looked up in what is admitted. Its parts are in names.cc, constants.cc, operators.cc,
// conditions.cc, functions.cc, casts.cc, query.cc, from.cc, insert.cc and changes.cc.
//
// Every function throws RefusedError or FailedError.
//
// Thread rule: one statement.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sql/catalog.h"
#include "adapters/sql/expression.h"
#include "adapters/sql/plan.h"
#include "adapters/sql/statement_errors.h"
#include "adapters/sql/tree.h"

namespace tenure::sql {

// How much a cast may change: in comparisons; into a column; written by the user.
enum class Cast { implicit, assignment, written };

// A SELECT in SQLite's SQL; its columns are called o1, o2, ….
struct Query {
  std::string sql;
  std::vector<Expression> columns;
  bool one_row_values = false;
};

// SQLite's own bound is a million bytes.
inline constexpr std::size_t kLongestSql = 500'000;

// A type as the user wrote it. Throws RefusedError for one that is not admitted, FailedError for one that is not there.
struct WrittenType {
  ColumnType column;
  bool serial = false;
};
WrittenType read_type(const TreeNode& type_name, int at);

// Throws RefusedError if `node` has a field that is not among `known`: what is not read must not be passed over.
void expect_fields(const TreeNode& node, std::string_view kind, std::initializer_list<std::string_view> known,
                   int at);

// 'x' as SQLite writes it.
std::string quoted(std::string_view text);
// The place of a node, or `otherwise`.
int place_of(const TreeNode& node, int otherwise);

class Binder {
 public:
  Binder(std::string_view text, const Catalog& catalog) : text_(text), catalog_(catalog) {}

  Plan bind_select(const TreeNode& node);
  Plan bind_insert(const TreeNode& node);
  Plan bind_update(const TreeNode& node);
  Plan bind_delete(const TreeNode& node);

  // Expressions of a schema.
  Expression expression(const TreeNode& node, Scope& scope);
  Expression condition(const TreeNode& node, Scope& scope, const char* clause);
  Expression convert(Expression value, const ColumnType& to, Cast cast, const std::string& column);

 private:
  // names.cc
  Expression column(const TreeNode& node, Scope& scope);
  Expression column_of(const Scope& scope, const std::string& table, const std::string& name, int at);
  const SchemaTable& table_named(const TreeNode& range, int at);
  // constants.cc
  Expression constant(const TreeNode& node);
  Expression parameter(const TreeNode& node);
  Expression typed(Expression unknown, Type type);
  Type type_of_parameter(const Expression& value) const;
  // operators.cc
  Expression operation(const TreeNode& node, Scope& scope);
  Expression binary(const std::string& op, Expression left, Expression right, int at);
  Expression unary(const std::string& op, Expression value, int at);
  Expression compare(const std::string& op, Expression left, Expression right, int at);
  // conditions.cc
  [[noreturn]] void refuse_expression(const std::string& kind) const;
  Expression logic(const TreeNode& node, Scope& scope);
  Expression test_of(const std::string& kind, const TreeNode& node, Scope& scope);
  Expression case_of(const TreeNode& node, Scope& scope);
  Expression choice(const TreeNode& node, Scope& scope, const char* function);
  Expression to_condition(Expression value, std::string_view where);
  Type common_type(const std::vector<Expression>& values, std::string_view where);
  Expression sublink(const TreeNode& node, Scope& scope);
  // functions.cc
  Expression call(const TreeNode& node, Scope& scope);
  Expression current_time(const TreeNode& node);
  Expression aggregate(const TreeNode& node, const std::string& name, Scope& scope);
  Expression extract(const TreeNode& node, Scope& scope);
  Expression make_interval(const TreeNode& node, Scope& scope);
  // casts.cc
  Expression cast(const TreeNode& node, Scope& scope);
  Expression cast_to(Expression value, Type type, Cast cast);
  // query.cc
  Query query(const TreeNode& node, const Scope* outer, bool resolve_unknown);
  Query values(const TreeNode& node, const Scope* outer, bool resolve_unknown);
  Query union_all(const TreeNode& node, const Scope* outer);
  Query plain_select(const TreeNode& node, Scope& scope, bool resolve_unknown);
  std::vector<Expression> targets(const TreeNode& list, Scope& scope, const char* clause);
  std::string limits(const TreeNode& node, Scope& scope);
  std::string with(const TreeNode& clause, Scope& scope);
  // from.cc
  std::string from_item(const TreeNode& node, Scope& scope);
  std::string table_item(const TreeNode& node, Scope& scope);
  std::string joined(const TreeNode& node, Scope& scope);
  std::string subquery_item(const TreeNode& node, Scope& scope);
  void add_source(Source source, Scope& scope, int at);
  Source source_of(const SchemaTable& table, std::string name);
  // The table that an UPDATE or a DELETE changes, under its alias.
  const SchemaTable& add_changed_table(const TreeNode& relation, Scope& scope);
  // insert.cc, changes.cc
  std::vector<std::size_t> insert_places(const TreeNode& node, const SchemaTable& table);
  std::string inserted(const TreeNode& node, const SchemaTable& table, const std::vector<std::size_t>& places,
                       Scope& scope);
  std::string on_conflict(const TreeNode& node, const SchemaTable& table, const Source& target, bool many,
                          Scope& scope);
  std::string assignments(const TreeNode& list, const SchemaTable& table, Scope& scope);
  std::string fallback_of(const TableColumn& column) const;
  std::string returning(const TreeNode& list, Scope& scope, Plan& plan);
  void finish(Plan& plan);

  std::string fresh(char letter) { return letter + std::to_string(++fresh_); }

  std::string_view text_;
  const Catalog& catalog_;
  std::vector<Type> parameters_;
  std::vector<BareColumn> outer_;  // columns of outer queries that subqueries used so far
  std::set<int> read_;             // numbers of the tables that FROM items named so far
  std::string materialized_;       // the SELECT of an INSERT, as a WITH
  bool fits_constants_ = false;    // a literal or a parameter has to fit a varchar(n)
  bool fits_computed_ = false;     // something else has to
  int fresh_ = 0;
  int place_ = 0;  // of the innermost node that has one
};

}  // namespace tenure::sql

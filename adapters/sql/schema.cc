#include "adapters/sql/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/sql/admission.h"
#include "adapters/sql/binder.h"
#include "adapters/sql/catalog.h"

namespace tenure::sql {
namespace {

constexpr const char* kNowArgument = "?1";

std::string joined_columns(const std::vector<std::size_t>& places) {
  std::string sql;
  for (const std::size_t place : places) sql += (sql.empty() ? "" : ", ") + sql_column(place);
  return sql;
}

// The table that CHECK and indexes see: its columns by their own names.
Scope scope_of(const SchemaTable& table, const char* clause) {
  Scope scope;
  scope.clause = clause;
  scope.no_subqueries = clause;
  Source source{table.name, "", {}, &table};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    source.columns.push_back({table.columns[i].name, table.columns[i].type.type, sql_column(i)});
  scope.sources.push_back(std::move(source));
  return scope;
}

class SchemaReader {
 public:
  explicit SchemaReader(std::string_view ddl) : ddl_(ddl) {}

  std::shared_ptr<const Catalog> read() {
    const TreeNode statements = parse(ddl_, kLongestSchema);
    for (const TreeNode& item : statements.items()) {
      const TreeNode& statement = item["stmt"];
      at_ = static_cast<int>(item["stmt_location"].integer());
      // The parser counts the blanks in front of it too.
      at_ = static_cast<int>(
          std::min(ddl_.find_first_not_of(" \t\r\n", static_cast<std::size_t>(at_)), ddl_.size()));
      if (statement.kind() == "CreateStmt")
        create_table(statement.inside());
      else if (statement.kind() == "IndexStmt")
        create_index(statement.inside());
      else if (statement.kind() == "InsertStmt")
        insert(statement);
      else
        refuse_statement(statement, at_);
    }
    return std::make_shared<const Catalog>(std::move(catalog_));
  }

 private:
  void create_table(const TreeNode& node) {
    expect_fields(node, "CREATE TABLE", {"relation", "tableElts", "oncommit", "if_not_exists"}, at_);
    const TreeNode& relation = node["relation"];
    const std::string& name = relation["relname"].text();
    const int at = place_of(relation, at_);
    expect_fields(relation, "CREATE TABLE", {"relname", "schemaname", "inh", "relpersistence", "location"},
                  at);
    if (relation["relpersistence"].text() == "t") throw RefusedError{"TEMPORARY tables", at};
    if (relation.has("schemaname") && relation["schemaname"].text() != "public")
      throw RefusedError{"schemas other than public", at};
    if (catalog_.find(name) != nullptr) {
      if (node["if_not_exists"].flag()) return;
      throw FailedError{"42P07", fmt::format("relation \"{}\" already exists", name), at};
    }
    SchemaTable table;
    table.name = name;
    table.number = static_cast<int>(catalog_.tables.size()) + 1;
    table.unlogged = relation["relpersistence"].text() == "u";
    std::vector<std::pair<const TreeNode*, std::size_t>> constraints;  // and which column they stand at
    for (const TreeNode& element : node["tableElts"].items()) {
      if (element.kind() == "ColumnDef")
        column(element.inside(), table, constraints);
      else if (element.kind() == "Constraint")
        constraints.push_back({&element.inside(), std::string::npos});
      else
        throw RefusedError{element.kind() == "TableLikeClause" ? "LIKE" : element.kind(), at_};
    }
    if (table.columns.empty()) throw RefusedError{"tables without columns", at};
    std::string sql;
    for (const auto& constraint : constraints)
      sql += table_constraint(*constraint.first, constraint.second, table);
    std::string columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Type type = table.columns[i].type.type;
      const bool text = type == Type::text || type == Type::uuid;
      columns += fmt::format("{}{} {}{}", i == 0 ? "" : ", ", sql_column(i), text ? "TEXT" : "INT",
                             table.columns[i].not_null ? " NOT NULL" : "");
    }
    catalog_.ddl += fmt::format("CREATE TABLE {} ({}{}) STRICT;\n", table.sql_name(), columns, sql);
    catalog_.tables.push_back(std::move(table));
  }

  void column(const TreeNode& node, SchemaTable& table,
              std::vector<std::pair<const TreeNode*, std::size_t>>& constraints) {
    const int at = place_of(node, at_);
    expect_fields(node, "a column",
                  {"colname", "typeName", "is_local", "constraints", "collClause", "location"}, at);
    TableColumn made;
    made.name = node["colname"].text();
    if (table.find(made.name))
      throw FailedError{"42701", fmt::format("column \"{}\" specified more than once", made.name), at};
    if (node.has("collClause") &&
        node["collClause"]["collname"].items().back().inside()["sval"].text() != "C")
      throw RefusedError{"COLLATE other than \"C\"", at};
    const WrittenType type = read_type(node["typeName"], at);
    made.type = type.column;
    if (type.serial) number(made);
    table.columns.push_back(std::move(made));
    for (const TreeNode& constraint : node["constraints"].items())
      constraints.push_back({&constraint.inside(), table.columns.size() - 1});
  }

  void number(TableColumn& column) {
    catalog_.sequences.push_back(column.type.type);
    column.sequence = static_cast<int>(catalog_.sequences.size());
    column.not_null = true;
  }

  // What is to be added to SQLite's CREATE TABLE.
  std::string table_constraint(const TreeNode& node, std::size_t place, SchemaTable& table) {
    const int at = place_of(node, at_);
    const std::string& type = node["contype"].text();
    TableColumn* const own = place == std::string::npos ? nullptr : &table.columns[place];
    if (type == "CONSTR_FOREIGN") throw RefusedError{"foreign keys: REFERENCES", at, "leave them out"};
    expect_fields(node, "a constraint",
                  {"contype", "conname", "location", "raw_expr", "keys", "initially_valid", "generated_when"},
                  at);
    if (type == "CONSTR_NULL") return "";
    if (type == "CONSTR_NOTNULL") {
      own->not_null = true;
      return "";
    }
    if (type == "CONSTR_IDENTITY") {
      const Type whole = own->type.type;
      if (whole != Type::int2 && whole != Type::int4 && whole != Type::int8)
        throw FailedError{"22023", "identity column type must be smallint, integer, or bigint", at};
      number(*own);
      own->always = node["generated_when"].text() == "a";
      return "";
    }
    if (type == "CONSTR_DEFAULT") {
      if (own->sequence != 0) throw FailedError{"42601", "multiple default values specified", at};
      Binder binder(ddl_, catalog_);
      Scope nothing;
      nothing.clause = "DEFAULT";
      nothing.no_subqueries = "DEFAULT";
      own->fallback =
          binder.convert(binder.expression(node["raw_expr"], nothing), own->type, Cast::assignment, own->name)
              .sql;
      return "";
    }
    if (type == "CONSTR_CHECK") {
      const std::string sql = immutable_condition(node["raw_expr"], table, "CHECK", at);
      table.checks.push_back(node.has("conname") ? node["conname"].text()
                             : own != nullptr    ? fmt::format("{}_{}_check", table.name, own->name)
                                                 : fmt::format("{}_check", table.name));
      return fmt::format(", CONSTRAINT k{}_{} CHECK ({})", table.number, table.checks.size(), sql);
    }
    if (type != "CONSTR_PRIMARY" && type != "CONSTR_UNIQUE") throw RefusedError{"the constraint " + type, at};
    UniqueKey key;
    key.primary = type == "CONSTR_PRIMARY";
    key.constraint = true;
    if (own != nullptr) key.columns = {place};
    for (const TreeNode& name : node["keys"].items())
      key.columns.push_back(place_named(table, name.inside()["sval"].text(), at));
    const auto primary = [](const UniqueKey& other) { return other.primary; };
    if (key.primary && std::any_of(table.keys.begin(), table.keys.end(), primary))
      throw FailedError{
          "42P16", fmt::format("multiple primary keys for table \"{}\" are not allowed", table.name), at};
    std::string names;
    for (const std::size_t column : key.columns) {
      names += "_" + table.columns[column].name;
      if (key.primary) table.columns[column].not_null = true;
    }
    key.name = node.has("conname") ? node["conname"].text()
               : key.primary       ? table.name + "_pkey"
                                   : fmt::format("{}{}_key", table.name, names);
    const std::string sql = fmt::format(", UNIQUE ({})", joined_columns(key.columns));
    table.keys.push_back(std::move(key));
    return sql;
  }

  std::size_t place_named(const SchemaTable& table, const std::string& name, int at) const {
    const auto place = table.find(name);
    if (!place) throw FailedError{"42703", fmt::format("column \"{}\" does not exist", name), at};
    return *place;
  }

  // A condition that depends on the row alone.
  std::string immutable_condition(const TreeNode& node, const SchemaTable& table, const char* clause,
                                  int at) {
    Binder binder(ddl_, catalog_);
    Scope scope = scope_of(table, clause);
    const std::string sql = binder.condition(node, scope, clause).sql;
    if (sql.find(kNowArgument) != std::string::npos)
      throw RefusedError{fmt::format("now() in {}", clause), at};
    return sql;
  }

  void create_index(const TreeNode& node) {
    expect_fields(
        node, "CREATE INDEX",
        {"idxname", "relation", "accessMethod", "indexParams", "whereClause", "unique", "if_not_exists"},
        at_);
    const TreeNode& relation = node["relation"];
    const int at = place_of(relation, at_);
    const std::string& table_name = relation["relname"].text();
    const auto found = std::find_if(catalog_.tables.begin(), catalog_.tables.end(),
                                    [&](const SchemaTable& table) { return table.name == table_name; });
    if (found == catalog_.tables.end())
      throw FailedError{"42P01", fmt::format("relation \"{}\" does not exist", table_name), at};
    if (node["accessMethod"].text() != "btree") throw RefusedError{"access methods other than btree", at};
    UniqueKey key;
    std::string names;
    bool expressions = false;
    for (const TreeNode& item : node["indexParams"].items()) {
      const TreeNode& element = item["IndexElem"];
      expect_fields(element, "CREATE INDEX", {"name", "expr", "ordering", "nulls_ordering"}, at);
      expressions = expressions || element.has("expr");
      if (element.has("expr")) continue;
      key.columns.push_back(place_named(*found, element["name"].text(), at));
      names += "_" + element["name"].text();
    }
    key.name = node.has("idxname") ? node["idxname"].text() : fmt::format("{}{}_idx", table_name, names);
    if (std::find(catalog_.indexes.begin(), catalog_.indexes.end(), key.name) != catalog_.indexes.end()) {
      if (node["if_not_exists"].flag()) return;
      throw FailedError{"42P07", fmt::format("relation \"{}\" already exists", key.name), at};
    }
    const bool unique = node["unique"].flag();
    if (expressions && unique) throw RefusedError{"UNIQUE indexes of expressions", at};
    catalog_.indexes.push_back(key.name);
    std::string where;
    if (node.has("whereClause"))
      where = " WHERE " + immutable_condition(node["whereClause"], *found, "an index's WHERE", at);
    key.partial = !where.empty();
    // One that is not unique changes no answer; of columns it makes them quicker.
    if (!expressions)
      catalog_.ddl +=
          fmt::format("CREATE {}INDEX i{} ON {} ({}){};\n", unique ? "UNIQUE " : "", catalog_.indexes.size(),
                      found->sql_name(), joined_columns(key.columns), where);
    if (unique) found->keys.push_back(std::move(key));
  }

  void insert(const TreeNode& statement) {
    Plan plan = plan_of(statement, ddl_, catalog_);
    if (!plan.parameters.empty()) throw FailedError{"42P02", "there is no parameter $1", at_};
    catalog_.first.push_back(std::make_shared<const Plan>(std::move(plan)));
  }

  std::string_view ddl_;
  Catalog catalog_;
  int at_ = 0;  // of the statement
};

}  // namespace

std::variant<Schema, Refusal> Schema::read(std::string_view ddl) {
  try {
    return Schema(SchemaReader(ddl).read());
  } catch (const RefusedError& refused) {
    return refusal_at(refused, ddl, refused.at);
  } catch (const FailedError& failed) {
    Refusal refusal = refusal_at({fmt::format("{} (SQLSTATE {})", failed.message, failed.sqlstate), failed.at,
                                  "Postgres refuses it too"},
                                 ddl, failed.at);
    refusal.postgres_refuses = true;
    return refusal;
  }
}

}  // namespace tenure::sql

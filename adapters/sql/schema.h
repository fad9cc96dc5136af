// The tables of a design, read from its own DDL.
//
// CREATE TABLE, CREATE [UNIQUE] INDEX, and INSERT for the rows that are there at the start. What Postgres would refuse,
// and what this engine does not run, is a Refusal; so a Schema that was read is one that both have.
//
// Thread rule: immutable once read; copies share what they hold and may be read by any number of threads.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "adapters/sql/refusal.h"

namespace tenure::sql {

struct Catalog;

class Schema {
 public:
  // `ddl`: at most 65,536 bytes of UTF-8, statements separated by semicolons.
  static std::variant<Schema, Refusal> read(std::string_view ddl);

  const Catalog& catalog() const { return *catalog_; }

 private:
  explicit Schema(std::shared_ptr<const Catalog> catalog) : catalog_(std::move(catalog)) {}
  std::shared_ptr<const Catalog> catalog_;
};

}  // namespace tenure::sql

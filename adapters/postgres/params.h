// Parameters and results of a statement, in the types of the core.
//
// Everything travels as text: what it says is as adapters/store/row_values.h has it.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/store/row_values.h"
#include "core/base/ids.h"
#include "core/base/time.h"

struct pg_result;

namespace tenure::postgres {

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

// $1, $2, … in the order in which they are added.
class Params {
 public:
  Params() = default;
  template <class... Values>
  explicit Params(const Values&... values) {
    (add(values), ...);
  }

  // A struct is its fields, and a list of structs is a list for each field.
  template <class T>
  Params& add(const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>)
      add_text(value);
    else if constexpr (HasFields<T>)
      visit_fields(value, [this](const auto&... field) { (add(field), ...); });
    else
      add_text(std::to_string(to_integer(value)));
    return *this;
  }
  Params& add(bool value) { return add_text(value ? "t" : "f"); }
  Params& add(Incarnation value) { return add(value.node).add(value.number); }
  Params& add(const Token& value) { return add(value.branch).add(value.epoch).add(value.nonce); }
  Params& add(const Numbers& values);
  Params& add(const Texts& values);
  template <HasFields T>
  Params& add(const std::vector<T>& rows) {
    std::vector<std::variant<Numbers, Texts>> lists;
    visit_values(std::as_const(kNone<T>), [&lists]<class Field>(const Field&) {
      if constexpr (std::same_as<Field, std::string>)
        lists.emplace_back(Texts{});
      else
        lists.emplace_back(Numbers{});
    });
    for (const T& row : rows) {
      auto list = lists.begin();
      visit_values(row, [&list]<class Field>(const Field& field) {
        if constexpr (std::same_as<Field, std::string>)
          std::get<Texts>(*list++).push_back(field);
        else
          std::get<Numbers>(*list++).push_back(to_integer(field));
      });
    }
    for (const auto& list : lists) std::visit([this](const auto& values) { this->add(values); }, list);
    return *this;
  }

  std::vector<const char*> pointers() const;

 private:
  template <class T>
  inline static const T kNone{};
  Params& add_text(std::string_view value);
  std::vector<std::string> values_;
};

// One row, read field by field from the left. Throws Failure when the row is not as expected.
class ResultRow : public RowReader<ResultRow> {
 public:
  explicit ResultRow(std::shared_ptr<pg_result> result) : result_(std::move(result)) {}

  bool null() const;       // whether the next field is null; does not read it
  std::int64_t integer();  // 0 if null
  bool flag();
  std::string_view text();  // empty if null
  // Lists: empty if null.
  Numbers integers();
  Texts texts();
  // A list for each field of a struct.
  template <HasFields T>
  std::vector<T> structs() {
    std::vector<std::variant<Numbers, Texts>> lists;
    T none;
    visit_values(none, [&]<class Field>(Field&) {
      if constexpr (std::same_as<Field, std::string>)
        lists.emplace_back(texts());
      else
        lists.emplace_back(integers());
    });
    std::vector<T> rows(std::visit([](const auto& values) { return values.size(); }, lists.front()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto list = lists.begin();
      visit_values(rows[i], [&]<class Field>(Field& field) {
        if constexpr (std::same_as<Field, std::string>)
          field = std::move(std::get<Texts>(*list++).at(i));
        else
          field = from_integer<Field>(std::get<Numbers>(*list++).at(i));
      });
    }
    return rows;
  }

 private:
  std::shared_ptr<pg_result> result_;
  int field_ = 0;
};

}  // namespace tenure::postgres

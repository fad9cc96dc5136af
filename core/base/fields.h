// The fields of a plain struct, for code that visits all of them: hashes, digests, tables of a design.
//
// A struct's fields are listed once, beside it. The list takes the struct apart by a structured binding, so a list that
// leaves a field out does not compile. Code that needs only some of the fields (a line of a journal, not a sentence for
// people) does the same, `const auto& [who, when] = it;`, so that a new field does not compile there either.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace tenure {

// How a struct and its fields are called in the source.
struct FieldNames {
  std::string_view type;
  std::string_view list;  // "key, value"

  // The name of the field `place`, from 0.
  constexpr std::string_view name(std::size_t place) const {
    std::string_view rest = list;
    for (; place > 0; --place) rest.remove_prefix(rest.find(", ") + 2);
    return rest.substr(0, rest.find(", "));
  }
};

// "CompareAndDelete" is compare_and_delete.
std::string snake_case(std::string_view type);

// TENURE_FIELDS(Type, field…) in the namespace of Type: visit_fields(value, visit) gives visit(field…) with all, and
// names_of(value) has their names in the same order.
#define TENURE_FIELDS(Type, ...)                               \
  template <class Visit>                                       \
  constexpr auto visit_fields(const Type& it, Visit&& visit) { \
    const auto& [__VA_ARGS__] = it;                            \
    return visit(__VA_ARGS__);                                 \
  }                                                            \
  template <class Visit>                                       \
  constexpr auto visit_fields(Type& it, Visit&& visit) {       \
    auto& [__VA_ARGS__] = it;                                  \
    return visit(__VA_ARGS__);                                 \
  }                                                            \
  constexpr ::tenure::FieldNames names_of(const Type&) { return {#Type, #__VA_ARGS__}; }

#define TENURE_NO_FIELDS(Type)                              \
  static_assert(std::is_empty_v<Type>);                     \
  template <class Visit>                                    \
  constexpr auto visit_fields(const Type&, Visit&& visit) { \
    return visit();                                         \
  }                                                         \
  constexpr ::tenure::FieldNames names_of(const Type&) { return {#Type, {}}; }

// A struct whose fields are listed.
template <class T>
concept HasFields = requires(const T& value) {
  names_of(value);
};

// visit(name, field) for each.
template <class T, class Visit>
void visit_named_fields(T& value, Visit&& visit) {
  const FieldNames names = names_of(value);
  std::size_t place = 0;
  visit_fields(value, [&](auto&... field) { (visit(names.name(place++), field), ...); });
}

}  // namespace tenure

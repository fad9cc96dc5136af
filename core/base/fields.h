// The fields of a plain struct, for code that visits all of them: hashes, digests.
//
// A struct's fields are listed once, beside it. The list takes the struct apart by a structured binding, so a list that
// leaves a field out does not compile. Code that needs only some of the fields (a sentence for people, a line of a
// journal) does the same, `const auto& [who, when] = it;`, so that a new field does not compile there either.
//
// Thread rule: pure functions.
#pragma once

#include <type_traits>

namespace tenure {

// TENURE_FIELDS(Type, field…) in the namespace of Type: visit_fields(value, visit) calls visit(field…) with all.
#define TENURE_FIELDS(Type, ...)                               \
  template <class Visit>                                       \
  constexpr void visit_fields(const Type& it, Visit&& visit) { \
    const auto& [__VA_ARGS__] = it;                            \
    visit(__VA_ARGS__);                                        \
  }

#define TENURE_NO_FIELDS(Type)                              \
  static_assert(std::is_empty_v<Type>);                     \
  template <class Visit>                                    \
  constexpr void visit_fields(const Type&, Visit&& visit) { \
    visit();                                                \
  }

}  // namespace tenure

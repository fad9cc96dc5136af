// A variant of many alternatives whose special members are compiled once.
//
// To copy, move or destroy a variant is code for each of its alternatives. Nearly every file of the tree passes
// requests and replies on, and compiling that code in each was a third to a half of its compilation. So a CompiledOnce
// only declares these members; one file includes compiled_once_definitions.h and instantiates them.
//
// It is used like the variant: std::visit, std::get_if, std::holds_alternative and std::variant_size take it as it is.
//
// Thread rule: as the variant.
#pragma once

#include <cstddef>
#include <variant>

namespace tenure {

template <class Variant>
class CompiledOnce : public Variant {
 public:
  using Alternatives = Variant;
  using Variant::Variant;
  CompiledOnce();
  CompiledOnce(const CompiledOnce& other);
  CompiledOnce(CompiledOnce&& other) noexcept;
  CompiledOnce& operator=(const CompiledOnce& other);
  CompiledOnce& operator=(CompiledOnce&& other) noexcept;
  ~CompiledOnce();
};

}  // namespace tenure

template <class Variant>
struct std::variant_size<tenure::CompiledOnce<Variant>> : std::variant_size<Variant> {};

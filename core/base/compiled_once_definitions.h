// The members of a CompiledOnce, for the file that instantiates them: `template class CompiledOnce<…>;`.
//
// Thread rule: as the variant.
#pragma once

#include <memory>
#include <utility>

#include "core/base/compiled_once.h"

namespace tenure {

template <class Variant>
CompiledOnce<Variant>::CompiledOnce() = default;
template <class Variant>
CompiledOnce<Variant>::CompiledOnce(const CompiledOnce& other) = default;
template <class Variant>
CompiledOnce<Variant>::CompiledOnce(CompiledOnce&& other) noexcept = default;
// Assignment by the other members: the variant's own would be as much code again for each alternative.
template <class Variant>
CompiledOnce<Variant>& CompiledOnce<Variant>::operator=(const CompiledOnce& other) {
  return *this = CompiledOnce(other);
}
template <class Variant>
CompiledOnce<Variant>& CompiledOnce<Variant>::operator=(CompiledOnce&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}
template <class Variant>
CompiledOnce<Variant>::~CompiledOnce() = default;

}  // namespace tenure

// The members of a CompiledOnce, for the file that instantiates them: `template class CompiledOnce<…>;`.
//
// Thread rule: as the variant.
#pragma once

#include <type_traits>

#include "core/base/compiled_once.h"

namespace tenure {

template <class Variant>
CompiledOnce<Variant>::CompiledOnce() = default;
template <class Variant>
CompiledOnce<Variant>::CompiledOnce(const CompiledOnce& other) = default;
template <class Variant>
CompiledOnce<Variant>::CompiledOnce(CompiledOnce&& other) noexcept = default;
template <class Variant>
CompiledOnce<Variant>& CompiledOnce<Variant>::operator=(const CompiledOnce& other) = default;
template <class Variant>
CompiledOnce<Variant>& CompiledOnce<Variant>::operator=(CompiledOnce&& other) noexcept = default;
template <class Variant>
CompiledOnce<Variant>::~CompiledOnce() = default;

}  // namespace tenure

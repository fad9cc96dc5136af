// A function of a kind (a protocol, a store): a plain one, or one about an object, which outlives all that call it.
//
// Kinds of the registries are constants made of plain functions. A kind that somebody brings (a design that was read
// from a file) has an object behind it. std::function could be both, and no constant.
//
// Thread rule: a value; as thread-safe as what it calls.
#pragma once

#include <concepts>
#include <cstddef>

namespace tenure {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  using Plain = Result (*)(Args...);
  using About = Result (*)(const void* object, Args...);

  constexpr FunctionRef(std::nullptr_t = nullptr) {}
  // A function, or a lambda that captures nothing.
  template <class Function>
    requires std::convertible_to<Function, Plain>
  constexpr FunctionRef(Function function) : plain_(function) {}
  constexpr FunctionRef(const void* object, About about) : object_(object), about_(about) {}

  constexpr bool operator==(std::nullptr_t) const { return plain_ == nullptr && about_ == nullptr; }
  // REQUIRES: there is one.
  constexpr Result operator()(Args... args) const {
    return about_ != nullptr ? about_(object_, static_cast<Args>(args)...)
                             : plain_(static_cast<Args>(args)...);
  }

 private:
  Plain plain_ = nullptr;
  const void* object_ = nullptr;
  About about_ = nullptr;
};

}  // namespace tenure

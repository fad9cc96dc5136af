// The memory of one Lua state: small blocks are taken from few large pieces, and all of it goes at once.
//
// A life of a design's process has about 400 blocks, and most lives are short. So a block costs a step in a list, and
// the end of a life costs nothing for each of them.
//
// Thread rule: one arena belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace tenure::lua {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Whether a block of one size has room for the other.
  static bool is_the_same(std::size_t one, std::size_t other) {
    return steps_of(one) == steps_of(other) && steps_of(one) <= kSmallSteps;
  }
  // nullptr: the machine has no more. REQUIRES: size > 0.
  void* take(std::size_t size);
  // REQUIRES: take(size) gave it.
  void give_back(void* block, std::size_t size);

 private:
  static constexpr std::size_t kStep = 16;  // sizes are rounded up to it, so that every block is aligned
  static constexpr std::size_t kSmallSteps = 1'024 / kStep;
  static constexpr std::size_t kPiece = 32U << 10;

  static std::size_t steps_of(std::size_t size) { return (size + kStep - 1) / kStep; }

  struct Free {
    Free* next;
  };
  // Before a block that is too large for the pieces.
  struct alignas(kStep) Large {
    Large* before;
    Large* after;
  };
  void* take_large(std::size_t size);
  void give_back_large(void* block);

  std::array<Free*, kSmallSteps + 1> free_ = {};  // by size in steps
  std::vector<void*> pieces_;
  char* next_ = nullptr;  // in the last piece
  std::size_t left_ = 0;  // of it
  Large* large_ = nullptr;
};

}  // namespace tenure::lua

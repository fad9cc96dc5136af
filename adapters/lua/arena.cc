#include "adapters/lua/arena.h"

#include <cstdlib>
#include <new>

namespace tenure::lua {

Arena::~Arena() {
  for (void* const piece : pieces_) std::free(piece);
  while (large_ != nullptr) give_back_large(large_ + 1);
}

void* Arena::take(std::size_t size) {
  const std::size_t steps = steps_of(size);
  if (steps > kSmallSteps) return take_large(size);
  if (Free* const found = free_[steps]) {
    free_[steps] = found->next;
    return found;
  }
  if (left_ < steps * kStep) {
    void* const piece = std::malloc(kPiece);
    if (piece == nullptr) return nullptr;
    pieces_.push_back(piece);
    next_ = static_cast<char*>(piece);
    left_ = kPiece;
  }
  char* const block = next_;
  next_ += steps * kStep;
  left_ -= steps * kStep;
  return block;
}

void Arena::give_back(void* block, std::size_t size) {
  const std::size_t steps = steps_of(size);
  if (steps > kSmallSteps) return give_back_large(block);
  free_[steps] = new (block) Free{free_[steps]};
}

void* Arena::take_large(std::size_t size) {
  void* const memory = std::malloc(sizeof(Large) + size);
  if (memory == nullptr) return nullptr;
  auto* const header = new (memory) Large{nullptr, large_};
  if (large_ != nullptr) large_->before = header;
  large_ = header;
  return header + 1;
}

void Arena::give_back_large(void* block) {
  Large* const header = static_cast<Large*>(block) - 1;
  (header->before != nullptr ? header->before->after : large_) = header->after;
  if (header->after != nullptr) header->after->before = header->before;
  std::free(header);
}

}  // namespace tenure::lua

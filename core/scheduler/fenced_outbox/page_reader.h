// How far something has been read that the store shows page by page.
//
// Thread rule: a value; one owner.
#pragma once

#include <optional>

#include "core/base/fold.h"

namespace tenure {

template <class Position>
struct PageReader {
  std::optional<Position> after;  // the next page begins behind it; nullopt: at the beginning
  std::optional<Position>
      reached;        // the furthest so far: to read the pages before it once more is no way forward
  bool more = false;  // there may be something behind `after`

  void restart() { read_from(std::nullopt); }
  void read_from(const std::optional<Position>& position) {
    after = position;
    more = true;
  }
  // A page was read that ends at `last`. Whether it is one of several, and the reader has come further than ever.
  bool took(const Position& last, bool has_more) {
    after = last;
    more = has_more;
    if (!more || after <= reached) return false;
    reached = after;
    return true;
  }
  void hash(auto& sink) const { fold(sink, after, reached, more); }
};

}  // namespace tenure

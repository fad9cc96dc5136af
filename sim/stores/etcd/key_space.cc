#include "sim/stores/etcd/key_space.h"

#include <algorithm>
#include <compare>

#include "core/base/check.h"

namespace tenure::etcd {
namespace {

const std::string kNoEnd(1, '\0');

// What is compared, of a key that may not be there.
std::optional<std::strong_ordering> order_of(const Compare& compare, const KeyValue* kv) {
  if (compare.value) {
    if (kv == nullptr) return std::nullopt;
    return kv->value <=> *compare.value;
  }
  const KeyValue none;
  const KeyValue& it = kv != nullptr ? *kv : none;
  if (compare.version) return it.version <=> *compare.version;
  if (compare.create_revision) return it.create_revision <=> *compare.create_revision;
  if (compare.mod_revision) return it.mod_revision <=> *compare.mod_revision;
  return it.lease <=> compare.lease.value();
}

}  // namespace

bool is_in_range(const std::string& name, const std::string& key,
                 const std::optional<std::string>& range_end) {
  if (!range_end) return name == key;
  return name >= key && (*range_end == kNoEnd || name < *range_end);
}

GetResponse KeySpace::range(const Get& asked) const {
  GetResponse found{seen_revision(), {}};
  for (auto it = keys_.lower_bound(asked.key); it != keys_.end(); ++it) {
    if (!is_in_range(it->first, asked.key, asked.range_end)) break;
    if (it->second.create_revision <= asked.max_create_revision.value_or(it->second.create_revision))
      found.kvs.push_back(it->second);
  }
  return found;
}

PutResponse KeySpace::put(const Put& asked) {
  changed_ = true;
  KeyValue& kv = keys_[asked.key];
  if (kv.version == 0) kv.create_revision = seen_revision();
  kv.key = asked.key;
  kv.value = asked.value;
  kv.mod_revision = seen_revision();
  kv.version += 1;
  kv.lease = asked.lease.value_or(0);
  history_.push_back({"PUT", kv});
  return {seen_revision()};
}

KeySpace::Keys::iterator KeySpace::erase(Keys::iterator place) {
  changed_ = true;
  KeyValue gone;
  gone.key = place->first;
  gone.mod_revision = seen_revision();
  history_.push_back({"DELETE", gone});
  return keys_.erase(place);
}

DeleteRangeResponse KeySpace::erase(const DeleteRange& asked) {
  std::int64_t deleted = 0;
  for (auto it = keys_.lower_bound(asked.key);
       it != keys_.end() && is_in_range(it->first, asked.key, asked.range_end); ++deleted)
    it = erase(it);
  return {seen_revision(), deleted};
}

void KeySpace::erase_keys_of(std::int64_t lease) {
  for (auto it = keys_.begin(); it != keys_.end();)
    it = it->second.lease == lease ? erase(it) : std::next(it);
}

void KeySpace::end_of_request() {
  revision_ = seen_revision();
  changed_ = false;
}

bool KeySpace::holds(const Compare& compare) const {
  const auto found = keys_.find(compare.key);
  const auto order = order_of(compare, found != keys_.end() ? &found->second : nullptr);
  if (!order) return false;
  const std::string result = compare.result.value_or("EQUAL");
  if (result == "EQUAL") return *order == 0;
  if (result == "NOT_EQUAL") return *order != 0;
  return result == "GREATER" ? *order > 0 : *order < 0;
}

std::vector<KeyEvent> KeySpace::events(const std::string& key, const std::optional<std::string>& range_end,
                                       std::int64_t from) const {
  std::vector<KeyEvent> found;
  const auto first = std::ranges::lower_bound(history_, from, {},
                                              [](const KeyEvent& event) { return event.kv.mod_revision; });
  std::copy_if(first, history_.end(), std::back_inserter(found),
               [&](const KeyEvent& event) { return is_in_range(event.kv.key, key, range_end); });
  return found;
}

void KeySpace::compact(std::int64_t revision) {
  CHECK(compacted_ < revision && revision <= revision_);
  compacted_ = revision;
  std::erase_if(history_, [&](const KeyEvent& event) {
    return event.kv.mod_revision < revision || (event.kv.mod_revision == revision && event.type == "DELETE");
  });
}

void KeySpace::hash(Hasher& hasher) const {
  const auto add = [&hasher](const KeyValue& kv) {
    hasher.add(kv.key)
        .add(kv.value)
        .add(kv.create_revision)
        .add(kv.mod_revision)
        .add(kv.version)
        .add(kv.lease);
  };
  hasher.add(revision_).add(compacted_).add(keys_.size());
  for (const auto& [key, kv] : keys_) add(kv);
  for (const KeyEvent& event : history_) {
    hasher.add(event.type);
    add(event.kv);
  }
}

}  // namespace tenure::etcd

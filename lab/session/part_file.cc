#include "lab/session/part_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tenure::lab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Campaign, command, paths, sets, first_seed, seeds, twice, guided, of)

std::string part_path(const std::string& folder, const std::string& command, const Shard& shard) {
  return fmt::format("{}/{}-{}-of-{}.part", folder, command, shard.index, shard.count);
}

std::variant<PartFile, std::string> read_part(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fmt::format("cannot read {}: {}", path, system_reason(errno));
  PartFile part;
  std::string line;
  try {
    std::getline(file, line);
    const nlohmann::json head = nlohmann::json::parse(line);
    head.at("campaign").get_to(part.campaign);
    part.shard = {head.at("part").get<std::uint64_t>(), head.at("parts").get<std::uint64_t>()};
    head.at("done").get_to(part.done);
    head.at("planned").get_to(part.planned);
    while (std::getline(file, line)) part.states.push_back(line);
    if (part.states.size() == head.at("lines").get<std::size_t>()) return part;
  } catch (const nlohmann::json::exception&) {
    return fmt::format("{} is no part of a campaign", path);
  }
  return fmt::format("{} is damaged: lines are missing", path);
}

FileWritten write_part(const std::string& path, const PartFile& part) {
  const nlohmann::json head = {{"campaign", part.campaign}, {"part", part.shard.index},
                               {"parts", part.shard.count}, {"done", part.done},
                               {"planned", part.planned},   {"lines", part.states.size()}};
  std::string text = head.dump() + "\n";
  for (const std::string& state : part.states) text += state + "\n";
  return write_file(path, text);
}

}  // namespace tenure::lab

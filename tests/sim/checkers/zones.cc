#include "tests/sim/checkers/zones.h"

#include <string>
#include <utility>

namespace tenure::sim {
namespace {

Zone zone(std::string name, std::int32_t at_first, const std::vector<TimeZone::Period>& changes) {
  std::vector<TimeZone::Period> periods{{TimeZone::kAlways, at_first}};
  periods.insert(periods.end(), changes.begin(), changes.end());
  return std::make_shared<const TimeZone>(std::move(name), "2025b", std::move(periods));
}

}  // namespace

Zone berlin() {
  return zone("Europe/Berlin", 3600,
              {{1679792400, 7200},
               {1698541200, 3600},
               {1711846800, 7200},
               {1729990800, 3600},
               {1743296400, 7200},
               {1761440400, 3600},
               {1774746000, 7200},
               {1792890000, 3600}});
}

Zone new_york() {
  return zone("America/New_York", -18000,
              {{1678604400, -14400},
               {1699164000, -18000},
               {1710054000, -14400},
               {1730613600, -18000},
               {1741503600, -14400},
               {1762063200, -18000},
               {1772953200, -14400},
               {1793512800, -18000}});
}

Zone lord_howe() {
  return zone("Australia/Lord_Howe", 39600,
              {{1680361200, 37800},
               {1696087800, 39600},
               {1712415600, 37800},
               {1728142200, 39600},
               {1743865200, 37800},
               {1759591800, 39600},
               {1775314800, 37800},
               {1791041400, 39600}});
}

Zone apia() {
  return zone("Pacific/Apia", -39600,
              {{1285498800, -36000},
               {1301752800, -39600},
               {1316872800, -36000},
               {1325239200, 50400},
               {1333202400, 46800},
               {1348927200, 50400},
               {1365256800, 46800},
               {1380376800, 50400}});
}

Zone sao_paulo() {
  return zone("America/Sao_Paulo", -7200,
              {{1456020000, -10800},
               {1476586800, -7200},
               {1487469600, -10800},
               {1508036400, -7200},
               {1518919200, -10800},
               {1541300400, -7200},
               {1550368800, -10800}});
}

Zone berlin_1945() {
  return zone("Europe/Berlin", 7200,
              {{-812502000, 7200},
               {-796777200, 3600},
               {-781052400, 7200},
               {-776563200, 10800},
               {-765936000, 7200},
               {-761180400, 3600},
               {-748479600, 7200},
               {-733273200, 3600},
               {-717631200, 7200},
               {-714610800, 10800},
               {-710380800, 7200},
               {-701910000, 3600},
               {-684975600, 7200},
               {-670460400, 3600}});
}

Zone monrovia() { return zone("Africa/Monrovia", -2670, {{63593070, 0}}); }

std::vector<Zone> real_zones() {
  return {TimeZone::utc(), berlin(), new_york(), lord_howe(), apia(), sao_paulo(), berlin_1945(), monrovia()};
}

}  // namespace tenure::sim

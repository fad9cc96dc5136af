#include "lab/session/version.h"

namespace tenure::lab {

std::string_view version() { return TENURE_VERSION; }

}  // namespace tenure::lab

// The description of the API for programs: OpenAPI 3.1. openapi.json has it; tests hold it against the routes.
//
// Thread rule: immutable.
#pragma once

#include <string_view>

namespace tenure::daemon {

std::string_view openapi_document();

}  // namespace tenure::daemon

// The description of the API for programs: OpenAPI 3.1. openapi.json has all but the fields of schedules, which are
// those of their table (core/schedule/schedule_fields.h), and what every route has.
//
// Thread rule: immutable.
#pragma once

#include <string>
#include <string_view>

namespace tenure::daemon {

const std::string& openapi_document();
std::string_view openapi_frame();  // openapi.json

}  // namespace tenure::daemon

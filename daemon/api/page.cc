#include "daemon/api/page.h"

#include <string>

namespace tenure::daemon::handlers {

HttpResponse page(Call& call) {
  const auto file = page_file(call.request.path);
  if (!file) throw not_found("nothing is at this path");
  HttpResponse response;
  response.fields = {
      {"Content-Type", std::string(file->type)},
      {"Cache-Control", "no-cache"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}};
  response.body = file->text;
  return response;
}

}  // namespace tenure::daemon::handlers

// Prints the document that tenured serves, for tests that pretend to be tenured.
#include <cstdio>

#include "daemon/api/openapi.h"

int main() { return std::fputs(tenure::daemon::openapi_document().c_str(), stdout) < 0; }

#include "core/store/store_machine.h"

#include "core/base/compiled_once_definitions.h"

namespace tenure {

template class CompiledOnce<reference::Request::Alternatives>;
template class CompiledOnce<reference::Reply::Alternatives>;
template class CompiledOnce<Request::Alternatives>;
template class CompiledOnce<Reply::Alternatives>;

}  // namespace tenure

#include "core/store/store_machine.h"

#include "core/base/compiled_once_definitions.h"

namespace tenure {

template class CompiledOnce<blob_lease::Request::Alternatives>;
template class CompiledOnce<blob_lease::Reply::Alternatives>;
template class CompiledOnce<consul::Request::Alternatives>;
template class CompiledOnce<consul::Reply::Alternatives>;
template class CompiledOnce<dynamodb::Request::Alternatives>;
template class CompiledOnce<dynamodb::Reply::Alternatives>;
template class CompiledOnce<etcd::Request::Alternatives>;
template class CompiledOnce<etcd::Reply::Alternatives>;
template class CompiledOnce<lease_table::Request::Alternatives>;
template class CompiledOnce<lease_table::Reply::Alternatives>;
template class CompiledOnce<placement::Request::Alternatives>;
template class CompiledOnce<placement::Reply::Alternatives>;
template class CompiledOnce<queue::Request::Alternatives>;
template class CompiledOnce<queue::Reply::Alternatives>;
template class CompiledOnce<record::Request::Alternatives>;
template class CompiledOnce<record::Reply::Alternatives>;
template class CompiledOnce<redis::Request::Alternatives>;
template class CompiledOnce<redis::Reply::Alternatives>;
template class CompiledOnce<reference::Request::Alternatives>;
template class CompiledOnce<reference::Reply::Alternatives>;
template class CompiledOnce<schedule_table::Request::Alternatives>;
template class CompiledOnce<schedule_table::Reply::Alternatives>;
template class CompiledOnce<statements::Request::Alternatives>;
template class CompiledOnce<statements::Reply::Alternatives>;
template class CompiledOnce<zookeeper::Request::Alternatives>;
template class CompiledOnce<zookeeper::Reply::Alternatives>;
template class CompiledOnce<Request::Alternatives>;
template class CompiledOnce<Reply::Alternatives>;

}  // namespace tenure

#include "common/exit_status.h"

namespace litz::tools {

int status_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
    case ErrorCode::out_of_range:
    case ErrorCode::cancelled:
      return kBadUsage;
    case ErrorCode::not_found:
    case ErrorCode::corrupt:
    case ErrorCode::limit_exceeded:
    case ErrorCode::io:
      return kBadFile;
    case ErrorCode::unsupported:
      return kUnsupported;
    case ErrorCode::internal:
      return kInternal;
    case ErrorCode::out_of_memory:
      return kNoMemory;
    case ErrorCode::untrusted:
      return kUntrusted;
  }
  return kInternal;
}

}  // namespace litz::tools

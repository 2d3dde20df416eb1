// What the handles of litz/c_api.h stand for, and the one place where errors become statuses.

#pragma once

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "distributed/communicator.h"
#include "litz/c_api.h"
#include "runtime/program/interface.h"
#include "runtime/program/model.h"
#include "support/check.h"

struct litz_error {
  litz_status status = LITZ_INTERNAL;
  std::string message;
};

namespace litz::runtime::c {

/// Entries of a signature with the arrays that litz_entry points to.
class Entries {
 public:
  explicit Entries(std::vector<Entry> entries);

  size_t size() const { return entries_.size(); }

  /// Throws Error for an index that is too large, and unless the caller has set the size.
  void get(size_t index, litz_entry* entry) const;

 private:
  std::vector<Entry> entries_;
  std::vector<std::vector<litz_size>> sizes_;  ///< By entry.
};

litz_status refuse(litz_error** error, litz_status status, const char* message) noexcept;

/// Runs `work` and turns what it throws into a status and a litz_error.
template <typename Work>
litz_status guarded(litz_error** error, const Work& work) noexcept {
  static_assert(static_cast<int>(ErrorCode::invalid_argument) + 1 == LITZ_INVALID_ARGUMENT &&
                    static_cast<int>(ErrorCode::untrusted) + 1 == LITZ_UNTRUSTED,
                "both enumerations list the errors in one order");
  try {
    work();
    return LITZ_OK;
  } catch (const Error& thrown) {
    return refuse(error, static_cast<litz_status>(static_cast<int>(thrown.code()) + 1),
                  thrown.what());
  } catch (const std::bad_alloc&) {
    return refuse(error, LITZ_OUT_OF_MEMORY, "memory must be available");
  } catch (const std::length_error&) {  // Of a list that a count of the caller asked for.
    return refuse(error, LITZ_INVALID_ARGUMENT, "a count must be that of the values given");
  } catch (const std::exception& thrown) {
    return refuse(error, LITZ_INTERNAL, thrown.what());
  }
}

/// Throws Error if the pointer is NULL; `what` names it.
inline void require_given(const void* pointer, const char* what) {
  require(pointer != nullptr, what, "must not be NULL");
}

/// Throws Error if a field that later versions may use is set.
inline void require_reserved(int64_t field) {
  require(field == 0, ErrorCode::unsupported, "a reserved field must be 0, not", field);
}

}  // namespace litz::runtime::c

struct litz_program {
  litz_program(litz::artifact::Program program, const litz::runtime::ModelOptions& options);

  litz::runtime::Model model;
  litz::runtime::c::Entries inputs;
  litz::runtime::c::Entries outputs;
  litz::runtime::c::Entries buffers;
  std::vector<std::string> weights;
};

struct litz_group {
  std::shared_ptr<litz::distributed::Communicator> communicator;
};

struct litz_session {
  litz::runtime::ModelCalls calls;
};

struct litz_results {
  std::vector<litz::runtime::Value> values;
};

#include "kernels/operator_library.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "schema/spelled_names.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

using ir::ArgKind;

constexpr const char* kEntry = "litz_operators";
constexpr uint64_t kMostOperators = 100'000;  // Larger counts come from a broken table.
constexpr uint32_t kFlags = LITZ_OPERATOR_RANDOM | LITZ_OPERATOR_UNSAFE_CAPTURE |
                            LITZ_OPERATOR_HAS_EFFECTS | LITZ_OPERATOR_NOT_THREAD_SAFE |
                            LITZ_OPERATOR_CONTIGUOUS;

struct KindPair {
  ArgKind in_schema;
  UserKind in_call;
};

constexpr std::array kKinds{
    KindPair{ArgKind::tensor, UserKind::tensor},
    KindPair{ArgKind::tensor_list, UserKind::tensors},
    KindPair{ArgKind::optional_tensor_list, UserKind::tensors},
    KindPair{ArgKind::scalar, UserKind::scalar},
    KindPair{ArgKind::scalar_list, UserKind::scalars},
    KindPair{ArgKind::integer, UserKind::integer},
    KindPair{ArgKind::integer_list, UserKind::integers},
    KindPair{ArgKind::real, UserKind::real},
    KindPair{ArgKind::real_list, UserKind::reals},
    KindPair{ArgKind::boolean, UserKind::boolean},
    KindPair{ArgKind::boolean_list, UserKind::booleans},
    KindPair{ArgKind::string, UserKind::string},
    KindPair{ArgKind::string_list, UserKind::strings},
    KindPair{ArgKind::dtype, UserKind::dtype},
    KindPair{ArgKind::layout, UserKind::string},
    KindPair{ArgKind::device, UserKind::string},
    KindPair{ArgKind::memory_format, UserKind::string},
};

UserKind kind_of(ArgKind kind, const std::string& name) {
  const auto* found = std::ranges::find(kKinds, kind, &KindPair::in_schema);
  require(found != kKinds.end(),
          "an argument of an operator must be of a kind that functions take:", name,
          ir::name(kind));
  return found->in_call;
}

void add_results(const ir::Schema& schema, UserFunction& function) {
  size_t lists = 0;
  for (const ir::SchemaReturn& result : schema.returns) {
    if (result.mutated) {
      const bool is_argument = std::ranges::any_of(schema.arguments, [&](const auto& argument) {
        return argument.mutated && argument.alias == result.alias &&
               argument.kind == ArgKind::tensor;
      });
      require(is_argument && result.kind == ArgKind::tensor,
              "a result that is written must be an argument, a tensor:", schema.name);
      continue;
    }
    require(result.alias == 0, ErrorCode::unsupported,
            "results of an operator must not be views of its arguments:", schema.name);
    const UserKind kind = kind_of(result.kind, schema.name);
    const bool is_result = kind == UserKind::tensor || kind == UserKind::tensors ||
                           kind == UserKind::integer || kind == UserKind::real ||
                           kind == UserKind::boolean;
    require(is_result,
            "results of an operator must be tensors, lists of tensors or numbers:", schema.name,
            ir::name(result.kind));
    lists += kind == UserKind::tensors ? 1 : 0;
    function.results.push_back(kind);
  }
  require(lists <= 1, "an operator must give one list of tensors at most:", schema.name);
}

void set_like(const std::string& like, UserFunction& function) {
  const auto found = std::ranges::find(function.arguments, like, &UserArgument::name);
  require(found != function.arguments.end() && found->kind == UserKind::tensor,
          "results_like must name a tensor argument:", function.name, like);
  const auto is_tensor = [](UserKind kind) { return kind == UserKind::tensor; };
  require(std::ranges::all_of(function.results, is_tensor),
          "results_like is for results that are tensors:", function.name);
  function.like = static_cast<int>(found - function.arguments.begin());
}

/// Checks the operator against its schema.
UserFunction function_of(const litz_operator& op, const ir::Schema& schema) {
  UserFunction function;
  function.name = schema.name;
  function.table = op;
  for (const ir::SchemaArgument& argument : schema.arguments) {
    const UserKind kind = kind_of(argument.kind, schema.name);
    const bool is_memory = kind == UserKind::tensor || kind == UserKind::tensors;
    require(is_memory || !argument.mutated, "an operator must write tensors only:", schema.name,
            argument.name);
    function.arguments.push_back({argument.name, kind, argument.mutated});
  }
  add_results(schema, function);
  require(op.run != nullptr, "an operator must have a function:", schema.name);
  require((op.flags & ~kFlags) == 0,
          "flags of an operator must be those of litz/operators.h:", schema.name, op.flags);
  require(op.results_like == nullptr || op.result_types == nullptr,
          "an operator must have result_types or results_like, not both:", schema.name);
  if (op.results_like != nullptr) set_like(op.results_like, function);
  return function;
}

ir::Schema schema_of(const litz_operator& op) {
  require(op.schema != nullptr, "an operator must have a schema");
  try {
    return ir::parse_spelled_schema(op.schema);
  } catch (Error& error) {
    error.add_note(std::string("in the schema of an operator: ") + op.schema);
    throw;
  }
}

/// The registered tables. The lock is held while one is added, so that both registries get it or
/// neither.
struct Known {
  std::mutex mutex;
  std::set<const litz_operator*> tables;
};

Known& known() {
  static Known known;
  return known;
}

void require_new_names(const std::vector<UserOperator>& operators) {
  std::set<std::string_view> names;
  for (const UserOperator& op : operators) {
    const std::string& name = op.schema.name;
    require(find_user_function(name) == nullptr && names.insert(name).second,
            "an operator must be registered once:", name);
  }
}

void check_table(const litz_operator_library& library) {
  require(library.abi == LITZ_OPERATORS_ABI, ErrorCode::unsupported,
          "a library of operators must be built for the ABI", LITZ_OPERATORS_ABI,
          "of this Litz, not for", library.abi, "- build it again with its litz/operators.h");
  require(library.operator_size >= sizeof(litz_operator) &&
              library.operator_size % alignof(litz_operator) == 0,
          "a library of operators must state the size of an operator:", library.operator_size);
  require(library.operators != nullptr && library.count > 0 && library.count <= kMostOperators,
          "a library of operators must have some:", library.count);
}

size_t add_all(const litz_operator_library& library, const AlsoRegister& also) {
  check_table(library);
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  const auto count = static_cast<size_t>(library.count);
  if (all.tables.contains(library.operators)) return count;
  std::vector<UserOperator> operators;
  const auto* bytes = reinterpret_cast<const std::byte*>(library.operators);
  for (size_t i = 0; i < count; ++i) {
    const auto& op = *reinterpret_cast<const litz_operator*>(bytes + i * library.operator_size);
    try {
      ir::Schema schema = schema_of(op);
      UserFunction function = function_of(op, schema);
      operators.push_back({std::move(schema), std::move(function)});
    } catch (Error& error) {
      error.add_note("while registering operator " + std::to_string(i));
      throw;
    }
  }
  require_new_names(operators);
  if (also) also(operators);
  for (UserOperator& op : operators) add_user_function(std::move(op.function));
  all.tables.insert(library.operators);
  return count;
}

/// Guards against a table that has the expected name of the function: calling it would execute
/// data.
bool is_function(void* address) {
  Dl_info info = {};
  void* found = nullptr;
  if (::dladdr1(address, &info, &found, RTLD_DL_SYMENT) == 0 || found == nullptr) return true;
  const int type = static_cast<const ElfW(Sym)*>(found)->st_info & 0xF;
  return type != STT_OBJECT && type != STT_TLS;
}

}  // namespace

size_t register_operators(const litz_operator_library& library, const std::string& origin,
                          const AlsoRegister& also) {
  try {
    return add_all(library, also);
  } catch (Error& error) {
    error.add_note("while registering the operators of " + origin);
    throw;
  }
}

size_t register_operators(const std::string& path, const AlsoRegister& also) {
  std::error_code ignored;
  require(std::filesystem::exists(path, ignored), ErrorCode::not_found,
          "a library of operators must exist:", path);
  // Without a slash, dlopen would search the system's library directories.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    fail(ErrorCode::io, "a library of operators must be a shared object that can be loaded:",
         reason == nullptr ? path.c_str() : reason);
  }
  // The handle is never closed: programs call its functions, and operators stay registered.
  using Entry = const litz_operator_library* (*)();
  void* const symbol = ::dlsym(handle, kEntry);
  require(symbol != nullptr, "a library of operators must define", kEntry,
          "(see LITZ_OPERATORS in litz/operators.h):", path);
  require(is_function(symbol), "a library of operators must define a function, not a variable,",
          kEntry, "(see LITZ_OPERATORS in litz/operators.h):", path);
  const litz_operator_library* const library = reinterpret_cast<Entry>(symbol)();
  require(library != nullptr, "a library of operators must have a table:", path);
  return register_operators(*library, path, also);
}

}  // namespace litz::kernels

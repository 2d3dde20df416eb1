// cuBLASLt for the emulated card: products one element after the other, as work of a stream.

#include <cstring>
#include <utility>

#include "machine.h"
#include "numbers.h"

namespace emulated {
namespace {

enum Status : int { kBlasSuccess = 0, kBlasInvalidValue = 7, kBlasNotSupported = 15 };

struct Description {
  int compute = 0;
  int scale = 0;
  int32_t turns_a = 0;
  int32_t turns_b = 0;
  int32_t epilogue = 1;
  const void* bias = nullptr;
  int32_t bias_type = -1;
};

/// A column-major matrix.
struct Layout {
  int type = 0;
  uint64_t rows = 0;
  uint64_t columns = 0;
  int64_t lead = 0;
  int32_t batch = 1;
  int64_t batch_stride = 0;
};

struct Preference {
  uint64_t workspace = 0;
};

struct Library {};

struct Blas {
  Handles<Library> libraries{"handle of cuBLASLt"};
  Handles<Description> descriptions{"description of a product"};
  Handles<Layout> layouts{"layout of a matrix"};
  Handles<Preference> preferences{"preference"};
};

Blas& blas() {
  static auto* const only = new Blas;
  return *only;
}

constexpr int kEpilogueNone = 1;
constexpr int kEpilogueBias = 4;

struct Matrix {
  Layout layout;
  bool turns = false;
  void* base = nullptr;

  int64_t rows() const { return static_cast<int64_t>(turns ? layout.columns : layout.rows); }

  int64_t columns() const { return static_cast<int64_t>(turns ? layout.rows : layout.columns); }

  int64_t place(int64_t batch, int64_t i, int64_t j) const {
    if (turns) std::swap(i, j);
    return batch * layout.batch_stride + i + j * layout.lead;
  }

  void require_inside(const char* what) const {
    const int64_t last = (layout.batch - 1) * layout.batch_stride +
                         static_cast<int64_t>(layout.rows) - 1 +
                         (static_cast<int64_t>(layout.columns) - 1) * layout.lead;
    require_usable(reinterpret_cast<uintptr_t>(base),
                   static_cast<size_t>(last + 1) * item_bytes(layout.type), what);
  }
};

struct Product {
  Matrix a;
  Matrix b;
  Matrix c;
  Matrix d;
  double alpha = 1;
  double beta = 0;
  const void* bias = nullptr;
  int bias_type = 0;
};

void run(const Product& product) {
  product.a.require_inside("the left matrix of a product");
  product.b.require_inside("the right matrix of a product");
  product.d.require_inside("the result of a product");
  if (product.beta != 0) product.c.require_inside("the addend of a product");
  for (int64_t n = 0; n < product.d.layout.batch; ++n) {
    for (int64_t i = 0; i < product.d.rows(); ++i) {
      for (int64_t j = 0; j < product.d.columns(); ++j) {
        double sum = 0;
        for (int64_t k = 0; k < product.a.columns(); ++k) {
          sum += load(product.a.base, product.a.layout.type, product.a.place(n, i, k)) *
                 load(product.b.base, product.b.layout.type, product.b.place(n, k, j));
        }
        sum *= product.alpha;
        if (product.beta != 0) {
          sum +=
              product.beta * load(product.c.base, product.c.layout.type, product.c.place(n, i, j));
        }
        if (product.bias != nullptr) sum += load(product.bias, product.bias_type, i);
        store(product.d.base, product.d.layout.type, product.d.place(n, i, j), sum);
      }
    }
  }
}

template <typename T>
int set(T& target, const void* value, size_t bytes) {
  if (bytes != sizeof target) return kBlasInvalidValue;
  std::memcpy(&target, value, bytes);
  return kBlasSuccess;
}

/// True if the shapes fit each other.
bool fit(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d) {
  const auto is_like = [&](const Matrix& m) {
    return m.layout.type == a.layout.type && m.layout.batch == d.layout.batch &&
           m.layout.lead >= static_cast<int64_t>(m.layout.rows);
  };
  return a.rows() == d.rows() && b.columns() == d.columns() && a.columns() == b.rows() &&
         c.rows() == d.rows() && c.columns() == d.columns() && is_like(a) && is_like(b) &&
         is_like(c) && is_like(d);
}

Product product_of(const Description& description, void* a, void* b, void* c, void* d) {
  Product product;
  product.a = {blas().layouts.get(a), description.turns_a != 0};
  product.b = {blas().layouts.get(b), description.turns_b != 0};
  product.c = {blas().layouts.get(c)};
  product.d = {blas().layouts.get(d)};
  return product;
}

}  // namespace

size_t live_products() {
  return blas().libraries.count() + blas().descriptions.count() + blas().layouts.count() +
         blas().preferences.count();
}

}  // namespace emulated

using namespace emulated;

extern "C" {

const char* cublasLtGetStatusString(int status) {
  return status == kBlasSuccess        ? "CUBLAS_STATUS_SUCCESS"
         : status == kBlasNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                       : "CUBLAS_STATUS_INVALID_VALUE";
}

int cublasLtCreate(void** handle) {
  return enter("cublasLtCreate", true, [&] {
    *handle = blas().libraries.add(std::make_unique<Library>());
    return kBlasSuccess;
  });
}

int cublasLtDestroy(void* handle) {
  const std::lock_guard lock(machine().mutex);
  blas().libraries.remove(handle);
  return kBlasSuccess;
}

int cublasLtMatmulDescCreate(void** description, int compute, int scale) {
  const std::lock_guard lock(machine().mutex);
  auto made = std::make_unique<Description>();
  made->compute = compute;
  made->scale = scale;
  *description = blas().descriptions.add(std::move(made));
  return kBlasSuccess;
}

int cublasLtMatmulDescDestroy(void* description) {
  const std::lock_guard lock(machine().mutex);
  blas().descriptions.remove(description);
  return kBlasSuccess;
}

int cublasLtMatmulDescSetAttribute(void* description, int attribute, const void* value,
                                   size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  Description& own = blas().descriptions.get(description);
  switch (attribute) {
    case 3:
      return set(own.turns_a, value, bytes);
    case 4:
      return set(own.turns_b, value, bytes);
    case 7:
      return set(own.epilogue, value, bytes);
    case 8:
      return set(own.bias, value, bytes);
    case 26:
      return set(own.bias_type, value, bytes);
    default:
      misuse("an attribute of products that the emulation lacks");
  }
}

int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns,
                               int64_t lead) {
  const std::lock_guard lock(machine().mutex);
  auto made = std::make_unique<Layout>();
  *made = {type, rows, columns, lead};
  *layout = blas().layouts.add(std::move(made));
  return kBlasSuccess;
}

int cublasLtMatrixLayoutDestroy(void* layout) {
  const std::lock_guard lock(machine().mutex);
  blas().layouts.remove(layout);
  return kBlasSuccess;
}

int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* value, size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  Layout& own = blas().layouts.get(layout);
  if (attribute == 5) return set(own.batch, value, bytes);
  if (attribute == 6) return set(own.batch_stride, value, bytes);
  misuse("an attribute of matrices that the emulation lacks");
}

int cublasLtMatmulPreferenceCreate(void** preference) {
  const std::lock_guard lock(machine().mutex);
  *preference = blas().preferences.add(std::make_unique<Preference>());
  return kBlasSuccess;
}

int cublasLtMatmulPreferenceDestroy(void* preference) {
  const std::lock_guard lock(machine().mutex);
  blas().preferences.remove(preference);
  return kBlasSuccess;
}

int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value,
                                         size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  Preference& own = blas().preferences.get(preference);
  return attribute == 1 ? set(own.workspace, value, bytes) : kBlasSuccess;
}

int cublasLtMatmulAlgoGetHeuristic(void* handle, void* description, void* a, void* b, void* c,
                                   void* d, void* preference, int wanted, void* results,
                                   int* found) {
  const std::lock_guard lock(machine().mutex);
  blas().libraries.get(handle);
  blas().preferences.get(preference);
  const Description& own = blas().descriptions.get(description);
  const Product product = product_of(own, a, b, c, d);
  const bool is_known = own.epilogue == kEpilogueNone || own.epilogue == kEpilogueBias;
  *found = 0;
  if (wanted < 1 || !is_known || !fit(product.a, product.b, product.c, product.d)) {
    return kBlasNotSupported;
  }
  // Eight words of an algorithm, the bytes of its workspace, a status, and more.
  const uint64_t algorithm[12] = {0x11, 0, 0, 0, 0, 0, 0, 0, 512};
  std::memcpy(results, algorithm, sizeof algorithm);
  *found = 1;
  return kBlasSuccess;
}

int cublasLtMatmul(void* handle, void* description, const void* alpha, const void* a,
                   void* a_layout, const void* b, void* b_layout, const void* beta, const void* c,
                   void* c_layout, void* d, void* d_layout, const void* algorithm, void* workspace,
                   size_t workspace_bytes, void* stream) {
  return enter("cublasLtMatmul", true, [&] {
    blas().libraries.get(handle);
    const Description& own = blas().descriptions.get(description);
    Product product = product_of(own, a_layout, b_layout, c_layout, d_layout);
    if (!fit(product.a, product.b, product.c, product.d)) return kBlasInvalidValue;
    if (algorithm == nullptr || *static_cast<const uint64_t*>(algorithm) != 0x11) {
      misuse("cublasLtMatmul without its algorithm");
    }
    require_usable(reinterpret_cast<uintptr_t>(workspace), workspace_bytes, "a workspace");
    product.a.base = const_cast<void*>(a);
    product.b.base = const_cast<void*>(b);
    product.c.base = const_cast<void*>(c);
    product.d.base = d;
    product.alpha = load(alpha, own.scale, 0);
    product.beta = load(beta, own.scale, 0);
    if (own.epilogue == kEpilogueBias) {
      product.bias = own.bias;
      product.bias_type = own.bias_type;
    }
    give(stream, [product] { run(product); });
    return kBlasSuccess;
  });
}

}  // extern "C"

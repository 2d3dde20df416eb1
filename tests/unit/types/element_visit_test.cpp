#include "types/element_visit.h"

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(ElementVisit, TypeAndDtypeAgreeForEveryDtype) {
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    visit_dtype(dtype, [&]<typename T>() {
      EXPECT_EQ(dtype_of<T>(), dtype) << name(dtype);
      EXPECT_EQ(static_cast<int64_t>(sizeof(T)), item_size(dtype)) << name(dtype);
    });
  }
}

TEST(ElementVisit, ReturnsTheResultOfTheBody) {
  EXPECT_EQ(visit_dtype(DType::c128, []<typename T>() { return sizeof(T); }), 16U);
}

TEST(ElementVisit, RefusesAValueOutsideTheEnum) {
  EXPECT_THROW(visit_dtype(static_cast<DType>(99), []<typename T>() {}), Error);
}

}  // namespace
}  // namespace litz

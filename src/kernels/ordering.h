// Sorts and selections; see ordering.cpp. Each takes the arguments of the operator of its name.

#pragma once

#include "kernels/library.h"

namespace litz::kernels {

void kthvalue(LibraryCall& call);  // (self, k, dim, ...)
void mode(LibraryCall& call);      // (self, dim, ...)
void sort(LibraryCall& call);      // (self, dim, descending), equals in PyTorch's order
void topk(LibraryCall& call);      // (self, k, dim, largest, sorted)

}  // namespace litz::kernels

// Breaks the layer rules on purpose; the layer check must say so.
#include "ir/c.h"
#include "types/missing.h"

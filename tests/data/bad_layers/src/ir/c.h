// Keeps the layer rules.
#include "support/a.h"

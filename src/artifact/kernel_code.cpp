#include "artifact/kernel_code.h"

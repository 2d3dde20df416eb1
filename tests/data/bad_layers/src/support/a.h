// Breaks the layer rules on purpose; the layer check must say so.
#include <iostream>

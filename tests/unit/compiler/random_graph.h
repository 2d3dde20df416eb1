// Random programs of ATen operators, for tests of everything between import and result.
//
// Values stay tame: growing chains end in tanh or a normalisation now and then, comparisons look at
// inputs only, so that rounding cannot flip them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace litz::compiler {

/// The text of a module with a graph @main of some twenty nodes; inputs p_* are parameters. The
/// same seed gives the same text.
std::string random_graph(uint32_t seed);

/// The text of a random graph that @main calls three times, on inputs of its own or on what the call
/// before gave.
std::string random_repeats(uint32_t seed);

/// Why the program of the text, compiled with all passes, does not give what it gives interpreted
/// as it stands; empty when it does. Results must be within 1e-4 of their magnitude, and beyond it
/// only as far as the program itself is ill-conditioned: what changing inputs in their last bits
/// changes, 64 times. Threads and repetition must not change a bit.
std::string compiled_difference(std::string_view text);

/// Why the program, compiled, does not give the same bits in all test modes together, in an order by
/// seed and with calls failing before; empty when it does.
std::string tested_difference(std::string_view text, uint64_t order_seed);

}  // namespace litz::compiler

"""Where PyTorch's own results say nothing, and why: calls that are left out or compared in part."""

import math
import re

# PyTorch's messages for combinations that its own kernels lack; running them is not an error.
MISSING_KERNELS = (
    "not implemented for", "not supported", "NYI", "only supports", "unsupported", "INTERNAL ASSERT",
    "Could not run", "expected scalar type", "must be floating", "Unsupported dtype",
    "Expected a value of type", "xpected contiguous", "be contiguous", "must be contiguous",
    "self.stride(-1) must be 1", "Can't detach views", "could not create a primitive")

# PyTorch's messages about data. Litz checks data when an element of a result reads it, so not
# if there are no results.
UNREAD_DATA = (
    "index out of range in self", "Expected idx >= 0", "not in the valid range", "out of DATA bounds",
    "along axis to sum to", "min(): Expected reduction dim")

# Calls that Litz refuses although PyTorch's kernels accept them, by operator and message.
REFUSED_HERE = re.compile("|".join((
    # Numbers that are not a mode, and ranges that end before they begin.
    r"the reduction of a loss is 0", r"modes (are )?0, 1 and 2", r"the normalization of a transform",
    r"order of a distance", r"the range of integers has more than one",
    r"(beta of a smooth|delta of a Huber) loss", r"conv_tbc the padding of a convolution",
    # Operands that are too small for their use: PyTorch's kernels read beyond them.
    r"_backward\S* .*(C\d: |the gradient|a gradient per|must be|the sizes of|must not be larger)",
    r"_backward\S* .*(takes one row|must have one rank|must have a place|with dropout)",
    r"_backward.*(src must have the sizes|shapes cannot be broadcast|one slice of the input per index)",
    r"convolution_backward .*weight of a transposed convolution must not be empty",
    r"native_(layer|group)_norm_backward .*a parameter must have one element",
    r"native_group_norm_backward .*(needs N \* C \* HxW elements|input's floating dtype)",
    r"native_group_norm .*needs N \* C \* HxW elements",  # Of N or HxW 0 nothing is written.
    r"_weight_norm_interface weight norm C1.* c\d+",  # Which run only without elements.
    r"weight_norm.*(C2|cannot be broadcast)", r"(batch|instance)_norm\S* a parameter must have one element",
    r"a loss must have one gradient", r"one (gradient|row) per", r"attention_for_cpu\S* .*C[123]",
    r"a target must name a class", r"targets one behind another",
    r"(index_add_?|embedding_bag\S*) an index must lie in its dimension",
    # Not supported: row numbers that are bool or of 8 bits, observed halves, complex logcumsumexp.
    r"embedding_bag.*(bags (need|C3)|must be i32 or i64)", r"observed fake quantization C[15]",
    r"logcumsumexp needs a floating",
    # Empty windows, images, transforms and repeats, and sizes without elements.
    r"(window|image) of a convolution must not be empty", r"empty in its batch only",
    r"spatial sizes above 0", r"_fft_c2r.*half its points", r"query and key must agree",
    r"(cdist|attention).*must have one length", r"normalized_shape must equal", r"_transformer_encoder_layer_fwd (sizes|attention C1)",
    r"repeats must add up", r"sizes and strides must not be negative",
    r"out of bounds for an empty dimension", r"linalg_cond select",
    r"dot_product_attention shapes cannot be broadcast",
    r"shape expression out of range: (division|modulus) by zero",
    # Halves, integers and complex numbers where other types are required: PyTorch accepts some only
    # because there are no elements.
    r"linear algebra needs .* (b?f16|[iu]\d+|bool)$", r"pdist takes a floating", r"this loss takes real numbers",
    r"_backward .*needs floating numbers", r"loss_backward .*floating dtypes only",
    r"histogram C[14]", r"histogramdd C6",
    r"an affine grid needs", r"adaptive mean needs a floating", r"one floating dtype: u8",
    r"margins take scores in", r"soft margins are for floating",
    r"renorm needs a floating matrix", r"_softmax softmax needs a floating",
    r"_loss this loss is for floating", r"a real transform takes",
    r"cumsum_ an in-place result must be castable",
    # Writes to elements that share memory, in another shape, or by broadcasting; reads beyond the
    # elements.
    r"addresses elements more than once", r"addbmm_ an in-place result must have the shape",
    r"(as_strided|alias|copy_strided)\S* .*inside its storage",
    r"resizing in place is only supported", r"_trilinear shapes cannot be broadcast",
    r"pad_sequence.*tensors must have equal sizes", r"binary_cross_entropy has (a target|weights)")))

# Results contain uninitialised memory.
UNINITIALISED = (
    "aten.resize", "aten.resize_", "aten.new_empty", "aten.new_empty_strided", "aten.empty_like",
    "prims.copy_strided", "aten._grouped_mm")

# No infinities and no magnitudes that overflow: their results depend on the blocks in which
# PyTorch's libraries add (transforms, factorizations, products with padding, statistics, attention's
# blocks of keys, differences of neighbours). Here, antialiased images are products with matrices.
FINITE_ONLY = re.compile("|".join((
    r"fft|stft", r"conv|addb?mm|baddbmm|cdist|_trilinear", r"attention|transformer",
    r"(hard(tanh|swish)|shrink)_backward",  # NaN: PyTorch's vectors and remainders differ.
    r"linalg_|cholesky|svd|slogdet|logdet|det\b|inverse|lu_|_lu|qr|eig|lstsq|triangular_solve",
    r"matrix_exp|matrix_power|nuclear_norm", r"var|std|norm|cov|corrcoef|renorm|histogram|histc",
    r"chebyshev|hermite|laguerre|legendre", r"upsample\w*_aa|grid_sampler\w*_backward")))

# Strides stay unchanged: PyTorch's kernels read some arguments as if they had no gaps, and write to
# equal positions in memory order.
DENSE_ONLY = re.compile(
    r"embedding_bag|_weight_norm|native_batch_norm_backward|ctc_loss|max_unpool|fill_diagonal"
    r"|flash_attention_for_cpu_backward")
# No elements that share memory: singular matrices, deviations of equals, copies into a copy of self.
NO_OVERLAP = re.compile(r"linalg|cholesky|geqrf|\.qr|\._?lu_|\.(std|var)|aten\.(_foreach_)?copy")

# Values are not compared: factors up to a sign and eigenvalues in any order (unit tests multiply
# them back); results of a failed factorization; PyTorch's approximations with errors of 1e-7 in
# double precision.
VALUES_NOT_COMPARED = re.compile("|".join((
    r"aten\._?(linalg_)?(svd|eigh?|eigvals)\b", r"cholesky_ex",
    r"bessel|airy|polygamma|polynomial_\w\.x_scalar")))
# The table of ctc_loss after the end of a sequence is uninitialised memory.
UNWRITTEN_TABLE = re.compile(r"aten\._ctc_loss(\.Tensor)? output 1: ")
# Without queries PyTorch returns an undefined tensor beside the result.
UNDEFINED_RESULT = re.compile(r"aten\._native_multi_head_attention outputs: .*recorded are 1")
# Without elements PyTorch counts in i64, whatever the dtype of weights.
COUNTS_OF_NOTHING = re.compile(r"aten\.bincount output 0: dtype is float\d+, recorded int64")
# Dtypes are not compared: exported programs state others than those of PyTorch's kernels.
DTYPES_NOT_COMPARED = re.compile(
    r"_native_batch_norm_legit_functional|_batch_norm_with_update|native_dropout_backward")


def is_spoiled(op, arguments):
    """True if PyTorch's kernel computes a call wrongly for any values."""
    values = [value for _, value in arguments]
    lists = [value for value in values if isinstance(value, list)]
    # Transforms read memory outside of the sizes for negative dimensions.
    if op.startswith("aten._fft_"):
        rank = len(values[0].sizes)
        return any(not 0 <= entry < rank for entry in lists[0])
    named = dict(arguments)
    # Scores of vectors without elements are memory that nobody wrote.
    if "_flash_attention_for_cpu" in op and values[0].sizes[-1:] == [0]:
        return True
    # The infinities of a causal mask are scaled together with the scores.
    if "attention" in op and isinstance(named.get("scale"), float):
        return not 0 < named["scale"] < math.inf
    # Complex slopes over no distance are NaN inside, and infinite at the edges.
    return op.startswith("aten.gradient") and named.get("spacing") in (0, [0], [0, 0])


def is_refused_here(op, reason):
    """True if a call is refused on purpose."""
    return bool(REFUSED_HERE.search(f"{op} {reason}"))


def is_refused_by_kernel(op, error, inputs):
    """True if PyTorch raised because a kernel or layout is missing, not because the call is wrong."""
    message = str(error)
    is_empty = any(tensor.numel() == 0 for tensor in inputs)
    if is_empty and any(text in message for text in UNREAD_DATA):
        return True
    if isinstance(error, NotImplementedError) or any(text in message for text in MISSING_KERNELS):
        return True
    return "view size is not compatible" in message and "view" not in op


def is_comparable(op, outputs):
    """False for calls that PyTorch's kernels compute wrongly."""
    # Antialiased images one pixel wide: every row is the first one.
    if "_aa" in op and "backward" not in op and outputs and outputs[0].shape[-1] == 1:
        return False
    # The diagonal of a factor is real; if it is not, PyTorch's library uses the real part only
    # sometimes.
    return not (op.startswith("aten.cholesky_inverse") and outputs[0].is_complex())


def says_nothing(op, reason):
    """True if a difference of this kind does not count."""
    line = f"{op} {reason}"
    if UNWRITTEN_TABLE.search(line) or UNDEFINED_RESULT.search(line) or (
            COUNTS_OF_NOTHING.search(line)):
        return True
    if VALUES_NOT_COMPARED.search(op) and "elements differ" in reason:
        return True
    return bool(DTYPES_NOT_COMPARED.search(op)) and "dtype is" in reason

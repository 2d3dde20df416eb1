"""Where PyTorch's own results say nothing, and why: calls that are left out or compared in part."""

import re

# What PyTorch says of combinations that its own kernels lack; running them is no mistake.
MISSING_KERNELS = (
    "not implemented for", "not supported", "NYI", "only supports", "unsupported", "INTERNAL ASSERT",
    "Could not run", "expected scalar type", "must be floating", "Unsupported dtype",
    "Expected a value of type", "xpected contiguous", "be contiguous", "must be contiguous",
    "self.stride(-1) must be 1", "Can't detach views")

# Results hold memory that nobody wrote.
UNINITIALISED = (
    "aten.resize", "aten.resize_", "aten.new_empty", "aten.new_empty_strided", "aten.empty_like",
    "prims.copy_strided", "aten._grouped_mm")

# No infinities and no magnitudes that overflow: what comes of them follows the blocks in which
# PyTorch's libraries add (transforms, factorizations, products with padding, statistics, masks that
# are added). Here, derivatives of resampling are products with matrices, and every NaN is the
# largest of a bag, of which PyTorch passes over all but the first element.
FINITE_ONLY = re.compile("|".join((
    r"fft|stft", r"conv|addb?mm|baddbmm|cdist", r"attention|transformer",
    r"linalg_|cholesky|svd|slogdet|logdet|det\b|inverse|lu_|_lu|qr|eig|lstsq|triangular_solve",
    r"matrix_exp|matrix_power|nuclear_norm", r"var|std|norm|cov|corrcoef|renorm|histogram|histc",
    r"chebyshev|hermite|laguerre|legendre", r"upsample\w*(_backward|_aa)|grid_sampler\w*_backward")))

# Strides are kept: PyTorch's kernels read some arguments as if they had no gaps.
DENSE_ONLY = re.compile(r"embedding_bag|_weight_norm|native_batch_norm_backward")
# No elements that share memory: singular matrices, and copies into a copy of self.
NO_OVERLAP = re.compile(r"linalg|cholesky|aten\.(_foreach_)?copy")

# Values are not compared: factors up to a sign and eigenvalues in any order (unit tests multiply
# them back); what is left of a failed factorization; PyTorch's approximations that are off by 1e-7
# in double precision.
VALUES_NOT_COMPARED = re.compile("|".join((
    r"aten\._?(linalg_)?(svd|eigh?|eigvals)\b", r"cholesky_ex",
    r"bessel|airy|polygamma|polynomial_\w\.x_scalar")))
# Dtypes are not compared: exported programs state others than PyTorch's kernels give.
DTYPES_NOT_COMPARED = re.compile(r"_native_batch_norm_legit_functional|_batch_norm_with_update")


def is_refused_by_kernel(op, error):
    """Whether PyTorch raised for want of a kernel or for its layout, rather than for what was asked."""
    message = str(error)
    if isinstance(error, NotImplementedError) or any(text in message for text in MISSING_KERNELS):
        return True
    return "view size is not compatible" in message and "view" not in op


def is_comparable(op, outputs):
    """False for calls that PyTorch's kernels get wrong."""
    # Antialiased images one pixel wide: every row is the first one.
    if "_aa" in op and "backward" not in op and outputs and outputs[0].shape[-1] == 1:
        return False
    # The diagonal of a factor is real; of another PyTorch's library takes the real part, half of
    # the time.
    return not (op.startswith("aten.cholesky_inverse") and outputs[0].is_complex())


def says_nothing(op, reason):
    """Whether a difference of this kind is none."""
    if VALUES_NOT_COMPARED.search(op) and "elements differ" in reason:
        return True
    return bool(DTYPES_NOT_COMPARED.search(op)) and "dtype is" in reason

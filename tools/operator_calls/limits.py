"""Where PyTorch's own results say nothing, and why: calls that are left out or compared in part."""

import math
import re

# PyTorch's messages for combinations that its own kernels lack; running them is not an error.
MISSING_KERNELS = (
    "not implemented for", "not supported", "NYI", "only supports", "unsupported", "INTERNAL ASSERT",
    "Could not run", "expected scalar type", "must be floating", "Unsupported dtype",
    "Expected a value of type", "xpected contiguous", "be contiguous", "must be contiguous",
    "self.stride(-1) must be 1", "Can't detach views", "could not create a primitive",
    "could not construct a memory descriptor", "itensor_view_from_dense",
    "required keyword-only argument", "is not implemented on the CPU", "Found no NVIDIA driver")

# PyTorch's messages about data. Litz checks data when an element of a result reads it, so not
# if there are no results.
UNREAD_DATA = (
    "index out of range in self", "Expected idx >= 0", "not in the valid range", "out of DATA bounds",
    "along axis to sum to", "min(): Expected reduction dim",
    "`zero_point` must be between `quant_min` and `quant_max`")

# Calls that Litz refuses although PyTorch's kernels accept them: operators, and their messages.
REFUSED_HERE = (
    # Numbers that are not a mode, and ranges that end before they begin.
    (r"\w*loss\w*|binary_cross_entropy\w*|kl_div", "the reduction of a loss is 0"),
    # Numbers that are none, and imaginary distances.
    (r"\w*upsample\w*", "resampling takes factors of 2\\^-31 or more, got nan"),
    (r"cross_entropy_loss", "label_smoothing must be between 0 and 1: nan"),
    (r"gradient", "spacing must be a real number"),
    (r"contiguous", "preserve_format says nothing"),
    (r"cross_entropy_loss", "with probabilities ignores no class"),
    (r"grid_sampler\w*|_?embedding_bag\w*", r"modes (are )?0, 1 and 2"),
    (r"_fft_(c2c|c2r|r2c)", "the normalization of a transform"),
    # PyTorch reads behind the targets.
    (r"_ctc_loss_backward", "a target must be as long as its length says"),
    (r"_?[cp]dist(_forward)?", "order of a distance"),
    (r"_?fused_moving_avg_obs\w*", "the range of integers has more than one"),
    (r"smooth_l1_loss\w*|huber_loss\w*", "(beta of a smooth|delta of a Huber) loss"),
    (r"conv_tbc", "the padding of a convolution"),
    (r"conv_transpose\dd", "the window of a convolution must fit"),  # Results of negative sizes.
    (r"convolution(_backward)?", "stride and dilation of a convolution must be positive"),
    (r"max_pool3d_with_indices_backward", "the (padding|windows) of pooling"),
    # PyTorch counts the classes in the data, and infers a size that is not stated.
    (r"one_hot", "the number of classes must be given"),
    (r"masked_scatter_backward", "sizes must not be negative|expand"),
    (r"_[cp]dist_backward", "p is not negative"),
    (r"_ctc_loss_backward", "the blank must be a class"),
    # Operands whose sizes do not fit each other: PyTorch's kernels read beyond them, or a part.
    (r"convolution_backward", "the gradient has the|weight of a transposed convolution must not be"),
    (r"(native_)?(batch|layer|group)_norm_backward",
     "the gradient of a normalization|a parameter must have one element"),
    (r"\w*batch_norm\w*|instance_norm",
     "a parameter must have one element|takes no statistics of its input needs running"),
    (r"native_group_norm(_backward)?",  # Of N or HxW 0 nothing is written.
     r"needs N \* C \* HxW elements|divisible by the number of groups"),
    (r"_weight_norm(_interface(_backward)?)?", "weight norm C[234]|shapes cannot be broadcast"),
    (r"_scaled_dot_product_flash_attention_for_cpu(_backward)?", "attention C[1-5]"),
    (r"_scaled_dot_product_\w*", "with dropout"),
    (r"_scaled_dot_product_flash_attention_for_cpu", "a mask or is_causal, not both"),
    (r"scaled_dot_product_attention",
     "query and key must agree|must have one length|shapes cannot be broadcast"),
    (r"_transformer_encoder_layer_fwd", "normalized_shape must equal|sizes|shape|attention C1"),
    (r"_masked_softmax", "masked softmax C2"), (r"_weight_int4pack_mm\w*", "int4 weights C2"),
    (r"binary_cross_entropy", "targets have the sizes of the scores"),
    (r"bincount", "one weight per element"),
    (r"_(log_)?softmax_backward_data", "the gradient of a softmax"),
    (r"_?adaptive_\w*pool\dd_backward|(fractional_)?max_pool\dd(_with_indices)?_backward|"
     r"avg_pool\dd_backward|max_unpool\w*|_?upsample\w*_backward|\w*pad\dd_backward",
     "the gradient (of|has)|a gradient per|the sizes of|an index must lie in its dimension|"
     "padding C2|every element of a gradient has a position"),
    (r"grid_sampler_\dd_backward|_grid_sampler_2d_cpu_fallback_backward", r"grid sampling C\d: "),
    (r"_[cp]dist_backward", r"distances C\d: "), (r"cdist", "must have one length"),
    (r"_ctc_loss_backward",
     r"_ctc_loss(_backward)? C\d: |one behind another|a target must name a class|"
     "log_alpha must have a place|takes one row|must be as long as its length says"),
    (r"ctc_loss|_ctc_loss", "targets one behind another|a target must name a class"),
    (r"\w*margin_loss(_backward)?|nll_loss\w*", "a target must name a class|targets one behind"),
    (r"\w*loss\d?d?_backward|binary_cross_entropy\w*",
     "a loss must have one gradient|the gradient|a gradient per|has (a target|weights)|"
     "the total weight of a loss|there must be one weight|"
     "an index must lie in its dimension"),
    (r"embedding_dense_backward|embedding_backward",
     "one (gradient|row) per|an index must lie in its dimension"),
    (r"_embedding_bag(_dense)?_backward",
     r"bags C\d: |must not be larger|an index must lie in its dimension"),
    (r"_?embedding_bag(_forward_only)?", "an index must lie in its dimension"),
    (r"index_add_?|index_select_backward", "an index must lie in its dimension"),
    (r"slice_backward|select_backward|diagonal_backward",
     "src must have the (sizes|rank)|shapes cannot be broadcast|one slice of the input per index|the gradient"),
    (r"unfold_backward", r"unfold_backward C\d: "),
    # Of tensors of more dimensions, a part is written.
    (r"_adaptive_avg_pool\dd_backward", "pooling takes a tensor with channels"),
    (r"value_selecting_reduction_backward", "must have one rank|must have a place|must be|larger"),
    (r"_trilinear", "shapes cannot be broadcast|the last operand with a dimension must have|must have one rank"),
    (r"_thnn_\w*_backward|_fused_rms_norm_backward|glu_backward|prelu\w*backward|logit_backward|"
     r"rrelu\w*backward|\w*quantize\w*_backward\w*|gru_cell\w*|lstm_cell\w*|"
     r"_masked_softmax_backward|native_dropout_backward",
     r"C\d: |the gradient|a gradient per|must be|the sizes of|takes one row"),
    (r"pad_sequence", "tensors must have equal sizes|must have one rank"),
    (r"gradient", "gradient C2: there must be a place per element"),
    (r"repeat_interleave", "repeats must add up"),
    # One number with other dimensions than none.
    (r"\w*fake_quantize\w*", "fake quantization C3: one scale and zero point, or"),
    (r"(nll|cross_entropy)_loss\w*", r"one target for every position of the scores: \w+\[\d+\] \w+\[1\]$"),
    # Lists of another length than the schema states, and dimensions that are shifted twice.
    (r"\w+_backward", r"an argument must fit its schema: .* takes int\[\]"),
    (r"_pad_circular", "pad takes two entries per padded dimension"),
    (r"_fft_c2r|fft_i?fftshift", "dimensions must be distinct"),
    # The number of parts depends on data.
    (r"tensor_split", "the number of parts must not depend on data"),
    # Not supported: row numbers that are bool or of 8 bits, observed halves, complex logcumsumexp.
    (r"_?embedding_bag\w*", "bags (need|C3)|must be i32 or i64"),
    (r"_?fused_moving_avg_obs\w*", "(observed )?fake quantization C[156]"),
    (r"logcumsumexp\w*", "needs a floating"),
    # Not supported: degrees of 1024 and more.
    (r"special_(laguerre_polynomial_l|legendre_polynomial_p)",
     "the degree of a polynomial"),
    # Empty windows, images, transforms and repeats, and sizes without elements.
    (r"conv\dd|conv_tbc|_?convolution\w*", "(window|image) of a convolution must not be empty"),
    (r"\w*pool\w*|\w*pad\w*", "empty in its batch only"),
    (r"_?adaptive_avg_pool\dd", "sizes must not be negative"),
    (r"\w*upsample\w*|interpolate|grid_sampler\w*", "spatial sizes above 0"),
    (r"_fft_c2r", "half its points"),
    (r"\w*_window", "windows are of floating dtypes"),  # One sample is 1 in any dtype.
    (r"stft", "stft with align_to_window is not available"),
    (r"linalg__powsum|_foreach_powsum", "the dtype of a norm is complex where its elements are"),
    (r"expand\w*|new_empty_strided|empty_strided|as_strided\w*|_reshape_alias", "sizes (and strides )?must not be negative"),
    (r"_unsafe_(masked_)?index\w*|index\w*", "out of bounds for an empty dimension"),
    (r"linalg_cond", "select"),
    (r"\w+", "shape expression out of range: (division|modulus) by zero"),
    # Halves, integers and complex numbers where other types are required: PyTorch accepts some only
    # because there are no elements.
    (r"\w*linalg\w*|cholesky\w*|inverse|det|logdet|slogdet|svd|qr|geqrf|lu_\w+|_lu\w*|pinverse|"
     r"triangular_solve|orgqr|ormqr|matrix_exp|nuclear_norm",
     r"linear algebra needs .* (b?f16|[iu]\d+|bool)$"),
    (r"_pdist_forward|pdist", "pdist takes a floating"),
    (r"(native_)?group_norm", "normalizations are for floating dtypes only"),
    (r"\w*loss|binary_cross_entropy\w*", "this loss takes real numbers"),
    (r"ctc_loss", r"ctc_loss takes class numbers.* c\d+"),
    # Two dtypes where PyTorch's own differ by the algorithm that it chooses.
    (r"linear", r"must have one dtype: .* bias \w+\["),
    (r"conv\w*|_?convolution\w*", "of a convolution (must )?have one dtype"),
    (r"_native_multi_head_attention", "the projections must have the width"),
    (r"_native_multi_head_attention|_transformer_encoder_layer_fwd", "operands must have one dtype"),
    (r"_scaled_dot_product_attention_math", r"attention C1: .* ([iu]\d+|bool)\["),
    (r"linalg_solve_triangular", "both operands must have one dtype"),
    (r"linalg_ldl_solve", "each matrix must have a vector of its own"),
    (r"convolution_backward", "needs floating numbers"),
    (r"\w*loss_backward", "floating dtypes only"), (r"\w*loss", "this loss is for floating"),
    (r"soft_margin_loss\w*", "soft margins are for floating"),
    (r"multi\w*margin_loss\w*", "margins take scores in"),
    (r"native_(layer|group)_norm_backward", "a gradient of the input's floating dtype"),
    (r"_weight_norm_interface", r"weight norm C1.* c\d+"),
    (r"searchsorted", "complex numbers have no order"),
    (r"_?histogram\w*", "histogram C[14]|histogramdd C6"),
    (r"affine_grid_generator\w*", "an affine grid needs"),
    (r"_?adaptive_avg_pool\dd", "adaptive mean needs a floating"),
    (r"\w*norm\w*|\w*cell\w*", "one floating dtype: u8"),
    (r"embedding_renorm_?|renorm", "renorm needs a floating matrix"),
    (r"_(log_)?softmax", "softmax needs a floating"),
    (r"stft|fft_\w+", "a real transform takes"),
    (r"cum(sum|prod)_", "an in-place result must be castable"),
    # Writes to elements that share memory, in another shape, or by broadcasting; reads beyond the
    # elements.
    (r"\w+", "addresses elements more than once"),
    (r"addbmm_", "an in-place result must have the shape"),
    (r"as_strided\w*|_reshape_alias\w*|alias\w*|copy_strided", "inside (of )?its (storage|tensor)|leaves its storage"),
    # PyTorch does not look at the dtype where the result has no elements.
    (r"fractional_max_pool\dd", "needs a floating tensor"),
    (r"as_strided_scatter", "elements of src must not share places"),
    (r"resize_as_|resize_", "resizing in place is only supported"),
)
REFUSED_HERE = [(re.compile(rf"(aten|prims|torchvision|quantized_decomposed)\.({operators})(\.\w+)?"),
                 re.compile(reasons)) for operators, reasons in REFUSED_HERE]

# Results contain uninitialised memory.
UNINITIALISED = (
    "aten.resize", "aten.resize_", "aten.new_empty", "aten.new_empty_strided", "aten.empty_like",
    "prims.copy_strided", "aten._grouped_mm")

# Conditions of a program, which are checked when it is imported.
CHECKED_ON_IMPORT = ("aten._assert_tensor_metadata",)

# Errors of PyTorch that follow from data which Litz converts like any other.
CONVERTED_DATA = re.compile(r"aten\.(lin|log)space\.\w*Tensor\w*")

# Strides are not compared: results that PyTorch gives as views of an operand, or with its gaps, are new
# and dense here; those of convolutions depend on the library that PyTorch chooses by sizes and
# threads, those of products and transforms on the order of its steps.
STRIDES_NOT_COMPARED = re.compile(
    r"aten\.(_conj|conj|conj_physical|adjoint|mH|matrix_H|lift|_cast_\w+|_neg_view|\w*conv\w*"
    r"|einsum|stft|fft_\w+|\w+_scatter)\b")

# No infinities and no magnitudes that overflow: their results depend on the blocks in which
# PyTorch's libraries add (transforms, factorizations, products with padding, statistics, attention's
# blocks of keys, differences of neighbours). Here, antialiased images are products with matrices.
FINITE_ONLY = re.compile("|".join((
    r"fft|stft", r"conv|addb?mm|baddbmm|cdist|_trilinear", r"attention|transformer",
    r"(hard(tanh|swish)|shrink)_backward",  # NaN: PyTorch's vectors and remainders differ.
    r"linalg_|cholesky|svd|slogdet|logdet|det\b|inverse|lu_|_lu|qr|eig|lstsq|triangular_solve",
    r"logspace",  # Phases of huge complex exponents.
    r"matrix_exp|matrix_power|nuclear_norm", r"var|std|norm|cov|corrcoef|renorm|histogram|histc",
    r"trapz|trapezoid",  # Sums of steps of both signs.
    r"chebyshev|hermite|laguerre|legendre", r"upsample\w*_aa|grid_sampler\w*_backward")))

# Strides stay unchanged: PyTorch's kernels read some arguments as if they had no gaps, and write to
# equal positions in memory order.
DENSE_ONLY = re.compile(
    r"embedding_bag|_weight_norm|native_batch_norm_backward|ctc_loss|max_unpool|fill_diagonal|_masked_softmax"
    r"|flash_attention_for_cpu_backward|fractional_max_pool3d_backward")
# Matrices of equal elements are singular: what is left after the first pivot is rounding.
MATRICES = r"linalg|matrix_power|cholesky|inverse|triangular_solve|\.(slog|log)?det\b|geqrf|\.qr|\._?lu_"
NO_EQUALS = re.compile(MATRICES)
# No extremes of wide integers: the cosine of such a multiple of an angle has no correct digit in f32.
NO_EXTREMES = re.compile(r"chebyshev")
# No elements that share memory: singular matrices, deviations of equals, copies into a copy of self.
NO_OVERLAP = re.compile(MATRICES + r"|\.(std|var)|aten\.(_foreach_)?copy")

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
    r"(_native_batch_norm_legit_functional|_batch_norm_with_update|native_dropout_backward).*dtype is"
    r"|batch_norm_legit_no_training output [12]: dtype is")


def is_spoiled(op, arguments):
    """True if PyTorch's kernel computes a call wrongly for any values, or nobody in a minute."""
    values = [value for _, value in arguments]
    lists = [value for value in values if isinstance(value, list)]
    # Transforms read memory outside of the sizes for negative dimensions.
    if op.startswith("aten._fft_"):
        sizes = values[0].sizes
        if any(not 0 <= entry < len(sizes) for entry in lists[0]):
            return True
        # Real results of more than half the points are computed in memory that is not theirs.
        last = values[3] if op.startswith("aten._fft_c2r") else None
        return last is not None and sizes[lists[0][-1]] != last // 2 + 1
    named = dict(arguments)
    # The mean of no margins is memory that nobody wrote.
    if "multilabel_margin_loss" in op and 0 in values[0].sizes:
        return True
    # Scores of vectors without elements are memory that nobody wrote.
    if "_flash_attention_for_cpu" in op and values[0].sizes[-1:] == [0]:
        return True
    # The sizes of a mask without elements are not checked, and its places are read.
    mask = named.get("attn_mask")
    if "_flash_attention_for_cpu" in op and mask is not None and 0 in mask.sizes:
        return True
    # Rows that are not a multiple of 16 long are read beyond their end.
    if op == "aten._weight_int8pack_mm" and sum(values[0].sizes[-1:]) % 16 != 0:
        return True
    # The interpreter would take minutes.
    if "conv_transpose" in op and math.prod(values[0].sizes) * math.prod(values[1].sizes) > 1 << 28:
        return True
    # The infinities of a causal mask are scaled together with the scores.
    if "attention" in op and isinstance(named.get("scale"), float):
        return not 0 < named["scale"] < math.inf
    # By the library, infinities multiply parts of a product or its whole.
    if re.search(r"add\w*m[mv]", op) and math.inf in [abs(v) for v in values if isinstance(v, float)]:
        return True
    # It takes no number: one becomes a tensor, which counts as much as another without dimensions.
    if op == "aten.rsub.Tensor" and not hasattr(values[1], "sizes") and not values[0].sizes:
        return True
    # Products are of the target's dtype, the result of self's.
    if op == "aten.soft_margin_loss_backward" and values[1].dtype != values[2].dtype:
        return True
    # Complex slopes over no distance are NaN inside, and infinite at the edges.
    return op.startswith("aten.gradient") and named.get("spacing") in (0, [0], [0, 0])


def is_refused_here(op, reason):
    """True if a call is refused on purpose."""
    return any(operators.fullmatch(op) and reasons.search(reason)
               for operators, reasons in REFUSED_HERE)


def is_refused_by_kernel(op, error, inputs):
    """True if PyTorch raised because a kernel or layout is missing, not because the call is wrong."""
    message = str(error)
    is_empty = any(tensor.numel() == 0 for tensor in inputs)
    if is_empty and any(text in message for text in UNREAD_DATA):
        return True
    if is_missing_kernel(error):
        return True
    if CONVERTED_DATA.match(op) and "without overflow" in message:
        return True
    return "view size is not compatible" in message and "view" not in op


def has_no_value(op):
    """True if results are memory as it was, there are none, or they need a group of processes."""
    return op in UNINITIALISED or op in CHECKED_ON_IMPORT or op.startswith("_c10d_functional")


def is_missing_kernel(error):
    """True if PyTorch says that it has no kernel for dtypes or layouts."""
    message = str(error)
    return isinstance(error, NotImplementedError) or any(
        text in message for text in MISSING_KERNELS)


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
    return bool(DTYPES_NOT_COMPARED.search(line))

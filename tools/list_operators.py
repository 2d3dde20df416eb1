#!/usr/bin/env python3
"""Lists the ATen operators that exported programs may hold and Litz lacks.

    PYTHON tools/list_operators.py --litz build/release/bin/litz [--excluded] [--core]

PYTHON needs PyTorch; nothing else in the project does. Exports before decomposition keep every
overload that a program calls, in-place and `out` forms too, so the list starts from PyTorch's own
schemas. What no export for inference can hold is left out by the rules below, with a reason each.
Exit status 1 when an operator is missing.
"""

import argparse
import re
import subprocess
import sys

import torch

# (reason, pattern over "name.overload"); the first that matches counts.
RULES = [
    ("gradients: programs for inference have none",
     r".*(backward|_jvp).*|.*_grad\b.*|(_make_dual|_unpack_dual|_fw_primal|_backward|retain_grad)\w*"
     r"|(output_nr|is_leaf|get_gradients|data|set_data|requires_grad_|_version|record_stream)\b"),
    ("sparse tensors",
     r".*(sparse|_coo|_csr|_csc|_bsr|_bsc|coalesce|_nnz|crow_|ccol_|row_indices|col_indices"
     r"|_spdiags|native_norm|sspaddmm|hspmm|_dimI|_dimV|_spsolve|smm\b|to_dense|dense_dim|_cslt).*"
     r"|(values|indices|_values|_indices|is_coalesced)(_copy)?\b.*"),
    ("nested tensors", r".*(nested|jagged|_offsets|to_padded_tensor|_transform_bias_rescale_qkv).*"),
    ("one device's library",
     r".*(cudnn|miopen|mkldnn|_mps|mps_|nnpack|xnnpack|vulkan|mkl_|metal|fbgemm|_cufft|_thnn_fused"
     r"|_triton|_efficient_attention|_flash_attention_forward|flash_attention\b|_efficient_attention"
     r"|fused_attention_overrideable|_scaled_mm|_scaled_grouped_mm|_scaled_addmm|_mixed_dtypes"
     r"|_wrapped_linear|_wrapped_quantized|_saturate_weight|_rowwise_prune|batch_norm_(elemt|stats"
     r"|gather_stats|update_stats)|_propagate_xla|_philox|_fused_dropout|convolution_overrideable"
     r"|lstm_mps|_grid_sampler_2d_cpu_fallback|_fused_sdp_choice|_pin_memory|pin_memory"
     r"|is_pinned|_upsample_lanczos).*|(mm|bmm|addmm|baddbmm)\.dtype(_out)?"),
    ("quantised tensors of the older kind",
     r".*(quantize|qscheme|q_scale|q_zero|q_per|int_repr|qint|fake_quant|_choose_qparams"
     r"|choose_qparams|fused_moving|_weight_int|dyn_quant|int4pack|int8pack|_scaled_mm).*"),
    ("complex32", r"chalf"),
    ("optimisers and loss scaling", r"_(fused_(ada|sgd)|amp_)\w*.*"),
    ("values on the host, decided while exporting",
     r"(is_|equal|allclose|_has_|_is_zerotensor|_debug_|dim\b|get_device|qscheme|storage_offset"
     r"|result_type|can_cast|promote_types|__is_|sym_is|_test_check).*"),
    ("cannot be exported: sizes or host values from data without a fake kernel",
     r"(linalg_lstsq|cov|corrcoef|_ctc_loss|_pad_packed_sequence|_pack_padded_sequence"
     r"|(gru|lstm|rnn_tanh|rnn_relu)\.data|_reshape_from_tensor|_sample_dirichlet|from_file"
     r"|_sobol_\w+|_nested\w*|special_modified_bessel_k_grad|narrow_copy\.SymInt_out)\b.*"),
    ("for PyTorch's own tests", r"_test_\w*.*|_foobar.*"),
    ("inner part of another operator, which exports keep whole",
     r"(_batch_norm_impl_index|_batch_norm_no_update|_convolution\.deprecated|_convolution_mode"
     r"|_conv_depthwise2d|conv_depthwise3d|_slow_conv2d_forward|slow_conv\w*|thnn_conv2d"
     r"|_cholesky_solve_helper|_compute_linear_combination|_cummax_helper|_cummin_helper"
     r"|_logcumsumexp|_linalg_eigvals|_efficientzerotensor|_neg_view|_conj_copy|_copy_from"
     r"|_resize_output|_pad_enum|_euclidean_dist|_masked_scale|_lazy_clone|_reshape_alias_copy"
     r"|_reshape_copy|_new_zeros_with|slice_inverse|_mps|_make_dep_token|_functional_assert"
     r"|_functional_sym|_autocast_to|_cast_|flatten_dense|unflatten_dense|_standard_gamma\b"
     r"|_unsafe_masked|lift\b|_has_same_storage|resize_as\b|_add_batch_dim|_remove_batch_dim"
     r"|_fill_mem_eff|_scaled_dot_product_attention_math_for|_to_cpu|_conj_physical|_dirichlet"
     r"|hash_tensor|glu_jvp|_add_relu|_values_copy|_indices_copy|_fw_primal_copy|_shape_as_tensor"
     r"\.out)\w*.*"),
    ("storages replaced under a tensor", r"(set|set_|shallow_copy_data_)\b.*"),
    ("a generator of the user's", r".*generator.*"),
]


def operators():
    """Schemas of operators that the dispatcher can call, by name: "add.Tensor"."""
    callable_ones = set(torch._C._dispatch_get_all_op_names())
    result = {}
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
        if schema.name.startswith("aten::") and name in callable_ones:
            result[name[len("aten::"):]] = schema
    return result


def reason_to_leave_out(name, schema):
    """Returns why no exported program contains the operator; None if one may."""
    text = str(schema)
    types = [str(argument.type) for argument in schema.arguments]
    if "Tensor" not in text:
        return "no tensors"
    if "Dimname" in text or "dimname" in name or "names" in name:
        return "dimensions with names"
    if any("Storage" in kind or "Stream" in kind for kind in types):
        return "storages replaced under a tensor"
    if any(argument.is_out for argument in schema.arguments) and not python_gives_out(name):
        return "an `out` form that Python cannot call"
    for reason, pattern in RULES:
        if re.fullmatch(pattern, name):
            return reason
    return None


def python_gives_out(name):
    """Whether a function of torch by that name takes out=."""
    base = name.split(".")[0]
    places = [(torch, base)]
    for prefix, place in (("linalg_", torch.linalg), ("special_", torch.special), ("fft_", torch.fft)):
        if base.startswith(prefix):
            places.append((place, base[len(prefix):]))
    for place, function in places:
        if "out=" in (getattr(getattr(place, function, None), "__doc__", None) or ""):
            return True
    return False


def is_core(name):
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
    return operator is not None and torch.Tag.core in operator.tags


def unknown_to(litz, names):
    command = [litz, "doctor", "--unknown"] + ["aten." + name for name in names]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line[len("aten."):] for line in output.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--litz", default="build/release/bin/litz")
    parser.add_argument("--excluded", action="store_true", help="print what is left out, and why")
    parser.add_argument("--core", action="store_true", help="only operators with the core tag")
    options = parser.parse_args()

    wanted = []
    left_out = {}
    for name, schema in sorted(operators().items()):
        if options.core and not is_core(name):
            continue
        reason = reason_to_leave_out(name, schema)
        if reason is None:
            wanted.append(name)
        else:
            left_out.setdefault(reason, []).append(name)
    missing = unknown_to(options.litz, wanted)

    if options.excluded:
        for reason, names in sorted(left_out.items()):
            print(f"left out, {reason}:")
            print("  " + " ".join(names))
    for reason, names in sorted(left_out.items()):
        print(f"{len(names):5} left out: {reason}")
    print(f"{len(wanted):5} may stand in exported programs (PyTorch {torch.__version__})")
    print(f"{len(missing):5} missing")
    for name in missing:
        print(f"  aten.{name}" + (" (core)" if is_core(name) else ""))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

// The names and types of PyTorch's compiler options, as of version 2.15.

#include "passes/inductor_options.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace litz::passes {
namespace {

// Names in alphabetic order, separated by spaces.
constexpr std::string_view kFlags =
    "_collective.auto_select _fuse_ddp_communication _micro_pipeline_tp "
    "_raise_error_for_testing _use_fp64_for_unbacked_floats aggressive_fusion "
    "align_random_eager alignment_asserts alignment_asserts_inputs allow_buffer_reuse "
    "always_keep_tensor_constants annotate_training aot_inductor.allow_stack_allocation "
    "aot_inductor.autotune_per_kernel_alloc aot_inductor.check_lowerbound "
    "aot_inductor.check_upperbound aot_inductor.debug_compile aot_inductor.debug_symbols "
    "aot_inductor.dump_aoti_minifier aot_inductor.dynamic_linkage "
    "aot_inductor.enable_frame_pointer aot_inductor.enable_line_tables aot_inductor.enable_lto "
    "aot_inductor.force_mmap_weights aot_inductor.link_libtorch aot_inductor.package "
    "aot_inductor.package_constants_in_so aot_inductor.precompile_headers "
    "aot_inductor.raise_error_on_ignored_optimization aot_inductor.use_consts_asm_build "
    "aot_inductor.use_minimal_arrayref_interface aot_inductor.use_runtime_constant_folding "
    "aot_inductor.weight_use_caching_allocator aot_inductor_mode.compile_standalone "
    "apply_gumbel_max_trick assert_indirect_indexing assume_32bit_indexing "
    "assume_aligned_inputs assume_unaligned_fallback_output "
    "aten_distributed_optimizations.allow_comms_decompositions "
    "aten_distributed_optimizations.bucket_only_internode_comms "
    "aten_distributed_optimizations.enable_fusion_regions "
    "aten_distributed_optimizations.enable_low_contention_collectives "
    "aten_distributed_optimizations.enable_overlap_scheduling "
    "aten_distributed_optimizations.enable_simple_overlap "
    "aten_distributed_optimizations.log_final_collectives_estimations "
    "aten_distributed_optimizations.low_contention_all_gather_ce_multicast "
    "aten_distributed_optimizations.low_contention_skip_overlap_check "
    "aten_distributed_optimizations.overlap_scheduling_autofix_cycles "
    "aten_distributed_optimizations.pre_bucketing_fsdp_collectives "
    "aten_distributed_optimizations.pre_bucketing_fsdp_collectives_verbose "
    "aten_distributed_optimizations.prioritize_bucketing_during_scheduling "
    "aten_distributed_optimizations.spmd_check auto_chunker.enable "
    "autoheuristic_collect.pad_mm autotune_cudagraph_benchmarking autotune_fallback_to_aten "
    "autotune_in_subproc autotune_local_cache autotune_multi_device b2b_gemm_pass batch_fusion "
    "batch_invariant benchmark_combo_kernel benchmark_epilogue_fusion benchmark_fusion "
    "benchmark_harness benchmark_kernel benchmark_template_fusion bmm_shared_a "
    "bw_outputs_user_visible cache_sdpa_constraint can_inplace_pad_graph_input "
    "check_stack_no_cycles_TESTING_ONLY combo_kernel_autotune_grouping "
    "combo_kernel_compile_time_autotune combo_kernel_foreach_dynamic_shapes "
    "combo_kernel_per_subkernel_blocks combo_kernels combo_kernels_pointwise_only "
    "comment_origin comprehensive_padding compute_all_bounds constant_and_index_propagation "
    "conv_1x1_as_mm coordinate_descent_check_all_directions coordinate_descent_tuning "
    "cpp.dynamic_threads cpp.enable_concat_linear cpp.enable_grouped_gemm_template "
    "cpp.enable_kernel_context_guard cpp.enable_kernel_profile cpp.enable_loop_tail_vec "
    "cpp.enable_tiling_heuristics cpp.enable_unsafe_math_opt_flag "
    "cpp.fallback_scatter_reduce_sum cpp.force_inline_kernel cpp.no_redundant_loops "
    "cpp.use_constexpr_for_int_array cpp.use_decompose_tanh cpp.use_small_dequant_buffer "
    "cpp.weight_prepack cpp_cache_precompile_headers cpp_wrapper cpp_wrapper_build_separate "
    "cuda.autotune_tunableop_dynamic_dims_wildcard cuda.binary_remote_cache_force_write "
    "cuda.cutlass_epilogue_fusion_enabled cuda.cutlass_hash_with_compile_cmd "
    "cuda.cutlass_prescreening cuda.cutlass_tma_only cuda.enable_caching_codegen "
    "cuda.enable_cuda_lto cuda.enable_debug_info cuda.enable_ptxas_info "
    "cuda.generate_test_runner cuda.upload_to_binary_remote_cache cuda.use_binary_remote_cache "
    "cuda.use_fast_math cutedsl_enable_autotuning cutlass.binary_remote_cache_force_write "
    "cutlass.cutlass_epilogue_fusion_enabled cutlass.cutlass_hash_with_compile_cmd "
    "cutlass.cutlass_prescreening cutlass.cutlass_tma_only cutlass.enable_caching_codegen "
    "cutlass.enable_debug_info cutlass.generate_test_runner "
    "cutlass.upload_to_binary_remote_cache cutlass.use_binary_remote_cache "
    "cutlass.use_fast_math dce debug debug_fusion debug_index_asserts debug_ir_traceback "
    "decompose_mem_bound_mm decompose_shard_dim_alltoall dedup_reduce_scatters "
    "delay_realize_cheap_outputs deterministic developer_warnings disable_cpp_codegen "
    "disable_padding_cpu disable_progress distributed_max_autotune_gemm "
    "do_not_emit_runtime_assertions dynamic_scale_rblock eager_numerics.disable_ftz "
    "eager_numerics.division_rounding eager_numerics.use_pytorch_libdevice "
    "efficient_conv_bn_eval_fx_passes emulate_precision_casts "
    "emulate_precision_casts_on_saved_tensors enable_auto_functionalized_v2 "
    "enable_autograd_for_aot enable_caching_generated_triton_templates "
    "enable_linear_binary_folding epilogue_fusion epilogue_fusion_first "
    "epilogue_fusion_user_defined_triton_kernel epilogue_fusion_with_atomic_add "
    "expand_dimension_for_pointwise_nodes fallback_by_default "
    "fallback_embedding_bag_byte_unpack fallback_random flydsl_enable_autotuning "
    "force_disable_caches force_disable_cudagraph_TESTING_ONLY force_fuse_int_mm_with_mul "
    "force_layout_optimization force_pointwise_cat force_shape_pad freezing "
    "freezing_discard_parameters fx_graph_cache fx_wrapper generate_intermediate_hooks "
    "graph_partition group_fusion halide.asserts halide.debug halide.scan_kernels "
    "implicit_fallbacks inplace_buffers inplace_padding is_nightly_or_source is_predispatch "
    "joint_graph_constant_folding keep_addmm_fused_for_half_dtypes keep_output_stride "
    "keep_static_cubin_raw layout_optimization log_tlparse lookup_table.check_src_hash "
    "loop_index_inversion_in_fusion loop_ordering_after_fusion loop_reindexing_after_fusion "
    "max_autotune max_autotune_allow_flexible_layouts max_autotune_gemm max_autotune_pointwise "
    "max_autotune_prune_choices_based_on_shared_mem max_autotune_report_choices_stats "
    "memory_planning mtia.disable_welford_reduction nan_asserts "
    "non_blocking_remote_cache_write nvgemm_supplement_configs nvgemm_swap_ab online_softmax "
    "optimize_scatter_upon_const_tensor pad_channels_last pad_dynamic_shapes pad_outputs "
    "partitioned_scatter_enabled partitioned_scatter_force pattern_matcher permute_fusion "
    "pick_loop_orders pipeline_max_autotune_gemm profile_bandwidth "
    "profile_bandwidth_with_do_bench_using_profiling profiler_mark_wrapper_call "
    "prologue_fusion quiesce_async_compile_pool remote_gemm_autotune_cache "
    "reorder_for_compute_comm_overlap reorder_for_locality reorder_for_locality_in_training "
    "reorder_for_peak_memory reorder_for_peak_memory_debug rocm.flush_denormals "
    "rocm.generate_test_runner rocm.is_debug rocm.origami rocm.print_kernel_resource_usage "
    "rocm.save_temps rocm.use_fast_math rocm.use_preselected_instances "
    "run_jit_post_compile_hook runtime_estimations_mms_benchmark runtime_triton_nan_asserts "
    "save_args scalar_asserts search_autotune_cache selective_decompose shape_padding "
    "size_asserts split_cat_fx_passes split_reductions "
    "static_launch_user_defined_triton_kernels static_weight_shapes strict_output_strides "
    "strict_signed_zero strict_static_cuda_launcher strict_static_triton_launcher "
    "test_configs.assume_bucketing_reduces_latency "
    "test_configs.bisect_keep_custom_backend_for_inductor test_configs.bisect_pre_grad_graph "
    "test_configs.force_extern_kernel_in_multi_template "
    "test_configs.force_filter_reduction_configs test_configs.force_no_impl_grouping "
    "test_configs.graphsafe_rng_func_ignores_fallback_random "
    "test_configs.runtime_triton_dtype_assert test_configs.runtime_triton_shape_assert "
    "test_configs.static_cpp_dtype_assert test_configs.use_libtorch trace.compile_profile "
    "trace.debug_log trace.draw_orig_fx_graph trace.enabled trace.fx_graph "
    "trace.fx_graph_transformed trace.graph_diagram trace.info_log trace.ir_post_fusion "
    "trace.ir_pre_fusion trace.log_autotuning_results trace.output_code "
    "trace.provenance_tracking_to_timeline trace.save_real_tensors triton.autotune_cublasLt "
    "triton.autotune_pointwise triton.autotune_with_sample_inputs "
    "triton.coalesce_tiling_analysis triton.codegen_upcast_to_fp32 "
    "triton.cooperative_reductions triton.cudagraph_or_error "
    "triton.cudagraph_skip_dynamic_graphs triton.cudagraph_support_input_mutation "
    "triton.cudagraph_trees triton.cudagraph_trees_history_recording "
    "triton.cudagraph_trees_objgraph triton.cudagraphs triton.debug_sync_graph "
    "triton.debug_sync_kernel triton.decompose_sort_ops triton.dense_indexing "
    "triton.disallow_failing_autotune_kernels_TESTING_ONLY triton.divisible_by_16 "
    "triton.dynamic_disable_pipelining triton.emit_pointer_range_32 triton.enable_flex_tdm "
    "triton.enable_host_side_tma triton.enable_pdl triton.enable_persistent_tma_matmul "
    "triton.enable_template_autows triton.enable_template_tma_store "
    "triton.enable_tma_load_for_template_epilogue triton.fast_path_cudagraph_asserts "
    "triton.force_cooperative_reductions triton.force_cudagraph_sync "
    "triton.force_cudagraphs_warmup triton.mix_order_reduction "
    "triton.mix_order_reduction_allow_multi_stages "
    "triton.mix_order_reduction_autotune_split_size triton.mix_order_reduction_non_strict_mode "
    "triton.native_matmul triton.nested_reduction triton.persistent_reductions "
    "triton.prefer_nd_tiling triton.proton_group_by_sm triton.proton_per_cta_occupancy "
    "triton.proton_profiling triton.proton_split_invocations "
    "triton.reorder_for_reducing_graph_partitions triton.scalar_accumulators "
    "triton.skip_cudagraph_warmup triton.skip_l1_cache triton.slow_path_cudagraph_asserts "
    "triton.store_cubin triton.tile_reductions triton.tiling_prevents_pointwise_fusion "
    "triton.tiling_prevents_reduction_fusion triton.transpose_discontiguous_tensor_descriptor "
    "triton.unique_kernel_names triton.unique_user_kernel_names triton.use_block_ptr "
    "triton.use_tensor_descriptor triton_disable_device_detection "
    "unsafe_ignore_unsupported_triton_autotune_args unsafe_skip_cache_dynamic_shape_guards "
    "unsafe_skip_scalar_range_asserts use_dce use_experimental_benchmarker use_fast_math "
    "use_fast_triton_launcher use_joint_graph_passes use_launch_metadata_schema use_mixed_mm "
    "use_post_grad_passes use_pre_grad_passes use_rand4x use_static_cuda_launcher "
    "use_static_triton_launcher use_torch_profiler_benchmarker var_std_reduction_dedup "
    "verbose_progress warn_mix_layout worker_suppress_logging wrap_inductor_compiled_regions "
    "write_are_deterministic_algorithms_enabled xpu.binary_remote_cache_force_write "
    "xpu.cutlass_epilogue_fusion_enabled xpu.cutlass_hash_with_compile_cmd "
    "xpu.cutlass_prescreening xpu.cutlass_tma_only xpu.enable_caching_codegen "
    "xpu.enable_debug_info xpu.generate_test_runner xpu.upload_to_binary_remote_cache "
    "xpu.use_binary_remote_cache xpu.use_fast_math";

constexpr std::string_view kOptionalFlags =
    "aot_inductor.embed_kernel_binary aot_inductor.emit_multi_arch_kernel "
    "aot_inductor.package_cpp_only aten_distributed_optimizations.bucket_exposed_first "
    "aten_distributed_optimizations.collective_bucketing "
    "aten_distributed_optimizations.insert_overlap_deps autotune_remote_cache "
    "bundle_triton_into_fx_graph_cache bundled_autotune_remote_cache cpp.vec_isa_ok "
    "fx_graph_remote_cache incremental_autotune test_configs.force_custom_op_decomposition "
    "triton.autotune_at_compile_time";

constexpr std::string_view kIntegers =
    "_collective.one_shot_all_reduce_threshold_bytes _fuse_ddp_bucket_size "
    "_realize_acc_reads_threshold_default _realize_opcount_threshold_default "
    "aot_inductor.repro_level aten_distributed_optimizations.low_contention_min_bytes_per_rank "
    "auto_chunker.amplify_ratio_threshold auto_chunker.output_size_threshold "
    "autotune_cudagraph_benchmarking_iters collective_benchmark_nruns "
    "combo_kernel_allow_mixed_sizes combo_kernel_max_distance combo_kernel_max_num_args "
    "combo_kernel_max_num_nodes combo_kernels_autotune compile_worker_wait_timeout "
    "compile_worker_watchdog_interval_seconds coordinate_descent_search_radius "
    "cpp.gemm_max_k_slices cpp.max_horizontal_fusion_size cpp.min_chunk_size cpp.threads "
    "cpp.use_two_step_variance_threshold cuda.cutlass_backend_min_gemm_size "
    "cutlass.cutlass_backend_min_gemm_size file_lock_timeout inductor_default_autotune_rep "
    "inductor_default_autotune_warmup kernel_name_max_ops max_complex_pointwise_cat_inputs "
    "max_epilogue_benchmarked_choices max_fusion_buffer_group_pairwise_attempts "
    "max_fusion_size max_pointwise_cat_inputs max_template_fusion_benchmarked_choices "
    "min_num_split padding_alignment_bytes padding_stride_threshold "
    "partitioned_scatter_max_partitions partitioned_scatter_min_index_size "
    "partitioned_scatter_min_partitions partitioned_scatter_non_model_floor_bytes "
    "precompilation_timeout_seconds quiesce_async_compile_time realize_cpu_acc_reads_threshold "
    "realize_cpu_opcount_threshold realize_opusers_threshold realize_reads_threshold "
    "rocm.contiguous_threshold rocm.origami_topk rocm.split_k_threshold "
    "score_fusion_memory_threshold size_threshold_for_succ_based_strategy "
    "small_memory_access_threshold trace.provenance_tracking_level "
    "trace.provenance_tracking_max_events triton.cudagraph_managed_input_rerecord_limit "
    "triton.cudagraph_min_partition_size triton.cudagraph_unexpected_rerecord_limit "
    "triton.decompose_k_threshold triton.max_kernel_dump_occurrences "
    "triton.min_split_scan_rblock triton.mix_order_reduction_initial_xblock "
    "triton.mix_order_reduction_max_reads triton.num_decompose_k_splits triton.spill_threshold "
    "triton.use_two_step_variance_min_numel triton.use_two_step_variance_threshold "
    "unbacked_symint_fallback unroll_reductions_threshold xpu.cutlass_backend_min_gemm_size";

constexpr std::string_view kOptionalIntegers =
    "aten_distributed_optimizations.max_coll_distance "
    "aten_distributed_optimizations.max_compute_pre_fetch auto_chunker.num_chunk "
    "autotune_num_choices_displayed compile_threads cpp.simdlen "
    "cutlass.cutlass_max_profiling_configs inter_node_bw intra_node_bw "
    "max_fusion_unique_io_buffers nvgemm_max_profiling_configs "
    "realize_acc_reads_size_threshold realize_acc_reads_threshold realize_opcount_threshold "
    "reorder_prefetch_limit rocm.ck_max_profiling_configs rocm.ck_tile_max_profiling_configs "
    "rocm.n_max_profiling_configs sleep_sec_TESTING_ONLY test_configs.max_flex_configs "
    "test_configs.max_mm_configs triton.cudagraph_dynamic_shape_rerecord_limit "
    "triton.cudagraph_dynamic_shape_warn_limit triton.max_tiles "
    "triton.mix_order_reduction_split_size";

constexpr std::string_view kReals =
    "aot_inductor.autotune_offload_constants_min_device_fraction "
    "aten_distributed_optimizations.pre_bucketing_fsdp_collectives_max_bucket_cap_mb "
    "aten_distributed_optimizations.pre_bucketing_fsdp_collectives_min_bucket_cap_mb "
    "aten_distributed_optimizations.pre_bucketing_fsdp_collectives_saturation_calibration_"
    "multiplier "
    "collective_benchmark_timeout cpu_gpu_bw max_autotune_subproc_graceful_timeout_seconds "
    "max_autotune_subproc_result_timeout_seconds "
    "max_autotune_subproc_terminate_timeout_seconds min_overlap_ratio "
    "partitioned_scatter_min_contention_ratio triton.cudagraph_partition_memory_budget";

constexpr std::string_view kOptionalReals =
    "aten_distributed_optimizations.compute_overlap_multipler "
    "aten_distributed_optimizations.max_in_flight_gb "
    "aten_distributed_optimizations.max_memory_increase_gb "
    "aten_distributed_optimizations.max_memory_increase_ratio "
    "aten_distributed_optimizations.pre_bucketing_fsdp_collectives_bucket_cap_mb "
    "combo_kernel_peak_memory_increase_gb combo_kernel_peak_memory_pct_threshold "
    "fusion_memory_timeline_peak_memory_increase_gb "
    "fusion_memory_timeline_peak_memory_pct_threshold "
    "triton.cudagraph_initial_mempool_allocation_gb";

constexpr std::string_view kTexts =
    "_conv_default_backends _partitioned_scatter_default _profile_var "
    "aot_inductor.compile_wrapper_opt_level aot_inductor.output_path "
    "aot_inductor.serialized_in_spec aot_inductor.serialized_out_spec autoheuristic_log_path "
    "compile_worker_mode cpp.enable_floating_point_contract_flag cuda.compile_opt_level "
    "cuda.cutlass_dir cuda.cutlass_enabled_ops cuda.cutlass_instantiation_level "
    "cutlass.cutlass_dir cutlass.cutlass_enabled_ops cutlass.cutlass_instantiation_level "
    "disabled_passes enabled_metric_tables estimate_op_runtime halide.cpu_target "
    "halide.gpu_target layout_opt_default max_autotune_conv_backends "
    "max_autotune_conv_bwd_input_backends max_autotune_conv_bwd_weight_backends "
    "max_autotune_gemm_backends nvgemm_pdl profile_bandwidth_regex "
    "test_configs.distort_benchmarking_result torchinductor_worker_logpath "
    "trace.graph_diagram_format trace.orig_fx_graph_diagram_format worker_start_method "
    "xpu.compile_opt_level xpu.cutlass_dir xpu.cutlass_enabled_ops "
    "xpu.cutlass_instantiation_level";

constexpr std::string_view kAnything =
    "_cache_config_ignore_prefix _fuse_ddp_communication_passes _post_fusion_custom_pass "
    "_pre_fusion_custom_pass _save_config_ignore add_pre_grad_passes "
    "aot_inductor.aoti_shim_library aot_inductor.aoti_shim_library_path "
    "aot_inductor.cross_target_platform aot_inductor.custom_op_libs "
    "aot_inductor.custom_ops_to_c_shims aot_inductor.debug_intermediate_value_printer "
    "aot_inductor.filtered_kernel_names aot_inductor.metadata "
    "aot_inductor.model_name_for_generated_files aot_inductor.package_constants_on_disk_format "
    "aot_inductor.presets aten_distributed_optimizations.bucket_mode "
    "aten_distributed_optimizations.collective_estimator "
    "aten_distributed_optimizations.compute_estimator "
    "aten_distributed_optimizations.custom_runtime_estimation "
    "aten_distributed_optimizations.profile_guided_estimations_profile_path "
    "aten_distributed_optimizations.spmd_mismatch autoheuristic_use.pad_mm "
    "autotune_lookup_table bucket_all_gathers_bucket_mode bucket_all_gathers_fx "
    "bucket_all_gathers_fx_bucket_size_determinator bucket_all_reduces_fx "
    "bucket_all_reduces_fx_bucket_size_determinator bucket_reduce_scatters_bucket_mode "
    "bucket_reduce_scatters_fx bucket_reduce_scatters_fx_bucket_size_determinator cpp.cxx "
    "cpp.descriptive_names cpp.gemm_cache_blocking cpp.gemm_thread_factors "
    "cpp.inject_log1p_bug_TESTING_ONLY cpp.inject_relu_bug_TESTING_ONLY cpp.march cpu_backend "
    "cuda.arch cuda.cuda_cxx cuda.cutlass_dynamic_cluster_fallback "
    "cuda.cutlass_dynamic_cluster_shape cuda.cutlass_max_profiling_configs "
    "cuda.cutlass_max_profiling_swizzle_options cuda.cutlass_op_allowlist_regex "
    "cuda.cutlass_op_denylist_regex cuda.version cuda_backend cudagraph_policy "
    "cudagraph_unsafe_unbacked_ops custom_partitioner_fn custom_should_partition_ops "
    "cutlass.compile_opt_level cutlass.cutlass_dynamic_cluster_fallback "
    "cutlass.cutlass_dynamic_cluster_shape cutlass.cutlass_max_profiling_swizzle_options "
    "cutlass.cutlass_op_allowlist_regex cutlass.cutlass_op_denylist_regex external_matmul "
    "fx_passes_numeric_check global_cache_dir halide.scheduler_cpu halide.scheduler_cuda "
    "inductor_choices_class joint_custom_post_pass joint_custom_pre_pass lookup_table.table "
    "max_autotune_flex_search_space max_autotune_gemm_search_space memory_pool mixed_mm_choice "
    "multi_kernel_hints numerics post_grad_custom_post_pass post_grad_custom_pre_pass "
    "post_grad_fusion_options pre_grad_custom_pass pre_grad_fusion_options "
    "pre_grad_pass_timing profile_bandwidth_output remove_pre_grad_passes "
    "reorder_for_compute_comm_overlap_passes rocm.arch rocm.ck_dir rocm.ck_supported_arch "
    "rocm.compile_opt_level rocm.kBatch_sweep rocm.rocm_home "
    "test_configs.autotune_choice_desc_regex test_configs.autotune_choice_name_regex "
    "test_configs.track_memory_lifecycle tpu_backend trace.debug_dir trace.dot_graph_shape "
    "trace.log_url_for_graph_xform trace.upload_tar triton.cudagraph_capture_sizes "
    "triton.cudagraph_managed_input_rerecord_action triton.cudagraph_trees_generation_cloning "
    "triton.debug_dump_kernel_inputs triton.descriptive_names "
    "triton.inject_relu_bug_TESTING_ONLY triton.multi_kernel triton.proton_output_dir "
    "triton.tlx_mode triton_kernel_default_layout_constraint unsafe_marked_cacheable_functions "
    "worker_log_path xpu.arch xpu.cutlass_dynamic_cluster_fallback "
    "xpu.cutlass_dynamic_cluster_shape xpu.cutlass_max_profiling_configs "
    "xpu.cutlass_max_profiling_swizzle_options xpu.cutlass_op_allowlist_regex "
    "xpu.cutlass_op_denylist_regex xpu.oneapi_root xpu.version xpu_backend";

using enum InductorType;

struct TypedNames {
  InductorType type;
  bool is_optional;
  std::string_view names;
};

constexpr std::array kTables{
    TypedNames{flag, false, kFlags},       TypedNames{flag, true, kOptionalFlags},
    TypedNames{integer, false, kIntegers}, TypedNames{integer, true, kOptionalIntegers},
    TypedNames{real, false, kReals},       TypedNames{real, true, kOptionalReals},
    TypedNames{text, false, kTexts},       TypedNames{anything, true, kAnything},
};

}  // namespace

std::optional<InductorOption> find_inductor_option(std::string_view name) {
  for (const TypedNames& table : kTables) {
    const std::vector<std::string_view> names = split(table.names, ' ');
    if (std::ranges::find(names, name) != names.end()) {
      return InductorOption{table.type, table.is_optional};
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> inductor_option_names() {
  std::vector<std::string_view> names;
  for (const TypedNames& table : kTables) {
    const std::vector<std::string_view> more = split(table.names, ' ');
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace litz::passes

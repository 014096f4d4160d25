//===- include/cupola/Compiler/Compiler.h - Cupola's compiler: the C interface ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes a .cupola package of an ONNX model. libcupola_compiler.so exports these
// functions and nothing else; those of statuses and packages come from
// libcupola_runtime.so.
//
//   cupola_model model = {0};
//   model.struct_size = sizeof(model);
//   model.path = path;
//   cupola_compilation *compilation = NULL;
//   cupola_status *status = cupola_compilation_create(&model, NULL, &compilation);
//   if (!status)
//     status = cupola_compilation_write_package(compilation, target);
//   cupola_compilation_release(compilation);
//
// Rules
//  - A function that can fail returns a status (cupola/Status.h). No C++ exception
//    leaves the library, and callbacks must not throw.
//  - Handles come from functions through their last parameter, which is written
//    only on success, and go to the `release` function of their kind, which takes
//    NULL.
//  - Strings that functions return live as long as their handle. What a caller
//    gives is read during the call only, but for callbacks and `user`, which
//    outlive the compilation.
//  - A struct begins with its size (struct_size = sizeof) so that fields can be
//    added at its end. Fields of zero, and NULL options, stand for the defaults.
//  - A compilation is used by one thread at a time; any number of them may be under
//    way at once. None shares state with another but the cache folder, in which
//    entries appear whole.
//  - The same model and options give the same bytes, on any machine and for any
//    number of threads.
//  - The model may come from a stranger: it is checked, with limits on what it may
//    ask for. It still runs the caller's process out of memory or time if those
//    allow it to; the command line compiles in a process of its own.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_COMPILER_COMPILER_H
#define CUPOLA_COMPILER_COMPILER_H

#include "cupola/Runtime/Runtime.h"
#include "cupola/Status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model that was read, checked and imported. */
typedef struct cupola_compilation cupola_compilation;
/* What keeps a model from being compiled. */
typedef struct cupola_problems cupola_problems;

/* "0.1.0" */
CUPOLA_API cupola_string cupola_compiler_version(void);

/* ---- model ---- */

/* Gives `size` bytes at `offset` of the external data called `location`: a relative path without "..", as the model
 * spells it. `size` is what the tensor takes by its type and dimensions, which are within the limits, and never 0; any
 * other number of bytes given is an error. They stay valid until the next call or the end of the one that loads the
 * model, whose thread this is called on. A status returned becomes CUPOLA_IO with its text and the tensor's name; it is
 * released by the compiler. */
typedef cupola_status *cupola_read_external(void *user, cupola_string location, uint64_t offset, uint64_t size,
                                            cupola_bytes *bytes);

/* A file, or a model in memory. */
typedef struct cupola_model {
  size_t struct_size;
  cupola_string path;                  /* of the file, whose folder has its external data; empty: in memory */
  cupola_bytes bytes;                  /* in memory: the encoded ModelProto, without a copy */
  cupola_string name;                  /* in memory: what errors call it; empty: "model" */
  cupola_string external_folder;       /* in memory: where external data lies */
  cupola_read_external *read_external; /* in memory: gives external data; not with external_folder */
  void *user;                          /* of read_external */
} cupola_model;

/* ---- options ---- */

/* The extents of an input, or the value of a symbol (rank 1). */
typedef struct cupola_fixed_shape {
  cupola_string name;     /* of the input or symbol */
  const int64_t *extents; /* an array of `rank` */
  size_t rank;            /* how many extents */
} cupola_fixed_shape;

/* The interval of a symbol that stays dynamic; max 0: without bound. */
typedef struct cupola_dim_range {
  cupola_string name; /* of the symbol */
  int64_t min;        /* the least value */
  int64_t max;        /* the largest */
} cupola_dim_range;

/* Another value of a limit on models. */
typedef struct cupola_limit {
  cupola_string name; /* "tensor-bytes"; an unknown name is an error that lists all */
  int64_t value;      /* what is allowed at most */
} cupola_limit;

/* `name` and `value` are: an input and up to 256 numbers for it, "16000" or "1,2,3", which is no input of the package
 * then; or an input and the output that begins with it and shares its memory, where one `*` in both stands for the same
 * text. */
typedef struct cupola_setting {
  cupola_string name;  /* an input */
  cupola_string value; /* its numbers, or an output */
} cupola_setting;

/* An input of a run. An element of a sequence x is called "x[0]", and "x[]" stands for a sequence without any; an
 * optional without a value is left out. */
typedef struct cupola_given_input {
  cupola_string name;     /* of the input or element */
  const int64_t *extents; /* an array of `rank` */
  size_t rank;            /* how many extents */
  cupola_string value;    /* its numbers as of cupola_setting, where there are up to 256; else data is null */
} cupola_given_input;

/* How a model is compiled. */
typedef struct cupola_compile_options {
  size_t struct_size;
  cupola_strings targets;           /* "cuda", "cpu"; none: both */
  cupola_strings archs;             /* "sm_80": make machine code for these now (needs NVRTC); none: source for all */
  int32_t source_only;              /* 1: archs choose which source, and nothing is made of it now */
  cupola_strings cpu_levels;        /* "x86-64-v3", "x86-64-v4"; none: both */
  const cupola_fixed_shape *shapes; /* an array, as the four below */
  size_t shape_count;               /* of shapes */
  const cupola_dim_range *dims;     /* bounds of symbols */
  size_t dim_count;                 /* of dims */
  const cupola_setting *values;     /* of inputs that are pinned */
  size_t value_count;               /* of values */
  const cupola_setting *aliases;    /* inputs and the outputs that share their memory */
  size_t alias_count;               /* of aliases */
  const cupola_limit *limits;       /* other values of limits on models */
  size_t limit_count;               /* of limits */
  cupola_strings disabled_passes;   /* optional passes that are left out */
  cupola_string cache_dir;          /* compiled kernels and packages; empty: the default, "none": no cache */
  cupola_string dump_ir_dir;        /* the IR after every pass is written to it; empty: nowhere */
  /* That may do contractions in place of kernels: "onednn" (cpu), "cublaslt" (cuda), or both with a comma between them;
   * "none"; "auto", also if empty: those with figures that say where they gain, which is oneDNN. */
  cupola_string libraries;
  uint32_t threads;         /* 0: one per core */
  int32_t allow_hard_links; /* 1: files with external data may have hard links */
  void *user;               /* of the callbacks */
  /* What begins: "import", "graph", "kernels", "NVRTC for sm_80: source 1 of 9". On any thread; one call at a time of
   * this and `warn`. */
  void (*progress)(void *user, cupola_string what);
  /* What is wrong and does not stop the compilation, as a cache that cannot be written. */
  void (*warn)(void *user, cupola_string text);
  /* Whether to stop: anything but 0. Asked between phases, passes, kernels, NVRTC programs and calls of read_external,
   * on any thread, several at once. The call under way then ends with CUPOLA_CANCELLED and leaves no file behind, and
   * so does every later call of the compilation that has work to do. */
  int (*cancelled)(void *user);
  cupola_string precision;  /* "fp32"; "fp16", "bf16": f32 values lie in memory with 16 bits; empty: "fp32" */
  cupola_strings keep_fp32; /* patterns (*, ?, [a-z]) of names of nodes whose results stay f32 all the same */
  cupola_string io;         /* "fp16", "bf16", as `precision`: inputs and outputs have 16 bits, too; empty: they stay */
  /* 1: the outputs of the package are the model's, then the result of every other kernel, for
   * cupola_verification_compare_kernels. Takes one target and one architecture. */
  int32_t kernel_results;
  /* The path of a file of `cupola tune`, by whose times schedules of CUDA kernels are chosen before those that Cupola
   * brings; "none": neither; empty: the latter. */
  cupola_string tuning;
  /* "x1": products of f32 may be products of TF32, which reads 11 bits of each operand; "x3": three of them, which read
   * 22 bits; on CUDA from sm_80 on. With `precision` "fp32" alone; `keep_fp32` names nodes that stay. Empty: exact. */
  cupola_string tf32;
  cupola_strings op_libraries; /* paths of files that define ops of domains of their own (docs/custom-ops.md) */
  /* 1: CUDA C++ that these files hold becomes part of kernels, and runs wherever the package runs. 0: only their
   * expressions count. */
  int32_t trust_snippets;
  /* Of how many tensors an input consists that is no tensor: "3" for a sequence, "1" or "absent" for an optional. */
  const cupola_setting *sequences;
  size_t sequence_count; /* of sequences */
  /* All inputs of the run that the model is compiled for, or null. They tell what the other options leave open and has
   * to be known while compiling: lengths of sequences, ranks, values of inputs that decide the program, which are no
   * inputs of the package then, and extents that do, which are those of the package. `warn` is told of both. */
  const cupola_given_input *given;
  size_t given_count; /* of given */
  /* 1: ImageDecoder is accepted: libjpeg-turbo, libpng and libwebp decode pictures, whoever made them, wherever the
   * package runs. */
  int32_t allow_decoders;
  /* "always": matrix products with constant weights of up to 8 bits may round their other operand to bytes, in blocks
   * of a row with one scale each; on the CPU. "auto", and empty: where MatMulNBits says so (accuracy_level 4), and
   * where weights of up to 4 bits are dequantised by nodes of the model. "never": nowhere. */
  cupola_string int8_rows;
} cupola_compile_options;

/* ---- what is wrong with a model ---- */

/* One reason why a model cannot be compiled. */
typedef struct cupola_problem {
  size_t struct_size;
  cupola_code code;          /* CUPOLA_BAD_MODEL, CUPOLA_UNSUPPORTED, CUPOLA_LIMIT or CUPOLA_IO */
  cupola_string node;        /* its name, or its first output; empty: the problem is of the whole model */
  cupola_string op;          /* "Relu" */
  int64_t opset;             /* that the node is of */
  cupola_string reason;      /* without the node */
  cupola_string text;        /* the whole error: "model.onnx: node 'a' (Relu, opset 17): .." */
  int32_t decided_by_inputs; /* 1: the inputs of a run (`given`), in values or extents, may decide it */
} cupola_problem;

/* Lists what keeps the model from being compiled, in its order: nothing where it can be. A wrong option, a cancelled
 * check or a failure of the machine is an error of the call. */
CUPOLA_API cupola_status *cupola_model_check(const cupola_model *model, const cupola_compile_options *options,
                                             cupola_problems **problems);
/* How many there are. */
CUPOLA_API size_t cupola_problems_count(const cupola_problems *problems);
/* CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_problems_get(const cupola_problems *problems, size_t index, cupola_problem *problem);
/* All of them as `cupola check` tells it, "cupola.check/2": the text counts them by op and reason. `name` stands for
 * the model in it. */
CUPOLA_API cupola_status *cupola_problems_report(const cupola_problems *problems, cupola_string name,
                                                 cupola_report **report);
/* Takes NULL. */
CUPOLA_API void cupola_problems_release(cupola_problems *problems);

/* ---- from a model to a package ---- */

/* Compiles the model, for all targets of the options, and opens the package. Where the same compiler made it before, of
 * the same model and external data with the same options, the package comes from `cache_dir`, which takes about as long
 * as reading the files; `warn` is told the same in both cases. Compilations with `given` or `dump_ir_dir` are not kept.
 */
CUPOLA_API cupola_status *cupola_compile(const cupola_model *model, const cupola_compile_options *options,
                                         cupola_package **package);
/* The same without compiling: NULL where `cache_dir` has no such package. */
CUPOLA_API cupola_status *cupola_find_compiled(const cupola_model *model, const cupola_compile_options *options,
                                               cupola_package **package);

/* ---- compilation, step by step ---- */

/* Reads, checks and imports the model. The message of the error has a line for each problem, up to 100. */
CUPOLA_API cupola_status *cupola_compilation_create(const cupola_model *model, const cupola_compile_options *options,
                                                    cupola_compilation **compilation);
/* Takes NULL. */
CUPOLA_API void cupola_compilation_release(cupola_compilation *compilation);

/* Compiles for all targets. The functions below do so where they need it, once. */
CUPOLA_API cupola_status *cupola_compilation_build(cupola_compilation *compilation);
/* Writes the package; the file is there whole or not at all. */
CUPOLA_API cupola_status *cupola_compilation_write_package(cupola_compilation *compilation, cupola_string path);
/* The same bytes in memory, as cupola_package_open_memory takes them; the compilation keeps them. */
CUPOLA_API cupola_status *cupola_compilation_package(cupola_compilation *compilation, cupola_bytes *bytes);

/* The text of a phase: "graph", "fused", "kernel", "plan" (IR of every variant) or "cuda" (the kernels' source). */
CUPOLA_API cupola_status *cupola_compilation_emit(cupola_compilation *compilation, cupola_string phase,
                                                  cupola_string *text);
/* What was decided and why, as JSON (docs/schemas.md). */
CUPOLA_API cupola_status *cupola_compilation_explain(cupola_compilation *compilation, cupola_string *json);
/* The same with the text of `cupola explain`; `all_edges`: also of what was fused. The JSON has the kernels' texts,
 * too. */
CUPOLA_API cupola_status *cupola_compilation_explain_report(cupola_compilation *compilation, int32_t all_edges,
                                                            cupola_report **report);

/* What the model gives for these inputs, computed op by op without any optimisation: what cupola_verification_compare
 * (cupola/Runtime/Reports.h) takes. Both are .npz files in memory, with an array for every input or output under its
 * name; the compilation keeps the outputs until the next call. */
CUPOLA_API cupola_status *cupola_compilation_reference(cupola_compilation *compilation, cupola_bytes inputs,
                                                       cupola_bytes *outputs);
/* What every kernel of a variant should compute for these inputs, an .npz file, and whether the passes kept the model's
 * answer: what cupola_verification_compare_kernels takes. `tolerance` is that of the verification; the compilation
 * keeps the diagnosis until the next call. */
CUPOLA_API cupola_status *cupola_compilation_diagnose(cupola_compilation *compilation, cupola_bytes inputs,
                                                      cupola_string target, cupola_string arch, double tolerance,
                                                      cupola_bytes *diagnosis);

/* How long the phases of the build took, in order; none before it. */
typedef struct cupola_phase {
  size_t struct_size;
  cupola_string name;  /* as "import" or "graph" */
  double milliseconds; /* of wall clock */
} cupola_phase;

/* How many phases there were. */
CUPOLA_API size_t cupola_compilation_phase_count(const cupola_compilation *compilation);
/* CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_compilation_phase(const cupola_compilation *compilation, size_t index,
                                                   cupola_phase *phase);

#ifdef __cplusplus
}
#endif

#endif // CUPOLA_COMPILER_COMPILER_H

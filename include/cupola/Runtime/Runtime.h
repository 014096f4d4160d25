//===- include/cupola/Runtime/Runtime.h - Cupola's runtime: the C interface ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Loads a .cupola package onto a device and runs it. libcupola_runtime.so
// exports these functions and nothing else; it has no state of the process.
//
//   package    the file, verified; no code of it has run
//   device     "cuda", "cpu" or "sim"
//   executable a package on a device; immutable, for any number of threads
//   session    runs an executable; one thread at a time, one per thread
//
// Rules
//  - A function that can fail returns a status (cupola/Status.h). No C++ exception
//    leaves the library.
//  - Handles come from the `create` and `open` functions through their last
//    parameter and go to the `release` function of their kind, which takes NULL.
//    A handle keeps what it was made from alive, so the order of release is free.
//  - Strings that functions return live as long as their handle.
//  - A struct begins with its size (struct_size = sizeof) so that fields can be
//    added at its end. NULL options stand for all defaults.
//  - Shapes are arrays of extents, outermost first. Tensors are dense and
//    row-major; sizes are bytes unless a name says elements.
//  - A package that was compiled with `--alias past=present` has an input and an
//    output that share their memory (shares_with). That is the memory of a dense
//    tensor with room for more rows of one dimension than the two have: both
//    begin at its address and have its strides, and a run writes only the rows
//    that follow the input's. To append rows again and again, move nothing: give
//    the same memory with the output's extents as the next input.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_RUNTIME_RUNTIME_H
#define CUPOLA_RUNTIME_RUNTIME_H

#include "cupola/Status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The file, verified. */
typedef struct cupola_package cupola_package;
/* Where packages run. */
typedef struct cupola_device cupola_device;
/* A package on a device. */
typedef struct cupola_executable cupola_executable;
/* Runs an executable. */
typedef struct cupola_session cupola_session;

/* "0.1.0" */
CUPOLA_API cupola_string cupola_version(void);

/* ---- package ---- */

/* Reads the file into memory and verifies every byte of it. */
CUPOLA_API cupola_status *cupola_package_open(cupola_string path, cupola_package **package);
/* The same for bytes in memory, which are copied. */
CUPOLA_API cupola_status *cupola_package_open_memory(const void *data, size_t size, cupola_package **package);
/* Takes NULL. */
CUPOLA_API void cupola_package_release(cupola_package *package);
/* The bytes of the file, as the package holds and verified them; they live as long as it does. */
CUPOLA_API cupola_status *cupola_package_contents(const cupola_package *package, cupola_bytes *bytes);

/* DLPack's DLDataTypeCode values. */
typedef enum cupola_type_code {
  CUPOLA_TYPE_INT = 0,    /* with a sign */
  CUPOLA_TYPE_UINT = 1,   /* without */
  CUPOLA_TYPE_FLOAT = 2,  /* of IEEE 754 */
  CUPOLA_TYPE_OPAQUE = 3, /* 64 bits: a string, as the session numbers it */
  CUPOLA_TYPE_BFLOAT = 4, /* bfloat16 */
  CUPOLA_TYPE_BOOL = 6,   /* a byte, 0 or 1 */
  CUPOLA_TYPE_FLOAT8_E4M3FN = 10,
  CUPOLA_TYPE_FLOAT8_E4M3FNUZ = 11,
  CUPOLA_TYPE_FLOAT8_E5M2 = 12,
  CUPOLA_TYPE_FLOAT8_E5M2FNUZ = 13,
  CUPOLA_TYPE_FLOAT8_E8M0FNU = 14,
  CUPOLA_TYPE_FLOAT4_E2M1FN = 17
} cupola_type_code;

/* The layout of DLPack's DLDataType; lanes is 1. */
typedef struct cupola_type {
  uint8_t code;   /* of cupola_type_code */
  uint8_t bits;   /* of an element, which has a byte of its own where it has fewer: the low bits, the others 0 */
  uint16_t lanes; /* 1 */
} cupola_type;

/* An input or output, as the package declares it. */
typedef struct cupola_tensor_info {
  size_t struct_size;
  cupola_string name;     /* the model's */
  cupola_type type;       /* of its elements */
  int32_t rank;           /* how many dimensions */
  int32_t shares_with;    /* of an input: the output that lies in its memory, of an output: that input; else -1 */
  int32_t is_shape_input; /* 1: its elements decide extents, cupola_session_bind reads them; else 0 */
} cupola_tensor_info;

/* How many inputs. */
CUPOLA_API size_t cupola_package_input_count(const cupola_package *package);
/* How many outputs. */
CUPOLA_API size_t cupola_package_output_count(const cupola_package *package);
/* CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_package_input(const cupola_package *package, size_t index, cupola_tensor_info *info);
/* As of inputs. */
CUPOLA_API cupola_status *cupola_package_output(const cupola_package *package, size_t index, cupola_tensor_info *info);
/* What the model declares for dimension `dim`: a number such as "384", or an expression over symbols, "s0". */
CUPOLA_API cupola_status *cupola_package_input_dim(const cupola_package *package, size_t index, int32_t dim,
                                                   cupola_string *text);
/* As of inputs. */
CUPOLA_API cupola_status *cupola_package_output_dim(const cupola_package *package, size_t index, int32_t dim,
                                                    cupola_string *text);

/* What varies from run to run. */
typedef struct cupola_symbol {
  size_t struct_size;
  cupola_string id;   /* in the dimensions' expressions: "s0" */
  cupola_string name; /* the model's: "batch"; may be empty */
  int64_t min;        /* the least value */
  int64_t max;        /* 0: without bound */
  int64_t divisor;    /* it is a multiple of this */
  int32_t is_found;   /* 1: by a run, as the number of times that a loop runs; 0: by the inputs' shapes */
} cupola_symbol;

/* How many symbols. */
CUPOLA_API size_t cupola_package_symbol_count(const cupola_package *package);
/* CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_package_symbol(const cupola_package *package, size_t index, cupola_symbol *symbol);

/* What an input or output of the model is that is no tensor. */
typedef enum cupola_composite_kind {
  CUPOLA_SEQUENCE = 1,         /* tensors in order */
  CUPOLA_OPTIONAL = 2,         /* a tensor, or nothing */
  CUPOLA_OPTIONAL_SEQUENCE = 3 /* a sequence, or nothing */
} cupola_composite_kind;

/* An input or output of the model that is no tensor: `count` inputs or outputs of the package, "x[0]", "x[1]", .., are
 * its elements; that of an optional tensor is called as itself. */
typedef struct cupola_composite {
  size_t struct_size;
  cupola_string name;         /* the model's */
  cupola_composite_kind kind; /* what it is */
  int32_t is_output;          /* 1: its tensors are outputs */
  int32_t is_absent;          /* 1: an optional without a value, which is no empty sequence */
  size_t first;               /* the index of its first tensor */
  size_t count;               /* how many it has, as was said when the model was compiled */
} cupola_composite;

/* How many inputs and outputs of the model are no tensors. */
CUPOLA_API size_t cupola_package_composite_count(const cupola_package *package);
/* Inputs before outputs. CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_package_composite(const cupola_package *package, size_t index,
                                                   cupola_composite *composite);

/* What the model says about itself: its own texts, which may be no UTF-8; empty, and 0, where it says nothing. */
typedef struct cupola_metadata {
  size_t struct_size;
  cupola_string producer_name;     /* what exported the model */
  cupola_string producer_version;  /* and its version */
  cupola_string graph_name;        /* of the main graph */
  cupola_string graph_description; /* its doc_string */
  cupola_string domain;            /* as "org.example" */
  cupola_string description;       /* the model's doc_string */
  int64_t version;                 /* model_version */
  size_t property_count;           /* entries of metadata_props */
} cupola_metadata;

/* The texts live as long as the package. */
CUPOLA_API cupola_status *cupola_package_metadata(const cupola_package *package, cupola_metadata *metadata);
/* In the model's order. CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_package_property(const cupola_package *package, size_t index, cupola_string *key,
                                                  cupola_string *value);

/* ---- device ---- */

/* How a device is opened. */
typedef struct cupola_device_options {
  size_t struct_size;
  cupola_string arch;      /* sim: sm_75 or sm_80; cpu: the level not to exceed */
  int32_t ordinal;         /* cuda: which device */
  uint32_t threads;        /* cpu, sim: 0 is one per core */
  cupola_string cache_dir; /* compiled kernels; empty: the default, "none": no cache */
} cupola_device_options;

/* `name` is "cuda", "cpu", "sim", or "auto": cuda where there is one, else cpu. */
CUPOLA_API cupola_status *cupola_device_create(cupola_string name, const cupola_device_options *options,
                                               cupola_device **device);
CUPOLA_API cupola_string cupola_device_name(const cupola_device *device); /* "cuda" */
CUPOLA_API cupola_string cupola_device_arch(const cupola_device *device); /* "sm_86" */
/* Takes NULL. */
CUPOLA_API void cupola_device_release(cupola_device *device);

/* A device of this machine, or why it has none of that name. */
typedef struct cupola_device_info {
  size_t struct_size;
  cupola_string name;        /* "cpu", "cuda", "sim" */
  int32_t ordinal;           /* cuda: which GPU */
  cupola_string arch;        /* "x86-64-v4", which runs code of the lower levels, too; "sm_90" */
  cupola_string description; /* "16 threads", "NVIDIA H200" */
  uint64_t memory_bytes;     /* of cpu and sim: the machine's */
  cupola_string driver;      /* cuda: the newest CUDA that it knows, "12.4" */
  cupola_string reason;      /* why it is not there; empty where it is */
} cupola_device_info;

/* The devices of this machine, as they were when it was made. */
typedef struct cupola_device_list cupola_device_list;

/* The processor, every GPU or one entry with the reason why there is none, the simulator. Nothing of a GPU is taken. */
CUPOLA_API cupola_status *cupola_device_list_create(cupola_device_list **list);
/* How many entries. */
CUPOLA_API size_t cupola_device_list_count(const cupola_device_list *list);
/* CUPOLA_USAGE for an index that does not exist. */
CUPOLA_API cupola_status *cupola_device_list_get(const cupola_device_list *list, size_t index,
                                                 cupola_device_info *info);
/* Takes NULL. */
CUPOLA_API void cupola_device_list_release(cupola_device_list *list);

/* ---- executable ---- */

/* Loads the kernels, brings the weights to the device and prepares them. */
CUPOLA_API cupola_status *cupola_executable_create(cupola_package *package, cupola_device *device,
                                                   cupola_executable **executable);
/* Takes NULL. */
CUPOLA_API void cupola_executable_release(cupola_executable *executable);

/* ---- session ---- */

/* Memory of the device for arena and tensors, aligned to 256 bytes; NULL where there is none. `user` and the functions
 * outlive the session. They must not throw. */
typedef struct cupola_allocator {
  size_t struct_size;
  void *user;                                  /* of the functions */
  void *(*allocate)(void *user, size_t bytes); /* as above */
  void (*free)(void *user, void *memory);      /* takes what `allocate` gave */
} cupola_allocator;

/* How a session runs. */
typedef struct cupola_session_options {
  size_t struct_size;
  void *stream;                      /* cuda: the caller's CUstream; NULL: one of the session's own */
  const cupola_allocator *allocator; /* NULL: the device's; read during the call only */
  uint32_t in_flight;                /* how many runs may be under way at once; 0: two */
} cupola_session_options;

/* One thread at a time uses it. */
CUPOLA_API cupola_status *cupola_session_create(cupola_executable *executable, const cupola_session_options *options,
                                                cupola_session **session);
/* Waits for the runs under way. */
CUPOLA_API void cupola_session_release(cupola_session *session);

/* The extents of a tensor. */
typedef struct cupola_shape {
  const int64_t *extents; /* an array of `rank` */
  int32_t rank;           /* how many dimensions */
  const int64_t *strides; /* in elements; NULL: dense; read for inputs that share their memory with an output only */
  const void *elements;   /* of a shape input: dense, in host memory and of the input's type; else NULL, not read */
} cupola_shape;

/* Fixes the shapes of all inputs, in the package's order; then the outputs' shapes are known and memory is there. An
 * input that shares its memory without strides is taken to have room for as many rows as its output has. A shape input
 * is one whose elements are shapes, axes or counts for the model (cupola_tensor_info.is_shape_input): its elements are
 * read here, and again in every run, which binds again where they are others. After an error the session can be bound
 * again. */
CUPOLA_API cupola_status *cupola_session_bind(cupola_session *session, const cupola_shape *inputs, size_t count);
/* Strides are those of an output that shares its memory with an input, else NULL. Both live until the next bind or run.
 * An extent that follows from values, as the number of times that a loop runs, is -1 after a bind and after a run that
 * failed, and known after a run that succeeded. CUPOLA_USAGE before the first bind. */
CUPOLA_API cupola_status *cupola_session_output_shape(const cupola_session *session, size_t index, cupola_shape *shape);

/* The layout of DLPack's DLTensor (https://dmlc.github.io/dlpack): a DLTensor * may be cast to it. */
typedef struct cupola_tensor {
  void *data; /* in the memory that `device` names */
  struct {
    int32_t type; /* kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 */
    int32_t id;
  } device;             /* where `data` lies */
  int32_t ndim;         /* how many dimensions */
  cupola_type dtype;    /* of its elements */
  int64_t *shape;       /* extents, an array of `ndim` */
  int64_t *strides;     /* NULL, or those of a dense row-major tensor; of memory that is shared: those of the whole */
  uint64_t byte_offset; /* from `data` to the first element */
} cupola_tensor;

/* Runs once and waits. Tensors lie in host memory (device type 1 or 3) or in the memory of the session's device; those
 * aligned to 64 bytes, or on the CPU to their elements, are used where they lie if the device reaches them, others are
 * copied. Binds first if the shapes are not the bound ones. Outputs share no byte with inputs but those that are to
 * share all. An output with an extent of -1 is given with data NULL, its shape is not looked at;
 * cupola_session_fetch_output has its values afterwards. */
CUPOLA_API cupola_status *cupola_session_run(cupola_session *session, const cupola_tensor *inputs, size_t input_count,
                                             const cupola_tensor *outputs, size_t output_count);

/* The two halves of cupola_session_run. The first queues the run behind all that is on the stream and gives its number:
 * 1, 2, .. The memory of the tensors stays valid, and is left alone, until the run was waited for or the caller knows
 * otherwise that the stream is past it; the arrays of tensors are read during the call. What is wrong with the tensors,
 * and no memory for their shapes, are errors of this call, and then there is no run; all others are errors of the wait.
 *
 * The call itself waits where as many runs as session options allow are under way, for the oldest of them; for all of
 * them where a larger shape needs memory that cannot grow in place; inside of models with branches and loops, whose
 * way depends on values; for the run itself where an output has an extent of -1; and on cuda for what comes before
 * a copy from or to host memory that is not page-locked. On cpu and sim it computes. */
CUPOLA_API cupola_status *cupola_session_enqueue(cupola_session *session, const cupola_tensor *inputs,
                                                 size_t input_count, const cupola_tensor *outputs, size_t output_count,
                                                 uint64_t *run);
/* Waits for a run and returns its error. In any order, and at most once for each: CUPOLA_USAGE for a run that was
 * waited for and for a number that no run has. Runs need not be waited for; of those nothing stays but their errors,
 * until the session is released. */
CUPOLA_API cupola_status *cupola_session_wait(cupola_session *session, uint64_t run);

/* After a run: copies an output that had an extent of -1 before it to a tensor of the shape that
 * cupola_session_output_shape gives now, in host or device memory. The session keeps such outputs until the next bind
 * or run; may be called again. CUPOLA_USAGE for other outputs, and where no run succeeded since the last bind. */
CUPOLA_API cupola_status *cupola_session_fetch_output(cupola_session *session, size_t index,
                                                      const cupola_tensor *tensor);

/* Tensors of strings (CUPOLA_TYPE_OPAQUE) hold numbers, int64, of a table of the session; numbers of other sessions
 * mean nothing to it. The numbers of texts for inputs: equal texts have equal numbers. The texts are copied. The
 * numbers may be inputs of any number of runs; the first call after a run begins anew, and those that were given before
 * it are no more. */
CUPOLA_API cupola_status *cupola_session_number_strings(cupola_session *session, const cupola_string *strings,
                                                        size_t count, int64_t *numbers);
/* The texts of the elements of an output that the last run made, in host memory once it was waited for. They live until
 * the next run begins, or strings are given for it. CUPOLA_USAGE for a number that no string has. */
CUPOLA_API cupola_status *cupola_session_read_strings(cupola_session *session, const int64_t *numbers, size_t count,
                                                      cupola_string *strings);

/* How many tensors the runs so far copied, because they are not aligned as above or the device does not reach them;
 * memory that an input and an output share counts for both. 0 for NULL. */
CUPOLA_API uint64_t cupola_session_copied_tensors(const cupola_session *session);

#ifdef __cplusplus
}
#endif

#endif // CUPOLA_RUNTIME_RUNTIME_H

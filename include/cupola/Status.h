//===- include/cupola/Status.h - Errors, strings and reports of the C interfaces ---===//
// SPDX-License-Identifier: Apache-2.0
//
// What runtime and compiler share; libcupola_runtime.so has the functions.
//
//  - A function that can fail returns a status: NULL is success, everything else
//    is released by cupola_status_release, once and by whoever received it.
//  - Strings are (pointer, length) without a terminator.
//===----------------------------------------------------------------------===//
#ifndef CUPOLA_STATUS_H
#define CUPOLA_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CUPOLA_API
#else
#define CUPOLA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An error; NULL is success. */
typedef struct cupola_status cupola_status;

/* A text, in UTF-8 where it is ours; NULL with 0 is empty. */
typedef struct cupola_string {
  const char *data; /* without a terminator */
  size_t size;      /* bytes */
} cupola_string;

/* Bytes of the caller or of a handle. */
typedef struct cupola_bytes {
  const void *data; /* NULL where there are none */
  size_t size;      /* how many */
} cupola_bytes;

/* A list of texts. */
typedef struct cupola_strings {
  const cupola_string *items; /* an array */
  size_t count;               /* of items */
} cupola_strings;

/* The exit codes of the command line tools. */
typedef enum cupola_code {
  CUPOLA_OK = 0,          /* done */
  CUPOLA_FINDING = 1,     /* the simulator found a defect */
  CUPOLA_USAGE = 2,       /* wrong call, option, tensor or value */
  CUPOLA_BAD_MODEL = 3,   /* the model is malformed */
  CUPOLA_UNSUPPORTED = 4, /* well-formed, but not implemented */
  CUPOLA_LIMIT = 5,       /* a limit was exceeded */
  CUPOLA_ENVIRONMENT = 6, /* device, driver, library or memory is missing */
  CUPOLA_PACKAGE = 7,     /* the package is damaged or of another format */
  CUPOLA_IO = 8,          /* a file could not be read or written */
  CUPOLA_INTERNAL = 70,   /* a bug of Cupola */
  CUPOLA_CANCELLED = 130  /* the caller said so */
} cupola_code;

/* CUPOLA_OK for NULL. */
CUPOLA_API cupola_code cupola_status_code(const cupola_status *status);
/* What is wrong; empty for NULL. Lives as long as the status. */
CUPOLA_API cupola_string cupola_status_message(const cupola_status *status);
/* Takes NULL. */
CUPOLA_API void cupola_status_release(cupola_status *status);
/* For callbacks that fail. The message is copied. NULL for CUPOLA_OK; where memory is out, a status that says so. */
CUPOLA_API cupola_status *cupola_status_create(cupola_code code, cupola_string message);

/* What is said about a model, a package or a run. */
typedef struct cupola_report cupola_report;

/* For people, as the command line prints it: lines, each with its end; no text of a model is more than printable ASCII.
 * Lives as long as the report; empty for NULL, as the other. */
CUPOLA_API cupola_string cupola_report_text(const cupola_report *report);
/* For programs: JSON in UTF-8 (docs/schemas.md). */
CUPOLA_API cupola_string cupola_report_json(const cupola_report *report);
/* As a page of a browser (docs/reports.md): HTML in UTF-8 that needs no other file and shows every text of a model as a
 * text. `title` is any text, as the model's name. Lives until the next call, as long as the report. Of explain,
 * inspect, bench with a profile and verify; of other reports the page says that it cannot show them. */
CUPOLA_API cupola_status *cupola_report_html(cupola_report *report, cupola_string title, cupola_string *html);
/* Takes NULL. */
CUPOLA_API void cupola_report_release(cupola_report *report);
/* For the compiler; both texts are copied. */
CUPOLA_API cupola_status *cupola_report_create(cupola_string text, cupola_string json, cupola_report **report);

#ifdef __cplusplus
}
#endif

#endif // CUPOLA_STATUS_H

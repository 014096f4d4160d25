//===- test/Compiler/CApiClient.h - What a program in C does with the compiler ---===//
// SPDX-License-Identifier: Apache-2.0
#ifndef CUPOLA_TEST_COMPILER_CAPICLIENT_H
#define CUPOLA_TEST_COMPILER_CAPICLIENT_H

#include "cupola/Compiler/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the client answers when it is asked for external data. */
typedef enum ClientAnswer { Answered, TooShort, TooLong, Nothing, Refused, AnswerCount } ClientAnswer;

typedef struct Client {
  ClientAnswer answer;
  int reads;         /* how often it was asked for external data */
  int polls;         /* how often it was asked whether to stop */
  int cancelAt;      /* stop at this poll; 0: never */
  char told[512];    /* the progress, each followed by ; */
  char message[512]; /* of the last error */
} Client;

cupola_string clientText(const char *text);
/* For the cpu, one level, one thread, no cache. */
cupola_compile_options clientOptions(Client *client);
/* A model in memory with the client's function for external data. */
cupola_model clientModel(Client *client, const void *data, size_t size);
/* The code of a status, which is released; its text becomes the client's message. */
cupola_code clientCode(Client *client, cupola_status *status);

/* Compiles the model in memory, opens the package and runs it on the cpu with x = 0, 1, .. 7; y has 6 elements. */
cupola_code clientCompileAndRun(Client *client, const void *data, size_t size, float *y);
/* Compiles and writes the package. */
cupola_code clientCompileTo(Client *client, const void *data, size_t size, const char *path);

#ifdef __cplusplus
}
#endif

#endif // CUPOLA_TEST_COMPILER_CAPICLIENT_H

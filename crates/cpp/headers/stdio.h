#ifndef _FERROSPIN_STDIO_H
#define _FERROSPIN_STDIO_H
#include <stddef.h>
#include <stdarg.h>
typedef struct __FILE FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
#define BUFSIZ 8192
int printf(const char *, ...) __attribute__((__format__(__printf__, 1, 2)));
int fprintf(FILE *, const char *, ...) __attribute__((__format__(__printf__, 2, 3)));
int sprintf(char *, const char *, ...) __attribute__((__format__(__printf__, 2, 3)));
int snprintf(char *, size_t, const char *, ...) __attribute__((__format__(__printf__, 3, 4)));
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);
int puts(const char *);
int putchar(int);
int fputs(const char *, FILE *);
int fputc(int, FILE *);
int fflush(FILE *);
#endif

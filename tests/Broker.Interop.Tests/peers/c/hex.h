#ifndef HEX_H
#define HEX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decodes a word of hexadecimal in place; "-" is empty. Returns the length. */
static size_t from_hex(char *word)
{
    size_t n = 0;
    if (strcmp(word, "-") != 0)
        for (; word[2 * n] && word[2 * n + 1]; n++) {
            char pair[3] = {word[2 * n], word[2 * n + 1], 0};
            word[n] = (char)strtol(pair, NULL, 16);
        }
    word[n] = 0;
    return n;
}

static inline void print_hex(const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    putchar(' ');
    if (n == 0)
        putchar('-');
    for (size_t i = 0; i < n; i++)
        printf("%02x", b[i]);
}

static inline void say(const char *line)
{
    puts(line);
    fflush(stdout);
}

#endif

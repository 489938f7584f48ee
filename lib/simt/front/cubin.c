// A cubin is an ELF file; its section .nv.info notes what each kernel needs.
//
// A note is a format, an attribute and a size in four bytes, then (format 4) that many
// bytes: the kernel's number in the symbol table and the value. Nothing in the file is
// believed: every offset is held against its size.

#include "fatbin.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum { SIZED = 4, FRAME_SIZE = 0x11, REGISTER_COUNT = 0x2f };

typedef struct file {
    const char *bytes;
    size_t size;
    Elf64_Ehdr head;
    Elf64_Shdr symbols, strings, notes;
} file;

static const char *part(const file *f, uint64_t at, uint64_t bytes)
{
    return at <= f->size && bytes <= f->size - at ? f->bytes + at : NULL;
}

static bool section(const file *f, unsigned i, Elf64_Shdr *s)
{
    const char *from =
        i < f->head.e_shnum
            ? part(f, f->head.e_shoff + (uint64_t)i * sizeof *s, sizeof *s)
            : NULL;
    if (from)
        memcpy(s, from, sizeof *s);
    return from && part(f, s->sh_offset, s->sh_size);
}

// A text in a table of them: does it equal this one?
static bool is_text(const file *f, const Elf64_Shdr *table, uint32_t at,
                    const char *text)
{
    size_t bytes = strlen(text) + 1;
    return at <= table->sh_size && bytes <= table->sh_size - at &&
           !memcmp(f->bytes + table->sh_offset + at, text, bytes);
}

static bool open_file(file *f)
{
    if (f->size < sizeof f->head)
        return false;
    memcpy(&f->head, f->bytes, sizeof f->head);
    Elf64_Shdr names, s;
    bool notes = false, symbols = false;
    if (memcmp(f->head.e_ident, ELFMAG, SELFMAG) ||
        f->head.e_ident[EI_CLASS] != ELFCLASS64 || f->head.e_shoff > f->size ||
        !section(f, f->head.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; i < f->head.e_shnum; i++) {
        if (!section(f, i, &s))
            continue;
        if (s.sh_type == SHT_SYMTAB) {
            f->symbols = s;
            symbols = section(f, s.sh_link, &f->strings);
        } else if (is_text(f, &names, s.sh_name, ".nv.info")) {
            f->notes = s;
            notes = true;
        }
    }
    return notes && symbols;
}

static bool is_named(const file *f, uint32_t number, const char *name)
{
    Elf64_Sym symbol;
    if (number >= f->symbols.sh_size / sizeof symbol)
        return false;
    memcpy(&symbol, f->bytes + f->symbols.sh_offset + (uint64_t)number * sizeof symbol,
           sizeof symbol);
    return is_text(f, &f->strings, symbol.st_name, name);
}

bool cubin_find(const char *cubin, size_t bytes, const char *kernel, cubin_needs *needs)
{
    file f = {.bytes = cubin, .size = bytes};
    *needs = (cubin_needs){-1, -1};
    if (!open_file(&f))
        return false;
    const unsigned char *at = (const unsigned char *)f.bytes + f.notes.sh_offset;
    for (uint64_t left = f.notes.sh_size; left >= 4;) {
        uint32_t payload[2];
        uint64_t size = at[0] == SIZED ? (uint64_t)(at[2] | at[3] << 8) : 0;
        if (size > left - 4)
            break;
        if (size == sizeof payload &&
            (at[1] == FRAME_SIZE || at[1] == REGISTER_COUNT)) {
            memcpy(payload, at + 4, sizeof payload);
            if (is_named(&f, payload[0], kernel))
                *(at[1] == FRAME_SIZE ? &needs->frame : &needs->registers) =
                    (int)payload[1];
        }
        at += 4 + size;
        left -= 4 + size;
    }
    return needs->registers >= 0 && needs->registers <= 255;
}

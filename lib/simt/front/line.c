// Where in the program a call was made: the file and line of a return address, from the
// line table (DWARF 5) of the program's own file.
//
// A launch and a copy have no line of their own in what the device sees; with a program
// that was compiled with -g1 they get the host's. Without a table, or with one of another
// version, the line is unknown, and nothing else changes.

#include "front.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KNOWN = 1024, FILES = 15, NAME = 400, ENTRIES = 4096, LINE_BITS = 20 };

// ---- Reading --------------------------------------------------------------------

typedef struct bytes { // from `at` on; what lies behind the end reads as 0
    const unsigned char *at, *end;
} bytes;

static const char *image;
static bytes lines, line_strings, strings;
static uintptr_t bias;

static uint64_t fixed(bytes *b, size_t n)
{
    uint64_t v = 0;
    if ((size_t)(b->end - b->at) < n) {
        b->at = b->end;
        return 0;
    }
    memcpy(&v, b->at, n);
    b->at += n;
    return v;
}

static uint64_t leb(bytes *b, bool is_signed)
{
    uint64_t v = 0;
    for (unsigned shift = 0; b->at < b->end;) {
        unsigned char byte = *b->at++;
        if (shift < 64)
            v |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (byte & 128)
            continue;
        if (is_signed && byte & 64 && shift < 64)
            v |= ~(uint64_t)0 << shift;
        break;
    }
    return v;
}

static const char *string_at(bytes b, uint64_t offset)
{
    size_t room = (size_t)(b.end - b.at);
    const char *s = (const char *)b.at + offset;
    return offset < room && memchr(s, 0, room - offset) ? s : "";
}

// ---- The program's file ---------------------------------------------------------

static bytes section(const ElfW(Ehdr) *h, size_t size, const char *wanted)
{
    const ElfW(Shdr) *s = (const void *)(image + h->e_shoff), *names = s + h->e_shstrndx;
    for (int i = 0; i < h->e_shnum; i++)
        if (s[i].sh_offset <= size && s[i].sh_size <= size - s[i].sh_offset &&
            !(s[i].sh_flags & SHF_COMPRESSED) && s[i].sh_name < names->sh_size &&
            !strcmp(image + names->sh_offset + s[i].sh_name, wanted)) {
            const unsigned char *at = (const unsigned char *)image + s[i].sh_offset;
            return (bytes){at, at + s[i].sh_size};
        }
    return (bytes){0};
}

static int note_bias(struct dl_phdr_info *p, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    bias = p->dlpi_addr;
    return 1; // the program comes first
}

static void open_program(void)
{
    struct stat is;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &is) == 0 && (size_t)is.st_size > sizeof(ElfW(Ehdr)))
        image = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    if (!image || image == MAP_FAILED)
        return;
    size_t size = (size_t)is.st_size;
    const ElfW(Ehdr) *h = (const void *)image;
    if (h->e_shoff > size || h->e_shnum * sizeof(ElfW(Shdr)) > size - h->e_shoff ||
        h->e_shstrndx >= h->e_shnum)
        return;
    dl_iterate_phdr(note_bias, NULL);
    line_strings = section(h, size, ".debug_line_str");
    strings = section(h, size, ".debug_str");
    lines = section(h, size, ".debug_line");
}

// ---- One table ------------------------------------------------------------------

typedef struct entry {
    const char *name;
    uint64_t folder;
} entry;

typedef struct table {
    bytes program;
    unsigned least, line_range, opcode_base, lengths[256];
    int line_base;
    entry folders[64], files[ENTRIES / 16];
    uint64_t folder_count, file_count;
} table;

static const char *form(bytes *b, uint64_t form, uint64_t *number)
{
    switch (form) {
    case 0x08: { // DW_FORM_string
        const char *s = (const char *)b->at;
        while (fixed(b, 1))
            ;
        return b->at < b->end ? s : "";
    }
    case 0x0e: // DW_FORM_strp
        return string_at(strings, fixed(b, 4));
    case 0x1f: // DW_FORM_line_strp
        return string_at(line_strings, fixed(b, 4));
    case 0x0b: // DW_FORM_data1
        *number = fixed(b, 1);
        return NULL;
    case 0x05: // DW_FORM_data2
        *number = fixed(b, 2);
        return NULL;
    case 0x0f: // DW_FORM_udata
        *number = leb(b, false);
        return NULL;
    case 0x1e: // DW_FORM_data16
        fixed(b, 8);
        fixed(b, 8);
        return NULL;
    default:
        b->at = b->end;
        return NULL;
    }
}

static uint64_t entries(bytes *b, entry *list, uint64_t room)
{
    struct { uint64_t what, form; } columns[16];
    unsigned count = (unsigned)fixed(b, 1);
    for (unsigned i = 0; i < count; i++) {
        uint64_t what = leb(b, false), how = leb(b, false);
        if (i < 16)
            columns[i].what = what, columns[i].form = how;
    }
    uint64_t n = leb(b, false), kept = 0;
    for (uint64_t k = 0; count <= 16 && k < n && b->at < b->end; k++) {
        entry e = {"", 0};
        for (unsigned i = 0; i < count; i++) {
            uint64_t number = 0;
            const char *text = form(b, columns[i].form, &number);
            if (columns[i].what == 1 && text) // DW_LNCT_path
                e.name = text;
            else if (columns[i].what == 2) // DW_LNCT_directory_index
                e.folder = number;
        }
        if (kept < room)
            list[kept++] = e;
    }
    return kept;
}

// The next table of *all; false at the end. One that is not understood has no program.
static bool next_table(bytes *all, table *t)
{
    uint64_t length = fixed(all, 4);
    if (!length || length > (size_t)(all->end - all->at))
        return false;
    bytes b = {all->at, all->at + length};
    all->at = b.end;
    t->program = (bytes){0};
    if (fixed(&b, 2) != 5 || fixed(&b, 1) != 8 || fixed(&b, 1) != 0)
        return true;
    uint64_t header = fixed(&b, 4);
    if (header > (size_t)(b.end - b.at))
        return true;
    t->program = (bytes){b.at + header, b.end};
    b.end = t->program.at;
    t->least = (unsigned)fixed(&b, 1);
    fixed(&b, 2); // operations of an instruction; is_stmt
    t->line_base = (signed char)fixed(&b, 1);
    t->line_range = (unsigned)fixed(&b, 1);
    t->opcode_base = (unsigned)fixed(&b, 1);
    for (unsigned i = 1; i < t->opcode_base; i++)
        t->lengths[i] = (unsigned)fixed(&b, 1);
    t->folder_count = entries(&b, t->folders, sizeof t->folders / sizeof *t->folders);
    t->file_count = entries(&b, t->files, sizeof t->files / sizeof *t->files);
    if (!t->line_range)
        t->program = (bytes){0};
    return true;
}

// ---- Rows -----------------------------------------------------------------------

typedef struct row {
    uint64_t address, file, line;
} row;

// Is it what people wrote, not a header's wrapper or the compiler's stub?
static bool is_own(const table *t, const row *r)
{
    static const char *const others[] = {".h", ".hpp", ".inl", ".stub.c", ".gpu"};
    const char *name = r->file < t->file_count ? t->files[r->file].name : "";
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t k = strlen(others[i]);
        if (n >= k && !strcmp(name + n - k, others[i]))
            return false;
    }
    return n && r->line;
}

// The row that covers pc, or if a header's wrapper does, the last one before it that is
// of the program's own text.
static bool find_row(const table *t, uint64_t pc, row *found)
{
    bytes b = t->program;
    row now = {0, 1, 1}, last = {0}, own = {0};
    while (b.at < b.end) {
        unsigned op = (unsigned)fixed(&b, 1);
        bool emits = false, ends = false;
        if (op >= t->opcode_base) {
            unsigned by = op - t->opcode_base;
            now.address += by / t->line_range * t->least;
            now.line += (uint64_t)(t->line_base + (int)(by % t->line_range));
            emits = true;
        } else if (op == 0) {
            uint64_t length = leb(&b, false);
            bytes x = {b.at, b.end};
            b.at += length < (size_t)(b.end - b.at) ? length : (size_t)(b.end - b.at);
            unsigned what = (unsigned)fixed(&x, 1);
            ends = what == 1; // DW_LNE_end_sequence
            if (what == 2)    // DW_LNE_set_address
                now.address = fixed(&x, 8);
        } else if (op == 1) {
            emits = true;
        } else if (op == 2) {
            now.address += leb(&b, false) * t->least;
        } else if (op == 3) {
            now.line += leb(&b, true);
        } else if (op == 4) {
            now.file = leb(&b, false);
        } else if (op == 8) { // DW_LNS_const_add_pc
            now.address += (255 - t->opcode_base) / t->line_range * t->least;
        } else if (op == 9) { // DW_LNS_fixed_advance_pc
            now.address += fixed(&b, 2);
        } else {
            for (unsigned i = 0; i < t->lengths[op]; i++)
                leb(&b, false);
        }
        if (!emits && !ends)
            continue;
        if (last.line && last.address <= pc && pc < now.address) {
            *found = own;
            return own.line != 0;
        }
        last = now;
        if (is_own(t, &now))
            own = now;
        if (ends) {
            now = (row){0, 1, 1};
            last = own = (row){0};
        }
    }
    return false;
}

// ---- The answer -----------------------------------------------------------------

static char names[FILES][NAME];
static struct {
    const void *address;
    uint32_t place;
} known[KNOWN];

// A file's number from 1 on; the device is told its name. 0: no more.
static uint32_t number_of(const table *t, const row *r)
{
    char name[NAME];
    const entry *e = &t->files[r->file];
    bool alone = *e->name == '/' || !e->folder || e->folder >= t->folder_count;
    snprintf(name, sizeof name, "%s%s%s", alone ? "" : t->folders[e->folder].name,
             alone ? "" : "/", e->name);
    for (uint32_t i = 0; i < FILES; i++) {
        if (!*names[i]) {
            memcpy(names[i], name, sizeof name);
            wire_command c = {.op = WIRE_SOURCE, .device = (uint16_t)here};
            c.as.object.id = i + 1;
            send_command(c, name, strlen(name));
        }
        if (!strcmp(names[i], name))
            return i + 1;
    }
    return 0;
}

static uint32_t find(const void *address)
{
    static table t;
    static bool opened;
    row r;
    if (!opened)
        open_program();
    opened = true;
    uint64_t pc = (uintptr_t)address - bias - 1; // within the call
    for (bytes all = lines; next_table(&all, &t);)
        if (find_row(&t, pc, &r))
            return r.line >> LINE_BITS ? 0 : number_of(&t, &r) << LINE_BITS | (uint32_t)r.line;
    return 0;
}

uint32_t line_of_call(const void *address)
{
    size_t at = ((uintptr_t)address >> 1) * 0x9e3779b1u >> 7 & (KNOWN - 1);
    if (!address)
        return 0;
    if (known[at].address != address) {
        known[at].place = find(address);
        known[at].address = address;
    }
    return known[at].place;
}

const char *line_file(uint32_t place)
{
    return place ? names[(place >> LINE_BITS) - 1] : NULL;
}

unsigned line_number(uint32_t place)
{
    return place & ((1u << LINE_BITS) - 1);
}

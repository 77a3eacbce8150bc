/* The columns, names and texts of a table, which grow without the interpreter's lock. */
#include "read.h"
#include <stddef.h>

int bytes_room(Bytes *bytes, Py_ssize_t more)
{
    if (more <= bytes->room - bytes->size)
        return 0;
    if (more > INT32_MAX - bytes->size) /* places are int32 */
        return -1;
    Py_ssize_t room = bytes->size + bytes->size / 2 + more + 64;
    char *grown = PyMem_RawRealloc(bytes->bytes, (size_t)room);
    if (grown == NULL)
        return -1;
    bytes->bytes = grown, bytes->room = room;
    return 0;
}

int bytes_add(Bytes *bytes, Part text)
{
    if (bytes_room(bytes, text.size))
        return -1;
    if (text.size)
        memcpy(bytes->bytes + bytes->size, text.bytes, (size_t)text.size);
    bytes->size += text.size;
    return 0;
}

int ints_push(Ints *ints, Py_ssize_t value)
{
    if (ints->size == ints->room) {
        Py_ssize_t room = ints->room ? 2 * ints->room : 64;
        int32_t *items = PyMem_RawRealloc(ints->items, (size_t)room * sizeof *items);
        if (items == NULL)
            return -1;
        ints->items = items, ints->room = room;
    }
    ints->items[ints->size++] = (int32_t)value;
    return 0;
}

static size_t hash_of(Part text)
{
    uint64_t hash = 2166136261u + (uint64_t)text.size, part;
    Py_ssize_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        memcpy(&part, text.bytes + at, sizeof part);
        hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    for (part = 0; at < text.size; at++)
        part = part << 8 | (unsigned char)text.bytes[at];
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash ^ hash >> 29);
}

static int is_same(Part text, Part other)
{
    return text.size == other.size && (!text.size || memcmp(text.bytes, other.bytes, (size_t)text.size) == 0);
}

Part names_text(const Names *names, Py_ssize_t number)
{
    int32_t start = number ? names->ends.items[number - 1] : 0;
    return table_part(&names->texts, start, names->ends.items[number] - start);
}

/* The slot of a text, or a free one for it; there is one. */
static int32_t *slot_of_name(const Names *names, Part text)
{
    size_t mask = (size_t)names->slots.size - 1, at = hash_of(text) & mask;
    int32_t *slots = names->slots.items;
    while (slots[at] && !is_same(names_text(names, slots[at] - 1), text))
        at = (at + 1) & mask;
    return slots + at;
}

static int more_slots(Names *names)
{
    Py_ssize_t room = names->slots.size ? 2 * names->slots.size : 128;
    int32_t *slots = PyMem_RawCalloc((size_t)room, sizeof *slots);
    if (slots == NULL)
        return -1;
    PyMem_RawFree(names->slots.items);
    names->slots = (Ints){slots, room, room};
    for (Py_ssize_t i = 0; i < names->ends.size; i++)
        *slot_of_name(names, names_text(names, i)) = (int32_t)(i + 1);
    return 0;
}

Py_ssize_t names_number(Names *names, Part text)
{
    if (2 * names->ends.size >= names->slots.size && more_slots(names))
        return -1;
    int32_t *slot = slot_of_name(names, text);
    if (!*slot) {
        if (bytes_add(&names->texts, text) || ints_push(&names->ends, names->texts.size))
            return -1;
        *slot = (int32_t)names->ends.size;
    }
    return *slot - 1;
}

Py_ssize_t names_find(const Names *names, Part text)
{
    return names->slots.size ? *slot_of_name(names, text) - 1 : -1;
}

void names_free(Names *names)
{
    PyMem_RawFree(names->texts.bytes);
    PyMem_RawFree(names->ends.items);
    PyMem_RawFree(names->slots.items);
    memset(names, 0, sizeof *names);
}

/* The columns of all lists of rows. */
typedef struct {
    const char *name;
    size_t field, rows, width;
} Field;

#define FIELD(list, type, per, name) {#name, offsetof(Table, name), offsetof(Table, list), (per) * sizeof(type)},
static const Field FIELDS[] = {COLUMNS(FIELD)};
enum { COUNT = sizeof FIELDS / sizeof *FIELDS };

static Rows *rows_of(Table *table, const Field *field) { return (Rows *)(void *)((char *)table + field->rows); }

static void *column_of(const Table *table, const Field *field)
{
    void *column;
    memcpy(&column, (const char *)table + field->field, sizeof column);
    return column;
}

/* Give a column another room; without memory it stays as it is. */
static int set_room(Table *table, const Field *field, Py_ssize_t room)
{
    void *column = PyMem_RawRealloc(column_of(table, field), (size_t)room * field->width);
    if (column != NULL)
        memcpy((char *)table + field->field, &column, sizeof column);
    return column == NULL ? -1 : 0;
}

static int grow(Table *table, Rows *rows, Py_ssize_t room)
{
    for (int i = 0; i < COUNT; i++)
        if (rows_of(table, FIELDS + i) == rows && set_room(table, FIELDS + i, room))
            return -1;
    rows->room = room;
    return 0;
}

Py_ssize_t add_row(Table *table, Rows *rows)
{
    if (rows->count == rows->room && grow(table, rows, rows->room ? 2 * rows->room : 64))
        return -1;
    return rows->count++;
}

static void trim(Bytes *bytes)
{
    char *trimmed = bytes->size ? PyMem_RawRealloc(bytes->bytes, (size_t)bytes->size) : NULL;
    if (trimmed != NULL)
        bytes->bytes = trimmed, bytes->room = bytes->size;
}

int add_zeros(Table *table, Rows *rows, Py_ssize_t count)
{
    if (grow(table, rows, count + 1))
        return -1;
    for (int i = 0; i < COUNT; i++)
        if (rows_of(table, FIELDS + i) == rows)
            memset(column_of(table, FIELDS + i), 0, (size_t)count * FIELDS[i].width);
    rows->count = count;
    return 0;
}

int finish_table(Table *table)
{
    int32_t blocks = (int32_t)table->blocks.count;
    for (Py_ssize_t i = 0; i < table->nodes.count; i++) {
        int32_t action = table->actions[i];
        table->inline_nodes[i] = action == TEXT || action == LINK || action == FLEXIBLE;
        if (table->first_block[i] > blocks)
            table->first_block[i] = blocks;
        if (table->end_block[i] > blocks)
            table->end_block[i] = blocks;
    }
    for (int i = 0; i < COUNT; i++) {
        Rows *rows = rows_of(table, FIELDS + i);
        if (rows->count && set_room(table, FIELDS + i, rows->count))
            return -1;
        rows->room = rows->count;
    }
    trim(&table->text);
    trim(&table->values);
    return 0;
}

int find_column(const Table *table, const char *name, void **items, Py_ssize_t *size)
{
    static int64_t none; /* an empty column, too, has an address that is right for its items */
    int i = 0;
    while (i < COUNT && strcmp(FIELDS[i].name, name) != 0)
        i++;
    if (i == COUNT)
        return 0;
    *size = ((const Rows *)(const void *)((const char *)table + FIELDS[i].rows))->count * (Py_ssize_t)FIELDS[i].width;
    *items = *size ? column_of(table, FIELDS + i) : (void *)&none;
    return 1;
}

void free_table(Table *table)
{
    for (int i = 0; table != NULL && i < COUNT; i++)
        PyMem_RawFree(column_of(table, FIELDS + i));
    if (table == NULL)
        return;
    names_free(&table->tags);
    names_free(&table->classes);
    names_free(&table->attribute_names);
    PyMem_RawFree(table->text.bytes);
    PyMem_RawFree(table->values.bytes);
    PyMem_RawFree(table->aside_text.bytes);
    PyMem_RawFree(table);
}

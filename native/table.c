/* The rows, names and texts of a table, which grow without the interpreter's lock. */
#include "read.h"

#define CODES_f8 "d"
#define CODES_i4 "il"
#define CODES_i8 "lq"
#define CODES_b1 "?B"
#define CODES_u1 "B"
#define CODES_u2 "H"
#define CODES_u8 "LQ"
#define DESCRIBED(part, type, name, each, times) \
    {#name, #type, CODES_##type, part, (int)sizeof(type), each, times, offsetof(Table, name)},
#define OF_WALK(type, name, each, times) DESCRIBED(WALK_PART, type, name, each, times)
#define OF_TREE(type, name, each, times) DESCRIBED(TREE_PART, type, name, each, times)
#define OF_COUNTED(type, name, each, times) DESCRIBED(COUNTED_PART, type, name, each, times)
#define OF_DERIVED(type, name, each, times) DESCRIBED(DERIVED_PART, type, name, each, times)
#define OF_WORDED(type, name, each, times) DESCRIBED(WORDED_PART, type, name, each, times)
const Field FIELDS[] = {
    WALKED(OF_WALK) TREE(OF_TREE) COUNTED(OF_COUNTED) DERIVED(OF_DERIVED) WORDED(OF_WORDED){0}};
#define SET_NAMED(name, tags) {#name, tags},
const TagSet TAG_SET_NAMES[] = {TAG_SETS(SET_NAMED){0}};

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
    Py_ssize_t left = text.size - at;
    const unsigned char *rest = (const unsigned char *)text.bytes + at;
    if (left >= 4) { /* the first and the last four bytes, some of them twice */
        uint32_t first, last;
        memcpy(&first, rest, sizeof first);
        memcpy(&last, rest + left - 4, sizeof last);
        part = (uint64_t)first << 32 | last;
    } else
        part = left ? (uint64_t)rest[0] << 16 | (uint64_t)rest[left >> 1] << 8 | rest[left - 1] : 0;
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

void names_clear(Names *names)
{
    names->texts.size = names->ends.size = 0;
    if (names->slots.size)
        memset(names->slots.items, 0, (size_t)names->slots.size * sizeof *names->slots.items);
}

void names_free(Names *names)
{
    PyMem_RawFree(names->texts.bytes);
    PyMem_RawFree(names->ends.items);
    PyMem_RawFree(names->slots.items);
    memset(names, 0, sizeof *names);
}

static int is_row(const Field *field, int list) { return field->part <= TREE_PART && field->each == list; }

/* Give the arrays of a list another room; without memory they stay as they are. */
static int set_room(Table *table, int list, Py_ssize_t room)
{
    for (const Field *field = FIELDS; field->name != NULL; field++)
        if (is_row(field, list)) {
            void *array = PyMem_RawRealloc(array_of(table, field), (size_t)room * (size_t)field->width);
            if (array == NULL)
                return -1;
            set_array(table, field, array);
        }
    table->rooms[list] = room;
    return 0;
}

Py_ssize_t add_row(Table *table, int list)
{
    Py_ssize_t room = table->rooms[list];
    if (table->counts[list] == room && set_room(table, list, room ? 2 * room : 64))
        return -1;
    return table->counts[list]++;
}

int add_zeros(Table *table, int list, Py_ssize_t count)
{
    if (set_room(table, list, count + 1))
        return -1;
    table->counts[list] = count;
    for (const Field *field = FIELDS; field->name != NULL; field++)
        if (is_row(field, list))
            memset(array_of(table, field), 0, bytes_of(table, field));
    return 0;
}

int lay_out(Table *table, int part)
{
    size_t size = 1;
    for (const Field *field = FIELDS; field->name != NULL; field++)
        size += field->part == part ? ROUNDED(bytes_of(table, field)) : 0;
    char *next = table->of_part[part] = PyMem_RawCalloc(1, size);
    for (const Field *field = FIELDS; next != NULL && field->name != NULL; field++)
        if (field->part == part) {
            set_array(table, field, next);
            next += ROUNDED(bytes_of(table, field));
        }
    return next == NULL ? -1 : 0;
}

static void trim(Bytes *bytes)
{
    char *trimmed = bytes->size ? PyMem_RawRealloc(bytes->bytes, (size_t)bytes->size) : NULL;
    if (trimmed != NULL)
        bytes->bytes = trimmed, bytes->room = bytes->size;
}

int finish_table(Table *table)
{
    int32_t blocks = (int32_t)table->n;
    for (Py_ssize_t i = 0; i < table->m; i++) {
        int32_t action = table->actions[i];
        table->is_inline[i] = action == TEXT || action == LINK || action == FLEXIBLE;
        if (table->first_block[i] > blocks)
            table->first_block[i] = blocks;
        if (table->end_block[i] > blocks)
            table->end_block[i] = blocks;
    }
    for (int list = 0; list < ALL_LISTS; list++)
        if (table->counts[list] && set_room(table, list, table->counts[list]))
            return -1;
    trim(&table->text);
    trim(&table->value_text);
    return 0;
}

void free_table(Table *table)
{
    for (const Field *field = FIELDS; field->name != NULL; field++)
        if (field->part <= TREE_PART)
            PyMem_RawFree(array_of(table, field));
    for (int part = 0; part < PARTS; part++)
        PyMem_RawFree(table->of_part[part]);
    names_free(&table->tags);
    names_free(&table->classes);
    names_free(&table->attribute_names);
    PyMem_RawFree(table->text.bytes);
    PyMem_RawFree(table->value_text.bytes);
    PyMem_RawFree(table->aside_text.bytes);
}

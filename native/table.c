/* The table of a page as an object: its columns by name, and texts and attributes, which are made when asked for. */
#include "table.h"
#include <stddef.h>
#include <structmember.h>

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

/* The column of a table as a buffer. */
typedef struct {
    PyObject_HEAD
    Table *table;
    void *items;
    Py_ssize_t size;
} Column;

static int column_buffer(PyObject *self, Py_buffer *view, int flags)
{
    static int64_t none; /* an empty column, too, has an address that is right for its items */
    Column *column = (Column *)self;
    return PyBuffer_FillInfo(view, self, column->size ? column->items : (void *)&none, column->size, 1, flags);
}

static void column_dealloc(PyObject *self)
{
    Py_DECREF(((Column *)self)->table);
    Py_TYPE(self)->tp_free(self);
}

static PyBufferProcs column_as_buffer = {column_buffer, NULL};

PyTypeObject ColumnType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Column",
    .tp_basicsize = sizeof(Column),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A column of a table, a buffer.",
    .tp_as_buffer = &column_as_buffer,
    .tp_dealloc = column_dealloc,
};

static PyObject *get_column(PyObject *self, void *field)
{
    Table *table = (Table *)self;
    Column *column = PyObject_New(Column, &ColumnType);
    if (column != NULL) {
        column->table = (Table *)Py_NewRef(self);
        column->items = column_of(table, field);
        column->size = rows_of(table, field)->count * (Py_ssize_t)((const Field *)field)->width;
    }
    return (PyObject *)column;
}

/* Return the text of a part. A text made from an address may have halves of surrogate pairs. */
static PyObject *text_of(Part part) { return PyUnicode_DecodeUTF8(part.bytes, part.size, "surrogatepass"); }

/* Texts of names by number. Those of tags and attributes are interned, as in Python's sources. */
static PyObject *texts_of_names(const Names *names, int are_interned)
{
    PyObject *texts = PyTuple_New(names->ends.size);
    for (Py_ssize_t i = 0; texts != NULL && i < names->ends.size; i++) {
        PyObject *text = text_of(names_text(names, i));
        if (text == NULL)
            Py_CLEAR(texts);
        else {
            if (are_interned)
                PyUnicode_InternInPlace(&text);
            PyTuple_SET_ITEM(texts, i, text);
        }
    }
    return texts;
}

static PyObject *get_tags(PyObject *self, void *closure)
{
    (void)closure;
    Table *table = (Table *)self;
    PyObject *names = texts_of_names(&table->tags, 1), *tags = names == NULL ? NULL : PyTuple_New(table->nodes.count);
    for (Py_ssize_t i = 0; tags != NULL && i < table->nodes.count; i++)
        PyTuple_SET_ITEM(tags, i, Py_NewRef(PyTuple_GET_ITEM(names, table->tag[i])));
    Py_XDECREF(names);
    return tags;
}

static PyObject *get_tag_names(PyObject *self, void *closure)
{
    (void)closure;
    return texts_of_names(&((Table *)self)->tags, 1);
}

static PyObject *get_classes(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *classes = texts_of_names(&((Table *)self)->classes, 0), *list = classes == NULL ? NULL : PySequence_List(classes);
    Py_XDECREF(classes);
    return list;
}

static PyObject *get_texts(PyObject *self, void *closure)
{
    (void)closure;
    Table *table = (Table *)self;
    if (table->texts != NULL)
        return Py_NewRef(table->texts);
    PyObject *texts = PyTuple_New(table->blocks.count);
    for (Py_ssize_t i = 0; texts != NULL && i < table->blocks.count; i++) {
        PyObject *text = text_of(table_part(&table->text, table->block_start[i], table->block_size[i]));
        if (text == NULL)
            Py_CLEAR(texts);
        else
            PyTuple_SET_ITEM(texts, i, text);
    }
    if (texts != NULL && table->texts == NULL)
        table->texts = Py_NewRef(texts);
    return texts;
}

/* The text of a run: that of its block if it is all of it. */
static PyObject *new_run(Table *table, Py_ssize_t run)
{
    int32_t start = table->run_start[run], size = table->run_size[run], block = table->run_block[run];
    if (block >= table->blocks.count || start != table->block_start[block] || size != table->block_size[block])
        return text_of(table_part(&table->text, start, size));
    PyObject *texts = get_texts((PyObject *)table, NULL);
    PyObject *text = texts == NULL ? NULL : Py_NewRef(PyTuple_GET_ITEM(texts, block));
    Py_XDECREF(texts);
    return text;
}

static Py_ssize_t first_attribute(const Table *table, Py_ssize_t node) { return node ? table->attributes_end[node - 1] : 0; }

static Part value_of(const Table *table, Py_ssize_t attribute)
{
    return table_part(&table->values, table->value_start[attribute], table->value_size[attribute]);
}

static PyObject *attribute_texts(Table *table)
{
    if (table->attribute_texts == NULL)
        table->attribute_texts = texts_of_names(&table->attribute_names, 1);
    return table->attribute_texts;
}

static PyObject *no_attributes; /* the mapping of all elements without attributes, which is only read */

/* The attributes of an element as a mapping. */
static PyObject *new_attributes(Table *table, Py_ssize_t node)
{
    if (first_attribute(table, node) == table->attributes_end[node])
        return Py_NewRef(no_attributes);
    PyObject *names = attribute_texts(table), *mapping = names == NULL ? NULL : PyDict_New();
    for (Py_ssize_t i = first_attribute(table, node); mapping != NULL && i < table->attributes_end[node]; i++) {
        PyObject *value = text_of(value_of(table, i));
        if (value == NULL || PyDict_SetItem(mapping, PyTuple_GET_ITEM(names, table->attribute_name[i]), value))
            Py_CLEAR(mapping);
        Py_XDECREF(value);
    }
    return mapping;
}

/* A sequence whose items are made when they are asked for; a view of some of a table's. */
typedef struct {
    PyObject_HEAD
    Table *table;
    int kind;
    Py_ssize_t first, count;
} Items;

static Py_ssize_t most_items(const Table *table, int kind) { return kind == ATTRIBUTES ? table->nodes.count : table->runs.count; }

static PyObject *new_items(Table *table, int kind, Py_ssize_t first, Py_ssize_t count)
{
    if (table->made[kind] == NULL
        && (table->made[kind] = PyMem_RawCalloc((size_t)most_items(table, kind) + 1, sizeof(PyObject *))) == NULL)
        return PyErr_NoMemory();
    Items *items = PyObject_New(Items, &ItemsType);
    if (items != NULL) {
        items->table = (Table *)Py_NewRef(table);
        items->kind = kind, items->first = first, items->count = count;
    }
    return (PyObject *)items;
}

static PyObject *items_item(PyObject *self, Py_ssize_t place)
{
    Items *items = (Items *)self;
    if (place < 0 || place >= items->count)
        return PyErr_Format(PyExc_IndexError, "no such item");
    PyObject **made = items->table->made[items->kind] + items->first + place;
    if (*made == NULL) {
        PyObject *item = items->kind == ATTRIBUTES ? new_attributes(items->table, items->first + place)
                                                   : new_run(items->table, items->first + place);
        if (item == NULL)
            return NULL;
        Py_XSETREF(*made, item);
    }
    return Py_NewRef(*made);
}

static Py_ssize_t items_length(PyObject *self) { return ((Items *)self)->count; }

static PyObject *items_subscript(PyObject *self, PyObject *key)
{
    Items *items = (Items *)self;
    Py_ssize_t start, stop, step;
    if (!PySlice_Check(key)) {
        Py_ssize_t place = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (place == -1 && PyErr_Occurred())
            return NULL;
        return items_item(self, place < 0 ? place + items->count : place);
    }
    if (PySlice_Unpack(key, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t count = PySlice_AdjustIndices(items->count, &start, &stop, step);
    if (step == 1)
        return new_items(items->table, items->kind, items->first + start, count);
    PyObject *all = PySequence_Tuple(self), *some = all == NULL ? NULL : PyObject_GetItem(all, key);
    Py_XDECREF(all);
    return some;
}

/* Items equal a sequence with equal items. */
static PyObject *items_compare(PyObject *self, PyObject *other, int operation)
{
    if (!PyObject_TypeCheck(other, &ItemsType) && !PyTuple_Check(other))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *own = PySequence_Tuple(self), *others = own == NULL ? NULL : PySequence_Tuple(other);
    PyObject *answer = others == NULL ? NULL : PyObject_RichCompare(own, others, operation);
    Py_XDECREF(own);
    Py_XDECREF(others);
    return answer;
}

static PyObject *items_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *own = PySequence_Tuple(self);
    return own == NULL ? NULL : Py_BuildValue("O(N)", &PyTuple_Type, own);
}

/* having(names): the places of the items with one of the named attributes, bytes of int32. */
static PyObject *items_having(PyObject *self, PyObject *names)
{
    Items *items = (Items *)self;
    PyObject *known = items->kind == ATTRIBUTES ? attribute_texts(items->table) : NULL;
    if (known == NULL)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "having: these items have no attributes");
    char *chosen = PyMem_RawCalloc((size_t)PyTuple_GET_SIZE(known) + 1, 1);
    Ints places = {NULL, 0, 0};
    int failed = chosen == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(known); i++) {
        int is_in = PySequence_Contains(names, PyTuple_GET_ITEM(known, i));
        failed = is_in < 0, chosen[i] = is_in > 0;
    }
    for (Py_ssize_t node = 0; !failed && node < items->count; node++) {
        Py_ssize_t at = first_attribute(items->table, items->first + node);
        Py_ssize_t end = items->table->attributes_end[items->first + node];
        while (at < end && !chosen[items->table->attribute_name[at]])
            at++;
        if (at < end)
            failed = ints_push(&places, node);
    }
    if (failed && !PyErr_Occurred())
        PyErr_NoMemory();
    PyObject *bytes = failed ? NULL : PyBytes_FromStringAndSize((const char *)places.items, places.size * 4);
    PyMem_RawFree(chosen);
    PyMem_RawFree(places.items);
    return bytes;
}

/* Number the values of one attribute by element, "" for none; -1 without memory. */
static int number_values(const Items *items, Py_ssize_t name, Names *distinct, int64_t *numbers)
{
    const Table *table = items->table;
    for (Py_ssize_t i = 0; i < items->count; i++) {
        Py_ssize_t at = first_attribute(table, items->first + i), end = table->attributes_end[items->first + i];
        while (at < end && table->attribute_name[at] != name)
            at++;
        numbers[i] = names_number(distinct, at < end ? value_of(table, at) : (Part){"", 0});
        if (numbers[i] < 0)
            return -1;
    }
    return 0;
}

/* values(name): the number of each item's value of an attribute ("" for none) in order of occurrence, bytes of int64,
 * and the list of distinct values. */
static PyObject *items_values(PyObject *self, PyObject *name)
{
    Items *items = (Items *)self;
    PyObject *known = items->kind == ATTRIBUTES ? attribute_texts(items->table) : NULL;
    if (known == NULL || !PyUnicode_Check(name))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "values: the name of an attribute");
    Names distinct = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    Py_ssize_t number = 0;
    while (number < PyTuple_GET_SIZE(known) && PyUnicode_Compare(PyTuple_GET_ITEM(known, number), name) != 0)
        number++;
    PyObject *numbers = PyBytes_FromStringAndSize(NULL, items->count * 8), *values = NULL;
    if (numbers != NULL && number_values(items, number, &distinct, (int64_t *)(void *)PyBytes_AS_STRING(numbers)))
        PyErr_NoMemory();
    else if (numbers != NULL)
        values = PyList_New(distinct.ends.size);
    for (Py_ssize_t i = 0; values != NULL && i < distinct.ends.size; i++) {
        PyObject *value = text_of(names_text(&distinct, i));
        if (value == NULL)
            Py_CLEAR(values);
        else
            PyList_SET_ITEM(values, i, value);
    }
    names_free(&distinct);
    if (values != NULL)
        return Py_BuildValue("NN", numbers, values);
    Py_XDECREF(numbers);
    return NULL;
}

static void items_dealloc(PyObject *self)
{
    Py_DECREF(((Items *)self)->table);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef items_methods[] = {
    {"having", items_having, METH_O, "Find items with attributes."},
    {"values", items_values, METH_O, "Number values of an attribute."},
    {"__reduce__", items_reduce, METH_NOARGS, "Write the items as a tuple."},
    {NULL, NULL, 0, NULL},
};

static PySequenceMethods items_as_sequence = {.sq_length = items_length, .sq_item = items_item};
static PyMappingMethods items_as_mapping = {items_length, items_subscript, NULL};

PyTypeObject ItemsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Items",
    .tp_basicsize = sizeof(Items),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_SEQUENCE,
    .tp_doc = "A sequence whose items are made when they are asked for.",
    .tp_as_sequence = &items_as_sequence,
    .tp_as_mapping = &items_as_mapping,
    .tp_richcompare = items_compare,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_methods = items_methods,
    .tp_dealloc = items_dealloc,
};

static PyObject *get_items(PyObject *self, void *kind)
{
    int number = (int)(intptr_t)kind;
    return new_items((Table *)self, number, 0, most_items((Table *)self, number));
}

/* Make rows (run, node, after, value) of the asides of a kind; a value is a text, or a number of characters. */
static PyObject *asides_of(const Table *table, long kind, int are_texts)
{
    PyObject *rows = PyList_New(0);
    for (Py_ssize_t i = 0; rows != NULL && i < table->asides.count; i++) {
        if (table->aside_kind[i] != kind)
            continue;
        Part part = table_part(&table->aside_text, table->aside_start[i], are_texts ? table->aside_size[i] : 0);
        PyObject *value = are_texts ? text_of(part) : PyLong_FromLong(table->aside_size[i]);
        PyObject *row = value == NULL ? NULL
                                      : Py_BuildValue("(iiiN)", table->aside_run[i], table->aside_node[i],
                                                      table->aside_after[i], value);
        if (row == NULL || PyList_Append(rows, row))
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

static PyObject *table_asides(PyObject *self, PyObject *kind, int are_texts)
{
    long number = PyLong_AsLong(kind);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if ((number == HIDDEN || number == DISCARDED) == are_texts)
        return PyErr_Format(PyExc_ValueError, "no such kind of asides");
    return asides_of((const Table *)self, number, are_texts);
}

static PyObject *table_aside_texts(PyObject *self, PyObject *kind) { return table_asides(self, kind, 1); }

static PyObject *table_aside_sizes(PyObject *self, PyObject *kind) { return table_asides(self, kind, 0); }

static PyObject *table_count(PyObject *self, PyObject *characters)
{
    Table *table = (Table *)self;
    if (!PyObject_TypeCheck(characters, &CharactersType))
        return PyErr_Format(PyExc_TypeError, "count(characters)");
    if (table->counted.room || table->counted_runs.room)
        Py_RETURN_NONE;
    if (grow(table, &table->counted, table->blocks.count + 1) || grow(table, &table->counted_runs, table->runs.count + 1))
        return PyErr_NoMemory();
    int failed;
    Py_BEGIN_ALLOW_THREADS
    failed = count_table(table, (const Characters *)characters);
    Py_END_ALLOW_THREADS
    if (failed)
        return PyErr_NoMemory();
    table->counted.count = table->blocks.count, table->counted_runs.count = table->runs.count;
    Py_RETURN_NONE;
}

Table *new_table(void) { return (Table *)TableType.tp_alloc(&TableType, 0); }

/* Add the text of a Python string, in UTF-8; nonzero with an exception. */
static int add_string(Bytes *bytes, PyObject *string)
{
    if (!PyUnicode_Check(string))
        return PyErr_Format(PyExc_TypeError, "each text is a str") == NULL;
    PyObject *encoded = PyUnicode_AsEncodedString(string, "utf-8", "surrogatepass");
    int failed = encoded == NULL;
    if (!failed && (failed = bytes_add(bytes, (Part){PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded)})))
        PyErr_NoMemory();
    Py_XDECREF(encoded);
    return failed;
}

/* Make rows of zeros; nonzero without memory. */
static int add_zeros(Table *table, Rows *rows, Py_ssize_t count)
{
    if (grow(table, rows, count + 1))
        return PyErr_NoMemory() == NULL;
    for (int i = 0; i < COUNT; i++)
        if (rows_of(table, FIELDS + i) == rows)
            memset(column_of(table, FIELDS + i), 0, (size_t)count * FIELDS[i].width);
    rows->count = count;
    return 0;
}

/* Add texts, with their places in two columns; nonzero with an exception. */
static int add_strings(Table *table, PyObject *strings, int32_t *starts, int32_t *sizes)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(strings); i++) {
        starts[i] = (int32_t)table->text.size;
        if (add_string(&table->text, PyTuple_GET_ITEM(strings, i)))
            return -1;
        sizes[i] = (int32_t)table->text.size - starts[i];
    }
    return 0;
}

/* Table(texts, runs): a table of texts alone, to count them. */
static PyObject *table_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *const NAMES[] = {"texts", "runs", NULL};
    PyObject *texts, *runs;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!", (char **)NAMES, &PyTuple_Type, &texts, &PyTuple_Type, &runs))
        return NULL;
    Table *table = (Table *)type->tp_alloc(type, 0);
    if (table != NULL
        && (add_zeros(table, &table->blocks, PyTuple_GET_SIZE(texts))
            || add_zeros(table, &table->runs, PyTuple_GET_SIZE(runs))
            || add_strings(table, texts, table->block_start, table->block_size)
            || add_strings(table, runs, table->run_start, table->run_size)))
        Py_CLEAR(table);
    return (PyObject *)table;
}

static void free_items(PyObject **items, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; items != NULL && i < count; i++)
        Py_XDECREF(items[i]);
    PyMem_RawFree(items);
}

static void table_dealloc(PyObject *self)
{
    Table *table = (Table *)self;
    for (int kind = 0; kind < SEQUENCES; kind++)
        free_items(table->made[kind], most_items(table, kind));
    for (int i = 0; i < COUNT; i++)
        PyMem_RawFree(column_of(table, FIELDS + i));
    names_free(&table->tags);
    names_free(&table->classes);
    names_free(&table->attribute_names);
    PyMem_RawFree(table->text.bytes);
    PyMem_RawFree(table->values.bytes);
    PyMem_RawFree(table->aside_text.bytes);
    Py_XDECREF(table->formulas);
    Py_XDECREF(table->texts);
    Py_XDECREF(table->attribute_texts);
    Py_TYPE(self)->tp_free(self);
}

static int is_same_bytes(const Bytes *bytes, const Bytes *other)
{
    return is_same((Part){bytes->bytes, bytes->size}, (Part){other->bytes, other->size});
}

/* Whether two tables have equal columns and texts, from the same events. */
static int is_same_table(Table *table, Table *other)
{
    for (int i = 0; i < COUNT; i++) {
        Py_ssize_t size = rows_of(table, FIELDS + i)->count * (Py_ssize_t)FIELDS[i].width;
        Py_ssize_t other_size = rows_of(other, FIELDS + i)->count * (Py_ssize_t)FIELDS[i].width;
        if (!is_same((Part){column_of(table, FIELDS + i), size}, (Part){column_of(other, FIELDS + i), other_size}))
            return 0;
    }
    return is_same_bytes(&table->tags.texts, &other->tags.texts) && is_same_bytes(&table->classes.texts, &other->classes.texts)
           && is_same_bytes(&table->attribute_names.texts, &other->attribute_names.texts)
           && is_same_bytes(&table->text, &other->text) && is_same_bytes(&table->values, &other->values)
           && is_same_bytes(&table->aside_text, &other->aside_text) && table->chars == other->chars
           && table->noscript_chars == other->noscript_chars && table->torn == other->torn
           && table->is_deep == other->is_deep && table->is_full == other->is_full && table->is_over == other->is_over;
}

static PyObject *table_compare(PyObject *self, PyObject *other, int operation)
{
    if (!PyObject_TypeCheck(other, &TableType) || (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong(is_same_table((Table *)self, (Table *)other) == (operation == Py_EQ));
}

#define GETTER(list, type, per, name) {#name, get_column, NULL, NULL, NULL},
static PyGetSetDef table_getters[COUNT + 7] = {
    COLUMNS(GETTER)
    {"tags", get_tags, NULL, "The tag of each element.", NULL},
    {"tag_names", get_tag_names, NULL, "The different tags in order of occurrence.", NULL},
    {"classes", get_classes, NULL, "The different classes in order of occurrence.", NULL},
    {"texts", get_texts, NULL, "The text of each block.", NULL},
    {"attributes", get_items, NULL, "The attributes of each element.", (void *)(intptr_t)ATTRIBUTES},
    {"run_texts", get_items, NULL, "The text of each run.", (void *)(intptr_t)RUN_TEXTS},
};

static PyMethodDef table_methods[] = {
    {"aside_texts", table_aside_texts, METH_O, "Texts in no block, of a kind."},
    {"aside_sizes", table_aside_sizes, METH_O, "Characters in no block, of a kind."},
    {"count", table_count, METH_O, "Count the texts."},
    {NULL, NULL, 0, NULL},
};

#define MEMBER(name, type, text) {#name, type, offsetof(Table, name), READONLY, text}
static PyMemberDef table_members[] = {
    MEMBER(formulas, T_OBJECT, "Formulas by run."),
    MEMBER(chars, T_PYSSIZET, "Characters of the texts."),
    MEMBER(noscript_chars, T_PYSSIZET, "Characters in `noscript`."),
    MEMBER(torn, T_INT, "Whether a text was joined with that of a block-level element before."),
    MEMBER(is_deep, T_INT, "Whether elements were too deep."),
    MEMBER(is_full, T_INT, "Whether there were too many elements."),
    MEMBER(is_over, T_INT, "Whether there were too many blocks."),
    MEMBER(has_frames, T_INT, "Whether a frame has its page in `srcdoc`."),
    MEMBER(has_marks, T_INT, "Whether the counted texts have characters without width."),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject TableType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Table",
    .tp_basicsize = sizeof(Table),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The elements, runs and blocks of a page.",
    .tp_new = table_new,
    .tp_dealloc = table_dealloc,
    .tp_getset = table_getters,
    .tp_methods = table_methods,
    .tp_members = table_members,
    .tp_richcompare = table_compare,
    .tp_hash = PyObject_HashNotImplemented,
};

/* Set what the types of this file need; -1 with an exception. */
int open_table(void)
{
    for (int i = 0; i < COUNT; i++)
        table_getters[i].closure = (void *)(uintptr_t)(FIELDS + i);
    if (no_attributes == NULL)
        no_attributes = PyDict_New();
    return no_attributes == NULL ? -1 : 0;
}

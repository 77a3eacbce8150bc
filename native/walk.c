/* Walk over a parser's events, and fill the table of a page's elements, runs and blocks.
 *
 * An element that may stand in a line ("flexible") becomes block-level if a boundary begins inside it. `holders` has
 * these elements. `torn` is set if text before such an element was joined with its own text.
 *
 * Rare cases stay in Python, and the walk calls them: styles, hidden elements, texts that stand aside. From an element
 * that may be a formula, events go to a `FormulaWalk` until it waits for nothing more. */
#include "core.h"
#include <stddef.h>
#include <structmember.h>

typedef struct {
    int text, drop, root, breaks, add_space, link, flexible, code_line; /* actions, as in elements.py */
    int split_br, split_block;
} Actions;

enum { DISPLAYED, IS_HIDDEN, SETS_APART, IS_JSON_LD, SHOWS, IS_FORMULA, FULL, OVER_BLOCKS, FORMULA_WALK, VISIBLE, VISIBLE_FORMULA,
       CALLS };
enum { UNIT = 1, APART, NUMBERS }; /* roles of elements in code */

typedef struct {
    PyObject_HEAD
    PyObject *actions, *block_level; /* dict, frozenset of int */
    PyObject *chosen; /* frozenset of the tags that blocks are restricted to, empty for all */
    PyObject *aside, *no_attributes; /* SkippedTexts, an empty mapping */
    PyObject *calls[CALLS];
    Actions is;
    int hides, watches, controls; /* watches for formulas; may have control characters */
    PyObject *formula_walk, *formulas; /* NULL while there is none to read; dict by run */
    int is_asked;                      /* the formula walk has the event */
    PyObject *roles;                   /* bytes: the role of each element in code, up to the last with one */
    Py_ssize_t unit, bar, numbers;     /* depths of the open ones, 0 for none */
    Py_ssize_t max_blocks, max_depth, max_nodes;
    PyObject *tags, *attributes, *texts, *runs, *blanks, *discarded; /* lists */
    PyObject *roots;                                                 /* tag -> node */
    Ints action, parent, node_end, first_block, end_block;           /* of nodes */
    Ints block_node, block_split, run_count;                         /* of blocks */
    Ints run_node, run_after;                                        /* of runs */
    Ints path, boundaries, open_flexible, runs_before, holders, closed, formula_runs;
    Py_ssize_t pre, skipped, too_deep, pending, chars;
    int torn, has_text, after_br, after, split_bits, truncated, in_reading, listens;
} Walk;

static PyObject *names[18]; /* interned: see `NAMES` */
enum { STYLE, HIDDEN, CLASS, SHADOW, DIALOG, TEMPLATE, IMG, PRE, BODY, BEGIN, ADD, START, END, DATA, CLOSE, ATOM,
       WAITING, SHOWN };
static const char *const NAMES[] = {"style", "hidden", "class", "shadowrootmode", "dialog",
                                    "template", "img", "pre", "body", "begin", "add", "start", "end", "data",
                                    "close", "atom", "waiting", "shown"};
static PyObject *ends_before, *space, *json_ld, *hidden_tag, *empty, *line_end;

static inline Py_ssize_t nodes_of(Walk *walk) { return PyList_GET_SIZE(walk->tags); }

/* Return whether two texts are equal. The second is interned: equal interned texts are one object. */
static inline int is_text(PyObject *text, PyObject *other)
{
    return text == other || (!PyUnicode_CHECK_INTERNED(text) && PyUnicode_Compare(text, other) == 0);
}

static inline int is_name(PyObject *tag, int name) { return is_text(tag, names[name]); }

/* Return whether a mapping has a name; -1 with an exception. Dicts, the usual case, raise no KeyError on the way. */
static inline int has_name(PyObject *attributes, int name)
{
    return PyDict_CheckExact(attributes) ? PyDict_Contains(attributes, names[name])
                                         : PyMapping_HasKey(attributes, names[name]);
}

/* Call Python, and return whether the answer is true; -1 with an exception. */
static int asks(PyObject *call, PyObject *const *args, size_t n)
{
    PyObject *answer = PyObject_Vectorcall(call, args, n, NULL);
    if (answer == NULL)
        return -1;
    int yes = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return yes;
}

/* Return an integer; INT32_MIN with an exception for any other object. */
static int whole(PyObject *number)
{
    long value = PyLong_AsLong(number);
    return value == -1 && PyErr_Occurred() ? INT32_MIN : (int)value;
}

static int action_of(Walk *walk, PyObject *tag)
{
    PyObject *action = PyDict_GetItemWithError(walk->actions, tag);
    if (action == NULL)
        return PyErr_Occurred() ? INT32_MIN : walk->is.flexible;
    return whole(action);
}

/* The text with white space folded, `" ".join(text.split())`; a new reference. */
static PyObject *folded(PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *chars = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), length = 0;
    int after_space = 1, plain = 1;
    for (Py_ssize_t i = 0; i < size && plain; i++) {
        Py_UCS4 code = PyUnicode_READ(kind, chars, i);
        int is_space = Py_UNICODE_ISSPACE(code);
        plain = !is_space || (code == ' ' && !after_space);
        after_space = is_space;
    }
    if (plain && !(after_space && size)) {
        Py_INCREF(text);
        return text;
    }
    char *buffer = PyMem_Malloc((size_t)(size ? size : 1) * (size_t)kind);
    if (buffer == NULL)
        return PyErr_NoMemory();
    int gap = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 code = PyUnicode_READ(kind, chars, i);
        if (Py_UNICODE_ISSPACE(code)) {
            gap = length > 0;
            continue;
        }
        if (gap)
            PyUnicode_WRITE(kind, buffer, length++, ' ');
        gap = 0;
        PyUnicode_WRITE(kind, buffer, length++, code);
    }
    PyObject *line = PyUnicode_FromKindAndData(kind, buffer, length);
    PyMem_Free(buffer);
    return line;
}

static int is_blank(PyObject *text) /* text.isspace() */
{
    int kind = PyUnicode_KIND(text);
    const void *chars = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = 0; i < size; i++)
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, chars, i)))
            return 0;
    return size > 0;
}

static Py_ssize_t solid_chars(PyObject *text) /* len("".join(text.split())) */
{
    int kind = PyUnicode_KIND(text);
    const void *chars = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), solid = 0;
    for (Py_ssize_t i = 0; i < size; i++)
        solid += !Py_UNICODE_ISSPACE(PyUnicode_READ(kind, chars, i));
    return solid;
}

static int shows(Walk *walk, PyObject *text)
{
    if (PyUnicode_GET_LENGTH(text)) {
        Py_UCS4 first = PyUnicode_READ_CHAR(text, 0);
        if ('!' <= first && first <= '~')
            return 1;
    }
    return asks(walk->calls[SHOWS], &text, 1);
}

static int add_block(Walk *walk, PyObject *text)
{
    if (PyList_GET_SIZE(walk->texts) == walk->max_blocks) {
        PyErr_SetNone(walk->calls[OVER_BLOCKS]);
        return -1;
    }
    if (PyList_Append(walk->texts, text) || ints_push(&walk->block_node, ints_last(&walk->boundaries, 0))
        || ints_push(&walk->block_split, walk->split_bits))
        return -1;
    walk->split_bits = 0;
    return ints_push(&walk->run_count, walk->pending);
}

/* Note a text that is in no block, and the run that it stands before, unless it is blank. */
static int discard(Walk *walk, PyObject *text, Py_ssize_t run, int32_t node)
{
    Py_ssize_t chars = solid_chars(text);
    PyObject *row = chars ? Py_BuildValue("(nin)", run, node, chars) : NULL;
    int failed = chars && (row == NULL || PyList_Append(walk->discarded, row));
    Py_XDECREF(row);
    return failed ? -1 : 0;
}

static int discard_runs(Walk *walk)
{
    Py_ssize_t size = PyList_GET_SIZE(walk->runs), first = size - walk->pending;
    for (Py_ssize_t i = first; i < size; i++)
        if (discard(walk, PyList_GET_ITEM(walk->runs, i), first, walk->run_node.items[i]))
            return -1;
    while (walk->formula_runs.size && ints_last(&walk->formula_runs, 0) >= first) {
        PyObject *run = PyLong_FromLong(walk->formula_runs.items[--walk->formula_runs.size]);
        if (run == NULL || PyDict_DelItem(walk->formulas, run)) {
            Py_XDECREF(run);
            return -1;
        }
        Py_DECREF(run);
    }
    walk->run_node.size = walk->run_after.size = first;
    for (Py_ssize_t i = 0; i < walk->closed.size; i++)
        walk->end_block.items[walk->closed.items[i]] = (int32_t)PyList_GET_SIZE(walk->texts);
    return PyList_SetSlice(walk->runs, first, size, NULL);
}

/* Join the open runs to one folded text. If it equals the last run, return that run, to keep one text in memory. */
static PyObject *open_text(Walk *walk)
{
    Py_ssize_t size = PyList_GET_SIZE(walk->runs);
    PyObject *last = PyList_GET_ITEM(walk->runs, size - 1), *line;
    if (walk->pending == 1)
        line = folded(last);
    else {
        PyObject *open = PyList_GetSlice(walk->runs, size - walk->pending, size);
        PyObject *joined = open == NULL ? NULL : PyUnicode_Join(empty, open);
        line = joined == NULL ? NULL : folded(joined);
        Py_XDECREF(open);
        Py_XDECREF(joined);
    }
    if (line != NULL && line != last && PyUnicode_Compare(line, last) == 0) {
        Py_INCREF(last);
        Py_SETREF(line, last);
    }
    return line;
}

static inline int is_restricted(const Walk *walk) { return PySet_GET_SIZE(walk->chosen) > 0; }

/* Return whether the open text is inside one of the chosen elements, if there are any; -1 with an exception. */
static int in_chosen(const Walk *walk)
{
    int32_t node = ints_last(&walk->boundaries, -1);
    if (!is_restricted(walk))
        return 1;
    return node < 0 ? 0 : PySet_Contains(walk->chosen, PyList_GET_ITEM(walk->tags, node));
}

/* Return whether the open text is a block; -1 with an exception. */
static int is_block(Walk *walk, PyObject *text)
{
    int is_in = walk->has_text ? in_chosen(walk) : 0;
    return is_in > 0 ? shows(walk, text) : is_in;
}

/* Close the open block if it shows text, else discard its runs. Note what separates it from the next block. */
static int flush(Walk *walk, int bits)
{
    if (walk->pending) {
        PyObject *text = open_text(walk);
        int is_shown = text == NULL ? -1 : is_block(walk, text);
        int failed = is_shown < 0 || (is_shown ? add_block(walk, text) : discard_runs(walk));
        Py_XDECREF(text);
        if (failed)
            return -1;
        walk->pending = walk->has_text = walk->after_br = 0;
        walk->closed.size = 0;
    }
    walk->split_bits |= bits;
    return 0;
}

/* Return whether a text has characters that `visible` of page/chars.py drops or replaces. */
static int has_controls(PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *chars = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 code = PyUnicode_READ(kind, chars, i);
        if ((code < 32 && code != '\t' && code != '\n' && code != '\r') || (0x7F <= code && code <= 0x9F)
            || (0xD800 <= code && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF)
            return 1;
    }
    return 0;
}

/* A text without control characters; a new reference. */
static PyObject *visible(Walk *walk, PyObject *text)
{
    if (!walk->controls || !PyUnicode_Check(text) || !has_controls(text))
        return Py_NewRef(text);
    return PyObject_CallOneArg(walk->calls[VISIBLE], text);
}

static PyObject *visible_attributes(Walk *walk, PyObject *attributes)
{
    PyObject *name, *value, *clean = NULL;
    if (!walk->controls || !PyDict_CheckExact(attributes))
        return Py_NewRef(attributes);
    clean = PyDict_New();
    for (Py_ssize_t at = 0; clean != NULL && PyDict_Next(attributes, &at, &name, &value);) {
        PyObject *clean_name = visible(walk, name), *clean_value = visible(walk, value);
        if (clean_name == NULL || clean_value == NULL || PyDict_SetItem(clean, clean_name, clean_value))
            Py_CLEAR(clean);
        Py_XDECREF(clean_name);
        Py_XDECREF(clean_value);
    }
    return clean;
}

static int take_visible(Walk *walk, PyObject *text);

static int take_text(Walk *walk, PyObject *text)
{
    PyObject *clean = visible(walk, text);
    int failed = clean == NULL;
    if (!failed && (PyUnicode_GET_LENGTH(clean) || !walk->controls))
        failed = take_visible(walk, clean);
    Py_XDECREF(clean);
    return failed;
}

static int is_any(PyObject *tag, const char *const *tags)
{
    while (*tags != NULL && PyUnicode_CompareWithASCIIString(tag, *tags) != 0)
        tags++;
    return *tags != NULL;
}

enum { MAX_AMOUNT = 24 }; /* characters of a block that may be an amount: "2 yemek kaşığı" */

/* Read the open text if it is short; return its length without spaces at its start, 0 if it is too long. */
static int open_chars(const Walk *walk, Py_UCS4 *chars)
{
    int length = 0;
    for (Py_ssize_t i = PyList_GET_SIZE(walk->runs) - walk->pending; i < PyList_GET_SIZE(walk->runs); i++) {
        PyObject *run = PyList_GET_ITEM(walk->runs, i);
        for (Py_ssize_t at = 0; at < PyUnicode_GET_LENGTH(run); at++) {
            Py_UCS4 code = PyUnicode_READ_CHAR(run, at);
            if (!length && Py_UNICODE_ISSPACE(code))
                continue;
            if (length == MAX_AMOUNT)
                return 0;
            chars[length++] = code;
        }
    }
    return length;
}

static int is_cased(PyObject *text, Py_ssize_t letters)
{
    if (PyUnicode_GET_LENGTH(text) < letters)
        return 0;
    for (Py_ssize_t i = 0; i < letters; i++) {
        Py_UCS4 code = PyUnicode_READ_CHAR(text, i);
        if (!Py_UNICODE_ISLOWER(code) && !Py_UNICODE_ISUPPER(code))
            return 0;
    }
    return 1;
}

static int is_raised(const Walk *walk, int32_t node)
{
    static const char *const RAISED[] = {"sub", "sup", NULL}; /* CO<sub>2</sub>, 1<sup>re</sup> */
    return is_any(PyList_GET_ITEM(walk->tags, node), RAISED);
}

/* Return whether a text that touches an element continues an amount, so that style sets the two apart:
 * `<b>98</b><i>grams</i><i>flour</i>`, `<span>Step 1</span>Heat`, but not `<b>1</b>st`. */
static int continues_amount(const Walk *walk, PyObject *text)
{
    Py_UCS4 chars[MAX_AMOUNT];
    int length = is_cased(text, 2) ? open_chars(walk, chars) : 0, at = length;
    int32_t node = ints_last(&walk->path, -1), before = ints_last(&walk->run_node, -1);
    if (!length || node < 0 || before < 0 || is_raised(walk, node) || is_raised(walk, before))
        return 0;
    if (Py_UNICODE_ISNUMERIC(chars[length - 1])) {
        while (at && (Py_UNICODE_ISNUMERIC(chars[at - 1]) || (chars[at - 1] < 128 && strchr(".,/-", (int)chars[at - 1]))))
            at--;
        return is_cased(text, 3) && (!at || Py_UNICODE_ISSPACE(chars[at - 1]));
    }
    int is_unit = Py_UNICODE_ISNUMERIC(chars[0]) && Py_UNICODE_ISALPHA(chars[length - 1]);
    return is_unit && node != before && walk->parent.items[node] == walk->parent.items[before];
}

static int take_visible(Walk *walk, PyObject *text)
{
    if (walk->skipped) {
        if (!walk->listens)
            return 0;
        PyObject *none = PyObject_CallMethodOneArg(walk->aside, names[ADD], text);
        Py_XDECREF(none);
        return none == NULL ? -1 : 0;
    }
    if (walk->numbers)
        return discard(walk, text, PyList_GET_SIZE(walk->runs), ints_last(&walk->path, 0));
    int blank = is_blank(text);
    if (!blank && walk->after < 0 && walk->pending && !walk->pre && !walk->unit && !is_restricted(walk)
        && continues_amount(walk, text) && take_visible(walk, space))
        return -1;
    if (blank && !walk->pending) {
        if (!walk->pre)
            return 0;
        PyObject *row = Py_BuildValue("(ninO)", PyList_GET_SIZE(walk->runs),
                                      ints_last(&walk->path, 0), nodes_of(walk), text);
        int failed = row == NULL || PyList_Append(walk->blanks, row);
        Py_XDECREF(row);
        return failed ? -1 : 0;
    }
    walk->after = 0;
    if (!blank) {
        walk->has_text = 1;
        walk->after_br = 0;
        walk->chars += PyUnicode_GET_LENGTH(text);
    }
    int32_t node = ints_last(&walk->path, -1);
    if (node < 0) {
        PyObject *body = PyDict_GetItemWithError(walk->roots, names[BODY]);
        if (body == NULL && PyErr_Occurred())
            return -1;
        node = body == NULL ? 0 : whole(body);
        if (node == INT32_MIN)
            return -1;
    }
    walk->pending++;
    return PyList_Append(walk->runs, text) || ints_push(&walk->run_node, node)
           || ints_push(&walk->run_after, nodes_of(walk));
}

/* Close the block at a second line break in a row; a single one is white space. */
static int line_break(Walk *walk)
{
    if (walk->after_br && !walk->unit && !is_restricted(walk) && flush(walk, walk->is.split_br))
        return -1;
    if (!walk->has_text)
        walk->split_bits |= walk->is.split_br;
    walk->after_br = 1;
    return take_text(walk, space);
}

/* Make the open flexible elements block-level: a boundary begins inside them. */
static int promote(Walk *walk)
{
    Py_ssize_t begun = PyList_GET_SIZE(walk->runs) - walk->pending;
    for (Py_ssize_t i = 0; i < walk->open_flexible.size; i++) {
        int32_t node = walk->open_flexible.items[i];
        walk->action.items[node] = walk->is.split_block;
        if (ints_push(&walk->boundaries, node) || ints_push(&walk->holders, node))
            return -1;
        walk->torn |= begun < walk->runs_before.items[i];
    }
    walk->open_flexible.size = walk->runs_before.size = 0;
    walk->split_bits |= walk->is.split_block;
    return 0;
}

static int has_part(PyObject *text, const char *part)
{
    Py_ssize_t length = (Py_ssize_t)strlen(part), size = PyUnicode_GET_LENGTH(text), i;
    int kind = PyUnicode_KIND(text);
    const void *chars = PyUnicode_DATA(text);
    for (Py_ssize_t place = 0; place + length <= size; place++) {
        for (i = 0; i < length && PyUnicode_READ(kind, chars, place + i) == (Py_UCS4)part[i]; i++)
            ;
        if (i == length)
            return 1;
    }
    return 0;
}

/* Return whether an attribute may contain one of two parts, in any case; then Python is asked. */
static int may_have(PyObject *attributes, int name, const char *part, const char *other)
{
    PyObject *value = PyDict_CheckExact(attributes) ? PyDict_GetItemWithError(attributes, names[name]) : NULL;
    if (value == NULL || !PyUnicode_Check(value))
        return PyErr_Occurred() ? -1 : !PyDict_CheckExact(attributes) && PyMapping_HasKey(attributes, names[name]);
    if (!PyUnicode_IS_ASCII(value))
        return 1; /* some letters fold to ASCII letters */
    const Py_UCS1 *chars = PyUnicode_1BYTE_DATA(value);
    Py_ssize_t size = PyUnicode_GET_LENGTH(value);
    for (Py_ssize_t at = 0; at < size; at++) {
        int first = chars[at] | 0x20;
        const char *text = first == *part ? part : first == *other ? other : NULL;
        Py_ssize_t i = 0;
        while (text != NULL && text[i] && at + i < size && (chars[at + i] | 0x20) == text[i])
            i++;
        if (text != NULL && !text[i])
            return 1;
    }
    return 0;
}

/* Return whether styles separate an inline element from the one that has ended right before. */
static int stands_apart(Walk *walk, int action)
{
    if (action == walk->is.link && walk->after == walk->is.link)
        return 1;
    if (!walk->path.size || walk->pre)
        return 0;
    PyObject *attributes = PyList_GET_ITEM(walk->attributes, ints_last(&walk->path, 0));
    int may = may_have(attributes, CLASS, "flex", "grid");
    if (!may)
        may = may_have(attributes, STYLE, "display", "display");
    return may > 0 ? asks(walk->calls[SETS_APART], &attributes, 1) : may;
}

static int separate(Walk *walk, int action)
{
    if (action > 0) {
        if (walk->open_flexible.size && promote(walk))
            return -1;
        return flush(walk, action);
    }
    if (action == walk->is.breaks)
        return line_break(walk);
    if (action == walk->is.code_line && walk->pending)
        return take_text(walk, line_end);
    int apart = action == walk->is.add_space;
    if (!apart && walk->after < 0 && walk->pending > 0)
        apart = stands_apart(walk, action);
    return apart > 0 ? take_text(walk, space) : apart;
}

static int role_of(const Walk *walk, Py_ssize_t node)
{
    int has_role = 0 <= node && node < PyBytes_GET_SIZE(walk->roles);
    return has_role ? PyBytes_AS_STRING(walk->roles)[node] : 0;
}

/* Return what an element (-1: not in the table) does to the text of code: a boundary inside a unit ends a line. */
static int action_in_code(const Walk *walk, Py_ssize_t node, int action)
{
    int role = role_of(walk, node);
    if (role == UNIT)
        return walk->is.split_block;
    return walk->unit && !walk->bar && role != APART && action > 0 ? walk->is.code_line : action;
}

/* Return what an element does to the text, by its name and style; INT32_MIN with an exception. */
static int own_action(Walk *walk, PyObject *tag, PyObject *attributes, int has_attributes)
{
    int action = action_of(walk, tag);
    if (action == INT32_MIN)
        return INT32_MIN;
    if (has_attributes && action == walk->is.drop && is_name(tag, TEMPLATE) && has_name(attributes, SHADOW) > 0)
        action = walk->is.flexible;
    if (is_restricted(walk))
        return action == walk->is.flexible ? walk->is.text : action;
    if (has_attributes) {
        int may_display = may_have(attributes, STYLE, "display", "display");
        if (may_display < 0)
            return INT32_MIN;
        if (may_display) {
            PyObject *style = PyObject_GetItem(attributes, names[STYLE]);
            PyObject *number = PyLong_FromLong(action), *result = NULL;
            if (style != NULL && number != NULL)
                result = PyObject_CallFunctionObjArgs(walk->calls[DISPLAYED], number, style, NULL);
            Py_XDECREF(style);
            Py_XDECREF(number);
            if (result == NULL)
                return INT32_MIN;
            action = whole(result);
            Py_DECREF(result);
            if (action == INT32_MIN)
                return INT32_MIN;
        }
    }
    if (action == walk->is.flexible && PySet_GET_SIZE(walk->block_level) && !walk->unit) {
        PyObject *node = PyLong_FromSsize_t(nodes_of(walk));
        int is_in = node == NULL ? -1 : PySet_Contains(walk->block_level, node);
        Py_XDECREF(node);
        if (is_in < 0)
            return INT32_MIN;
        action = is_in ? walk->is.split_block : action;
    }
    return action_in_code(walk, nodes_of(walk), action);
}

/* Set `*skipped` to NULL if the element is read, else to a borrowed tag or a text that stands for it (`KEPT`). -1 with
 * an exception. */
static int skipped_as(Walk *walk, PyObject *tag, int action, PyObject *attributes,
                      int has_attributes, PyObject **skipped)
{
    PyObject *args[2] = {tag, attributes};
    *skipped = NULL;
    if (action == walk->is.drop) {
        int is_script = PyUnicode_CompareWithASCIIString(tag, "script") == 0;
        int is_data = is_script && has_attributes ? asks(walk->calls[IS_JSON_LD], args, 2) : 0;
        *skipped = is_data > 0 ? json_ld : tag;
        return is_data < 0 ? -1 : 0;
    }
    int may_hide = has_attributes ? has_name(attributes, HIDDEN) : 0;
    if (has_attributes && !may_hide)
        may_hide = may_have(attributes, STYLE, "display", "visibility");
    if (may_hide < 0)
        return -1;
    if (walk->hides && (may_hide || is_name(tag, DIALOG))) {
        int is_hidden = asks(walk->calls[IS_HIDDEN], args, 2);
        *skipped = is_hidden > 0 ? hidden_tag : NULL;
        return is_hidden < 0 ? -1 : 0;
    }
    return 0;
}

/* Note the role of an element in code. Its depth is the length of the path that includes it. */
static void enter_code(Walk *walk, Py_ssize_t node)
{
    int role = role_of(walk, node);
    Py_ssize_t *depths[] = {NULL, &walk->unit, &walk->bar, &walk->numbers};
    if (role)
        *depths[role] = walk->path.size;
}

static int add_node(Walk *walk, PyObject *tag, int action, PyObject *attributes)
{
    Py_ssize_t node = nodes_of(walk), blocks = PyList_GET_SIZE(walk->texts);
    if (node >= walk->max_nodes) {
        walk->watches = 0; /* what the formula walk waits for is left out */
        PyErr_SetNone(walk->calls[FULL]);
        return -1;
    }
    Py_INCREF(tag);
    PyUnicode_InternInPlace(&tag); /* the parser makes a new text for every element */
    int failed = PyList_Append(walk->tags, tag) || PyList_Append(walk->attributes, attributes)
                 || ints_push(&walk->action, action)
                 || ints_push(&walk->parent, ints_last(&walk->path, -1))
                 || ints_push(&walk->node_end, node + 1) || ints_push(&walk->first_block, blocks)
                 || ints_push(&walk->end_block, blocks) || ints_push(&walk->path, node);
    if (!failed && (action > 0 || action == walk->is.root))
        failed = ints_push(&walk->boundaries, node);
    else if (!failed && action == walk->is.flexible)
        failed = ints_push(&walk->open_flexible, node)
                 || ints_push(&walk->runs_before, PyList_GET_SIZE(walk->runs));
    if (!failed && action == walk->is.root) {
        PyObject *number = PyLong_FromSsize_t(node);
        failed = number == NULL || PyDict_SetItem(walk->roots, tag, number);
        Py_XDECREF(number);
    } else if (!failed && !walk->pre && is_name(tag, PRE))
        walk->pre = walk->path.size;
    enter_code(walk, node);
    Py_DECREF(tag);
    return failed ? -1 : 0;
}

static int32_t pop_node(Walk *walk)
{
    int32_t node = walk->path.items[--walk->path.size];
    Py_ssize_t *depths[] = {&walk->pre, &walk->unit, &walk->bar, &walk->numbers};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        if (walk->path.size < *depths[i])
            *depths[i] = 0;
    return node;
}

/* Elements with readings (ruby), and the words for elements of which `SkippedTexts` keeps text. */
static const char *const READINGS[] = {"rt", "rp", "rtc", NULL}, *const KEPT[] = {"title", "json-ld", "hidden", "noscript", "rt", NULL};

/* Tell `SkippedTexts` which element is skipped. */
static int begin_aside(Walk *walk, PyObject *tag)
{
    PyObject *node = PyLong_FromLong(walk->too_deep ? -1 : ints_last(&walk->path, -1));
    PyObject *args[3] = {walk->aside, tag, node};
    PyObject *none = node == NULL ? NULL : PyObject_VectorcallMethod(names[BEGIN], args, 3, NULL);
    Py_XDECREF(node);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

/* Skip the element that was just entered, with its content. */
static int skip(Walk *walk, PyObject *tag)
{
    walk->skipped = 1;
    walk->in_reading = is_any(tag, READINGS);
    walk->listens = is_any(tag, KEPT);
    if ((walk->listens || walk->in_reading) && begin_aside(walk, tag))
        return -1;
    if (walk->too_deep) {
        walk->too_deep--;
        return 0;
    }
    int32_t last = pop_node(walk);
    if (ints_last(&walk->boundaries, -1) == last)
        walk->boundaries.size--;
    if (ints_last(&walk->open_flexible, -1) == last) {
        walk->open_flexible.size--;
        walk->runs_before.size--;
    }
    return 0;
}

static int enter(Walk *walk, PyObject *tag, int action, PyObject *attributes, int has_attributes)
{
    PyObject *skipped;
    if (walk->path.size >= walk->max_depth) {
        walk->truncated = 1;
        walk->too_deep++;
    }
    if (action > 0 && is_name(tag, IMG)) { /* a picture on a line of its own holds no text */
        if (separate(walk, action))
            return -1;
        action = walk->is.text;
    }
    if (skipped_as(walk, tag, action, attributes, has_attributes, &skipped))
        return -1;
    if (skipped == NULL && separate(walk, action))
        return -1;
    if (!walk->too_deep
        && add_node(walk, tag, action, has_attributes ? attributes : walk->no_attributes))
        return -1;
    return skipped == NULL ? 0 : skip(walk, skipped);
}

/* Return whether an element may be a formula; then Python is asked. */
static int may_be_formula(PyObject *tag, PyObject *attributes)
{
    static const char *const TAGS[] = {"math", "mjx-container", "script", "img"};
    static const char *const PARTS[] = {"ath", "katex", "mjx", "hurmet"}; /* of `_CLASSES` */
    for (int i = 0; i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(tag, TAGS[i]) == 0)
            return 1;
    if (PyMapping_HasKeyString(attributes, "data-tex") || PyMapping_HasKeyString(attributes, "data-latex"))
        return 1;
    if (has_name(attributes, CLASS) <= 0)
        return 0;
    PyObject *class = PyObject_GetItem(attributes, names[CLASS]);
    int may = class == NULL ? -1 : 0;
    for (int i = 0; may == 0 && i < 4; i++)
        may = PyUnicode_Check(class) && has_part(class, PARTS[i]);
    Py_XDECREF(class);
    return may;
}

/* Return whether an element is a formula. The formula walk then reads the events from here on, and gives back those
 * that it does not use. -1 with an exception. */
static int begins_formula(Walk *walk, PyObject *tag, PyObject *attributes)
{
    PyObject *args[2] = {tag, attributes};
    int is_formula = may_be_formula(tag, attributes);
    if (is_formula > 0)
        is_formula = asks(walk->calls[IS_FORMULA], args, 2);
    if (is_formula > 0) {
        walk->formula_walk = PyObject_CallOneArg(walk->calls[FORMULA_WALK], (PyObject *)walk);
        return walk->formula_walk == NULL ? -1 : 1;
    }
    return is_formula;
}

/* Return whether the formula walk is inside a formula, or waits for the text after one; -1 with an exception. */
static int waits(Walk *walk)
{
    for (int name = ATOM; name <= WAITING; name++) {
        PyObject *value = PyObject_GetAttr(walk->formula_walk, names[name]);
        if (value == NULL)
            return -1;
        Py_DECREF(value);
        if (value != Py_None)
            return 1;
    }
    return 0;
}

/* Pass an event to the formula walk. Forget the walk when it waits for nothing more, or fails. */
static int ask_formula_walk(Walk *walk, int event, PyObject *first, PyObject *second)
{
    PyObject *args[3] = {walk->formula_walk, first, second};
    size_t count = 1 + (first != NULL) + (second != NULL);
    walk->is_asked = 1;
    PyObject *answer = PyObject_VectorcallMethod(names[event], args, count, NULL);
    walk->is_asked = 0;
    int goes_on = answer == NULL ? -1 : event == CLOSE ? 0 : waits(walk);
    Py_XDECREF(answer);
    if (goes_on <= 0)
        Py_CLEAR(walk->formula_walk); /* they hold references to each other */
    return goes_on < 0 ? -1 : 0;
}

static inline int is_delegated(const Walk *walk) { return walk->formula_walk != NULL && !walk->is_asked; }

static int enter_visible(Walk *walk, PyObject *tag, PyObject *attributes)
{
    Py_ssize_t size = PyObject_Size(attributes);
    if (size < 0)
        return -1;
    int action = own_action(walk, tag, attributes, size > 0);
    if (action == INT32_MIN)
        return -1;
    if (action == walk->is.root) { /* a second one: its content belongs to the first */
        int is_second = PyDict_Contains(walk->roots, tag);
        if (is_second)
            return is_second < 0 ? -1 : 0;
    }
    return enter(walk, tag, action, attributes, size > 0);
}

/* Enter an element; `attributes` may be NULL if the walk only counts the element. */
int walk_enter(PyObject *self, PyObject *tag, PyObject *attributes)
{
    Walk *walk = (Walk *)self;
    if (walk->watches && !walk->is_asked && walk->formula_walk == NULL && !walk->skipped
        && begins_formula(walk, tag, attributes) < 0)
        return -1;
    if (is_delegated(walk))
        return ask_formula_walk(walk, START, tag, attributes);
    if (walk->skipped == 1 && walk->in_reading) {
        PyObject *self_and_tag[2] = {walk->aside, tag};
        PyObject *answer = PyObject_VectorcallMethod(ends_before, self_and_tag, 2, NULL);
        int ends = answer == NULL ? -1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
        if (ends < 0)
            return -1;
        if (ends)
            walk->skipped = 0;
    }
    if (walk->skipped) {
        walk->skipped++;
        return 0;
    }
    PyObject *clean_tag = visible(walk, tag), *clean = visible_attributes(walk, attributes);
    int failed = clean_tag == NULL || clean == NULL || enter_visible(walk, clean_tag, clean);
    Py_XDECREF(clean_tag);
    Py_XDECREF(clean);
    return failed ? -1 : 0;
}

int walk_counts_only(PyObject *self)
{
    Walk *walk = (Walk *)self;
    return walk->formula_walk == NULL && walk->skipped && !(walk->skipped == 1 && walk->in_reading);
}

static PyObject *walk_start(Walk *walk, PyObject *const *args, Py_ssize_t n)
{
    if (n != 2 || !PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "start(tag, attributes)");
        return NULL;
    }
    if (walk_enter((PyObject *)walk, args[0], args[1]))
        return NULL;
    Py_RETURN_NONE;
}

static int close_node(Walk *walk, int32_t node)
{
    walk->node_end.items[node] = (int32_t)nodes_of(walk);
    walk->end_block.items[node] = (int32_t)(PyList_GET_SIZE(walk->texts) + walk->has_text);
    return walk->has_text ? ints_push(&walk->closed, node) : 0;
}

static int end_node(Walk *walk, int action)
{
    int32_t node = pop_node(walk);
    if (action > 0) {
        if (flush(walk, action))
            return -1;
        walk->boundaries.size -= walk->boundaries.size > 0;
    } else if (action == walk->is.add_space || action == walk->is.code_line) {
        if (separate(walk, action))
            return -1;
    } else if (action == walk->is.flexible && walk->open_flexible.size) {
        walk->open_flexible.size--;
        walk->runs_before.size--;
    }
    return close_node(walk, node);
}

static int leave_visible(Walk *walk, PyObject *tag);

int walk_leave(PyObject *self, PyObject *tag)
{
    Walk *walk = (Walk *)self;
    if (is_delegated(walk))
        return ask_formula_walk(walk, END, tag, NULL);
    if (walk->skipped) {
        walk->skipped--;
        return 0;
    }
    PyObject *clean = visible(walk, tag);
    int failed = clean == NULL || leave_visible(walk, clean);
    Py_XDECREF(clean);
    return failed ? -1 : 0;
}

static int leave_visible(Walk *walk, PyObject *tag)
{
    int action = action_of(walk, tag), failed = 0;
    if (action == INT32_MIN)
        return -1;
    if (action == walk->is.drop && is_any(tag, READINGS))
        return 0; /* of a reading that has ended before */
    if (action == walk->is.root) /* what follows `</body>` belongs to `body` */
        failed = flush(walk, 0);
    else if (walk->too_deep) {
        walk->too_deep--;
        if (action > 0 || action == walk->is.add_space)
            failed = separate(walk, action_in_code(walk, -1, action));
    } else if (walk->path.size) {
        action = walk->action.items[ints_last(&walk->path, 0)];
        failed = end_node(walk, action);
    }
    walk->after = action;
    return failed;
}

static PyObject *walk_end(Walk *walk, PyObject *tag)
{
    if (!PyUnicode_Check(tag)) {
        PyErr_SetString(PyExc_TypeError, "end(tag)");
        return NULL;
    }
    if (walk_leave((PyObject *)walk, tag))
        return NULL;
    Py_RETURN_NONE;
}

int walk_take(PyObject *self, PyObject *text)
{
    Walk *walk = (Walk *)self;
    return is_delegated(walk) ? ask_formula_walk(walk, DATA, text, NULL) : take_text(walk, text);
}

/* Return whether ASCII white space (`is_blank`), or any text, leaves no trace here. */
int walk_ignores(PyObject *self, int is_blank)
{
    Walk *walk = (Walk *)self;
    if (walk->formula_walk != NULL)
        return 0;
    return walk->skipped ? !walk->listens : is_blank && !walk->pending && !walk->pre;
}

static PyObject *walk_data(Walk *walk, PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "data(text)");
        return NULL;
    }
    if (walk_take((PyObject *)walk, text))
        return NULL;
    Py_RETURN_NONE;
}

/* formula(formula): take a formula as a run of text, if it shows anything. */
static PyObject *walk_formula(Walk *walk, PyObject *formula)
{
    formula = walk->controls ? PyObject_CallOneArg(walk->calls[VISIBLE_FORMULA], formula) : Py_NewRef(formula);
    PyObject *text = formula == NULL ? NULL : PyObject_GetAttr(formula, names[SHOWN]);
    if (text == NULL || !PyUnicode_Check(text)) {
        Py_XDECREF(formula);
        Py_XDECREF(text);
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "formula(formula)");
    }
    int failed = 0;
    if (PyUnicode_GET_LENGTH(text) && !is_blank(text) && !walk->skipped) {
        Py_ssize_t size = PyList_GET_SIZE(walk->runs);
        PyObject *run = PyLong_FromSsize_t(size);
        failed = run == NULL || PyDict_SetItem(walk->formulas, run, formula);
        if (!failed && ints_last(&walk->formula_runs, -1) != size)
            failed = ints_push(&walk->formula_runs, size);
        Py_XDECREF(run);
        failed = failed || take_text(walk, text);
    }
    Py_DECREF(text);
    Py_DECREF(formula);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *walk_close(Walk *walk, PyObject *ignored)
{
    (void)ignored;
    if (is_delegated(walk)) { /* it calls this function again */
        if (ask_formula_walk(walk, CLOSE, NULL, NULL))
            return NULL;
        Py_RETURN_NONE;
    }
    if (flush(walk, 0))
        return NULL;
    for (Py_ssize_t i = 0; i < walk->path.size; i++)
        if (close_node(walk, walk->path.items[i]))
            return NULL;
    Py_RETURN_NONE;
}

static PyObject *bytes_of(const Ints *ints)
{
    return PyBytes_FromStringAndSize((const char *)ints->items, ints->size * (Py_ssize_t)sizeof(int32_t));
}

static void free_arrays(Walk *walk)
{
    Ints *arrays[] = {&walk->action, &walk->parent, &walk->node_end, &walk->first_block,
                      &walk->end_block, &walk->block_node, &walk->block_split, &walk->run_count,
                      &walk->run_node, &walk->run_after, &walk->path, &walk->boundaries,
                      &walk->open_flexible, &walk->runs_before, &walk->holders, &walk->closed,
                      &walk->formula_runs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        PyMem_Free(arrays[i]->items);
        memset(arrays[i], 0, sizeof *arrays[i]);
    }
}

/* Empty the walk: lxml's parser keeps it until garbage is collected. */
static int forget(Walk *walk)
{
    PyObject **lists[] = {&walk->tags, &walk->attributes, &walk->texts,
                          &walk->runs, &walk->blanks, &walk->discarded};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        PyObject *list = PyList_New(0);
        if (list == NULL)
            return -1;
        Py_SETREF(*lists[i], list);
    }
    free_arrays(walk);
    PyDict_Clear(walk->roots);
    PyObject *formulas = PyDict_New();
    if (formulas == NULL)
        return -1;
    Py_SETREF(walk->formulas, formulas);
    Py_CLEAR(walk->formula_walk);
    walk->unit = walk->bar = walk->numbers = 0;
    walk->pre = walk->skipped = walk->too_deep = walk->pending = 0;
    walk->has_text = walk->after_br = walk->after = walk->split_bits = 0;
    return 0;
}

/* table() -> dict: the columns of `PageTable`, as tuples and bytes of int32, and other results of the walk. The walk
 * is empty after the call. */
static PyObject *walk_table(Walk *walk, PyObject *ignored)
{
    (void)ignored;
    PyObject *columns = Py_BuildValue(
        "{sNsNsNsNsNsNsNsNsNsNsNsNsNsNsNsNsOsNsnsNsN}",
        "tags", PyList_AsTuple(walk->tags), "attributes", PyList_AsTuple(walk->attributes),
        "texts", PyList_AsTuple(walk->texts), "run_texts", PyList_AsTuple(walk->runs),
        "blanks", PyList_AsTuple(walk->blanks), "discarded", PyList_AsTuple(walk->discarded),
        "actions", bytes_of(&walk->action), "parent", bytes_of(&walk->parent),
        "node_end", bytes_of(&walk->node_end), "first_block", bytes_of(&walk->first_block),
        "end_block", bytes_of(&walk->end_block), "block_node", bytes_of(&walk->block_node),
        "block_split", bytes_of(&walk->block_split), "run_node", bytes_of(&walk->run_node),
        "run_after", bytes_of(&walk->run_after), "run_count", bytes_of(&walk->run_count),
        "formulas", walk->formulas, "holders", bytes_of(&walk->holders), "chars", walk->chars,
        "torn", PyBool_FromLong(walk->torn), "too_deep", PyBool_FromLong(walk->truncated));
    if (columns != NULL && forget(walk))
        Py_CLEAR(columns);
    return columns;
}

static int set_names(void)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (names[i] == NULL && (names[i] = PyUnicode_InternFromString(NAMES[i])) == NULL)
            return -1;
    if (space == NULL)
        space = PyUnicode_InternFromString(" ");
    if (empty == NULL)
        empty = PyUnicode_InternFromString("");
    if (ends_before == NULL)
        ends_before = PyUnicode_InternFromString("ends_before");
    if (line_end == NULL)
        line_end = PyUnicode_FromOrdinal(0x2028); /* as in page/code.py */
    if (json_ld == NULL)
        json_ld = PyUnicode_InternFromString("json-ld");
    if (hidden_tag == NULL)
        hidden_tag = PyUnicode_InternFromString("hidden");
    return space == NULL || empty == NULL || line_end == NULL || ends_before == NULL || json_ld == NULL
           || hidden_tag == NULL;
}

static int fill(Walk *walk, PyObject *args)
{
    Actions *is = &walk->is;
    PyObject *actions, *block_level, *chosen, *roles, *aside, *calls, *no_attributes;
    if (set_names()
        || !PyArg_ParseTuple(args, "O!O!O!SOO(ppp)(nnn)(iiiiiiiiii)O!", &PyDict_Type, &actions, &PyFrozenSet_Type,
                             &chosen, &PyFrozenSet_Type, &block_level, &roles, &aside, &no_attributes,
                             &walk->hides, &walk->watches, &walk->controls, &walk->max_blocks, &walk->max_depth, &walk->max_nodes, &is->text,
                             &is->drop, &is->root, &is->breaks, &is->add_space, &is->link,
                             &is->flexible, &is->code_line, &is->split_br, &is->split_block, &PyTuple_Type, &calls))
        return -1;
    if (PyTuple_GET_SIZE(calls) != CALLS) {
        PyErr_SetString(PyExc_TypeError, "Walk: another number of calls");
        return -1;
    }
    for (int i = 0; i < CALLS; i++) {
        walk->calls[i] = PyTuple_GET_ITEM(calls, i);
        Py_INCREF(walk->calls[i]);
    }
    for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(roles); i++)
        if ((unsigned char)PyBytes_AS_STRING(roles)[i] > NUMBERS) {
            PyErr_SetString(PyExc_ValueError, "Walk: no such role");
            return -1;
        }
    walk->chosen = Py_NewRef(chosen);
    walk->block_level = Py_NewRef(block_level);
    walk->roles = Py_NewRef(roles);
    walk->formulas = PyDict_New();
    walk->aside = Py_NewRef(aside);
    walk->actions = Py_NewRef(actions);
    walk->no_attributes = Py_NewRef(no_attributes);
    walk->roots = PyDict_New();
    PyObject **lists[] = {&walk->tags, &walk->attributes, &walk->texts,
                          &walk->runs, &walk->blanks, &walk->discarded};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((*lists[i] = PyList_New(0)) == NULL)
            return -1;
    return walk->roots == NULL || walk->formulas == NULL ? -1 : 0;
}

/* Walk(actions, chosen, block_level, roles, aside, no_attributes, (hides, watches, controls), (max_blocks, max_depth, max_nodes),
 *      (text, drop, root, break, add_space, link, flexible, code_line, split_br, split_block), calls) */
static PyObject *walk_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (kwargs != NULL) {
        PyErr_SetString(PyExc_TypeError, "Walk takes positions alone");
        return NULL;
    }
    Walk *walk = (Walk *)type->tp_alloc(type, 0);
    if (walk != NULL && fill(walk, args))
        Py_CLEAR(walk);
    return (PyObject *)walk;
}

static void walk_dealloc(PyObject *self)
{
    Walk *walk = (Walk *)self;
    PyObject *held[] = {walk->actions, walk->block_level, walk->chosen, walk->aside, walk->no_attributes, walk->tags,
                        walk->attributes, walk->texts, walk->runs, walk->blanks,
                        walk->discarded, walk->roots, walk->roles, walk->formulas, walk->formula_walk};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        Py_XDECREF(held[i]);
    for (int i = 0; i < CALLS; i++)
        Py_XDECREF(walk->calls[i]);
    free_arrays(walk);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef walk_methods[] = {
    {"start", (PyCFunction)(void (*)(void))walk_start, METH_FASTCALL, "Enter an element."},
    {"end", (PyCFunction)walk_end, METH_O, "Leave an element."},
    {"formula", (PyCFunction)walk_formula, METH_O, "Take a formula."},
    {"data", (PyCFunction)walk_data, METH_O, "Take a run of text."},
    {"close", (PyCFunction)walk_close, METH_NOARGS, "End the page."},
    {"table", (PyCFunction)walk_table, METH_NOARGS, "The table so far."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef walk_members[] = {
    {"skipped", T_PYSSIZET, offsetof(Walk, skipped), READONLY, "Depth in an element that is skipped."},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject WalkType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "crfclean.core._core.Walk",
    .tp_basicsize = sizeof(Walk),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The state of one parse.",
    .tp_methods = walk_methods,
    .tp_members = walk_members,
    .tp_new = walk_new,
    .tp_dealloc = walk_dealloc,
};

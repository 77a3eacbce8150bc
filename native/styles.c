/* Read what the style and the names of an element say: its display, whether it is hidden, whether its children stand
 * apart. Properties and values are compared without case, as browsers do. */
#include "read.h"

int reads(Part text, Py_ssize_t at, const char *lower)
{
    for (; *lower; lower++, at++) {
        int byte = at < text.size ? text.bytes[at] : 0;
        if (('A' <= byte && byte <= 'Z' ? byte | 0x20 : byte) != *lower)
            return 0;
    }
    return 1;
}

/* The first place from `at` on where a text has another one, -1 for none. */
static Py_ssize_t find(Part text, Py_ssize_t at, const char *lower)
{
    for (; at < text.size; at++)
        if ((text.bytes[at] | 0x20) == (*lower | 0x20) && reads(text, at, lower))
            return at;
    return -1;
}

int has_text(Part text, const char *lower) { return find(text, 0, lower) >= 0; }

static Py_ssize_t after_spaces(Part text, Py_ssize_t at)
{
    const char *end = text.bytes + text.size;
    for (const char *next = text.bytes + at; next < end; at = next - text.bytes)
        if (!is_space(next_char(&next, end)))
            break;
    return at;
}

Py_UCS4 char_before(Part text, Py_ssize_t at)
{
    const char *start = text.bytes + at;
    if (!at)
        return ' ';
    do
        start--;
    while (start > text.bytes && (*start & 0xC0) == 0x80);
    return next_char(&start, text.bytes + at);
}

/* Whether a name that begins at a place goes on before it: `--footer-display: none` sets no display. */
static int goes_on_before(Part text, Py_ssize_t at)
{
    Py_UCS4 before = char_before(text, at);
    return before == '-' || before == '_' || Py_UNICODE_ISALNUM(before);
}

/* The place of the value that a property at a place gets, -1 if no colon follows its name. */
static Py_ssize_t value_after(Part style, Py_ssize_t at, const char *property)
{
    at = after_spaces(style, at + (Py_ssize_t)strlen(property));
    return at < style.size && style.bytes[at] == ':' ? after_spaces(style, at + 1) : -1;
}

/* Whether a property has a value that begins with one of two. */
static int has_value(Part style, const char *property, const char *value, const char *other)
{
    for (Py_ssize_t at = find(style, 0, property); at >= 0; at = find(style, at + 1, property)) {
        Py_ssize_t place = goes_on_before(style, at) ? -1 : value_after(style, at, property);
        if (place >= 0 && (reads(style, place, value) || reads(style, place, other)))
            return 1;
    }
    return 0;
}

static int is_any_of(Part text, const char *const *lower)
{
    while (*lower != NULL && !((size_t)text.size == strlen(*lower) && reads(text, 0, *lower)))
        lower++;
    return *lower != NULL;
}

/* The last value of `display` that a style sets: a fallback stands before it. */
Display display_of(Part style)
{
    static const char *const OWN_LINES[] = {"block", "flex", "flow-root", "grid", "list-item", "table", "table-caption",
                                            "table-cell", "table-row", "-webkit-box", NULL};
    static const char *const LINE[] = {"inline", "contents", NULL};
    Part value = {NULL, 0};
    for (Py_ssize_t at = find(style, 0, "display"); at >= 0; at = find(style, at + 1, "display")) {
        Py_UCS4 before = char_before(style, at);
        Py_ssize_t start = before == ';' || is_space(before) ? value_after(style, at, "display") : -1, end = start;
        while (end >= 0 && end < style.size && (style.bytes[end] == '-' || Py_ISALPHA(style.bytes[end])))
            end++;
        if (end > start) {
            value = (Part){style.bytes + start, end - start};
            at = end - 1;
        }
    }
    return is_any_of(value, OWN_LINES) ? ON_OWN_LINES : is_any_of(value, LINE) ? IN_LINE : NO_DISPLAY;
}

static int begins(Part text, Py_ssize_t at, const char *part) /* with regard to case */
{
    size_t size = strlen(part);
    return (size_t)(text.size - at) >= size && memcmp(text.bytes + at, part, size) == 0;
}

/* Whether a class is one of a layout in rows or in a grid, also of Bootstrap and Tailwind: "d-flex", "md:grid". */
static int lays_out(Part names)
{
    const char *end = names.bytes + names.size;
    for (Py_ssize_t at = 0; at < names.size; at++) {
        Py_UCS4 before = names.bytes[at] == 'd' || names.bytes[at] == 'i' || names.bytes[at] == 'f' || names.bytes[at] == 'g'
                             ? char_before(names, at) : 'x';
        if (before != ':' && !is_space(before))
            continue;
        Py_ssize_t place = at + (begins(names, at, "d-") ? 2 : 0);
        place += begins(names, place, "inline-") ? 7 : 0;
        if (!begins(names, place, "flex") && !begins(names, place, "grid"))
            continue;
        const char *next = names.bytes + place + 4;
        if (next == end || is_space(next_char(&next, end)))
            return 1;
    }
    return 0;
}

/* The first characters of a class or style, which may be read for each child. */
static Part beginning(Part text)
{
    enum { MOST = 1000 };
    Py_ssize_t chars = 0, size = 0;
    while (size < text.size && chars < MOST)
        for (chars++, size++; size < text.size && (text.bytes[size] & 0xC0) == 0x80;)
            size++;
    return (Part){text.bytes, size};
}

int sets_apart(Part class_, Part style)
{
    Part rule = beginning(style);
    if (class_.bytes != NULL && lays_out(beginning(class_)))
        return 1;
    return style.bytes != NULL
           && (has_value(rule, "display", "flex", "grid") || has_value(rule, "display", "inline-flex", "inline-grid"));
}

/* Whether a name has two parts with at most `most` hyphens or underscores between them. */
static int has_parts(Part name, const char *first, int most, const char *second)
{
    for (Py_ssize_t at = find(name, 0, first); at >= 0; at = find(name, at + 1, first)) {
        Py_ssize_t place = at + (Py_ssize_t)strlen(first);
        for (int gap = 0; gap <= most; gap++, place++) {
            if (reads(name, place, second))
                return 1;
            if (place >= name.size || (name.bytes[place] != '-' && name.bytes[place] != '_'))
                break;
        }
    }
    return 0;
}

/* Whether class or id are those of what the reader opens: "accordion-collapse", "tab__content", "js-read-more". */
static int is_collapsed(Part name)
{
    static const char *const PARTS[] = {"accordion", "collaps", "expand", "panel", "faq", "spoiler", "readmore",
                                        "read-more", "read_more", "read-_more", NULL};
    for (int i = 0; PARTS[i] != NULL; i++)
        if (find(name, 0, PARTS[i]) >= 0)
            return 1;
    return has_parts(name, "tab", 2, "content") || has_parts(name, "tab", 2, "pane") || has_parts(name, "toggle", 2, "content");
}

/* Whether an id is that of a segment that React moves into place once it is loaded: "S:1f". */
static int is_streamed(Part id)
{
    Py_ssize_t at = 2;
    if (id.size < 3 || id.bytes[0] != 'S' || id.bytes[1] != ':')
        return 0;
    while (at < id.size && (('0' <= id.bytes[at] && id.bytes[at] <= '9') || ('a' <= id.bytes[at] && id.bytes[at] <= 'f')))
        at++;
    return at == id.size;
}

/* Whether a hidden element looks like one that is shown later. */
static int opens(const Look *look)
{
    if (is_part(look->role, "tabpanel") || is_part(look->role, "region") || is_part(look->hidden, "until-found"))
        return 1;
    return is_streamed(look->id) || is_collapsed(look->id) || is_collapsed(look->class_);
}

/* Whether a property has a number as its value that is so far below zero that it moves an element off every screen. */
static int is_far(Part style, const char *property)
{
    enum { OFF = 5000, USUAL = 999 }; /* a slide of a carousel is at -1200px */
    for (Py_ssize_t at = find(style, 0, property); at >= 0; at = find(style, at + 1, property)) {
        Py_ssize_t place = goes_on_before(style, at) ? -1 : value_after(style, at, property);
        if (place < 0 || place >= style.size || style.bytes[place] != '-')
            continue;
        int number = 0;
        while (++place < style.size && Py_ISDIGIT(style.bytes[place]) && number < OFF)
            number = number * 10 + style.bytes[place] - '0';
        if (number >= OFF || number == USUAL)
            return 1;
    }
    return 0;
}

/* Whether an element of a text has letters without a size; others may hold children with one. */
static int is_without_size(Part tag, Part style)
{
    static const char *const TEXTS[] = {"p", "span", "font", "a", "li", "b", "i", "em", "strong", "small",
                                        "h1", "h2", "h3", "h4", "h5", "h6", NULL};
    for (Py_ssize_t at = find(style, 0, "font-size"); at >= 0; at = find(style, at + 1, "font-size")) {
        Py_ssize_t place = goes_on_before(style, at) ? -1 : value_after(style, at, "font-size");
        if (place < 0 || place >= style.size || style.bytes[place] != '0')
            continue;
        int next = place + 1 < style.size ? style.bytes[place + 1] : ';';
        if (next != '.' && !Py_ISDIGIT(next))
            return is_any_of(tag, TEXTS);
    }
    return 0;
}

/* Whether a style has a number below zero, a shape or a size, as those that move an element off the screen; most have not. */
static int may_be_off_screen(Part style)
{
    for (Py_ssize_t at = 0; at < style.size; at++) {
        char byte = style.bytes[at];
        if (byte == '(' || (byte | 0x20) == 'z' || (byte == '-' && at + 1 < style.size && Py_ISDIGIT(style.bytes[at + 1])))
            return 1;
    }
    return 0;
}

/* Whether a style moves an element off the screen, or leaves nothing of it. A `text-indent` far below zero only puts a colour
 * or picture in the place of its name. */
static int is_off_screen(Part tag, Part style)
{
    if (!may_be_off_screen(style))
        return 0;
    int is_placed = has_value(style, "position", "absolute", "fixed");
    if (is_placed && (has_value(style, "clip", "rect(0", "rect(1px") || has_value(style, "clip-path", "inset(50%", "inset(100%")))
        return 1;
    return (is_placed && (is_far(style, "left") || is_far(style, "right") || is_far(style, "top"))) || is_without_size(tag, style);
}

int is_hidden(Part tag, const Look *look)
{
    if (is_part(tag, "html") || is_part(tag, "body"))
        return 0;
    int is_styled = look->style.bytes != NULL
                    && (has_value(look->style, "display", "none", "none")
                        || has_value(look->style, "visibility", "hidden", "collapse")
                        || is_off_screen(tag, look->style));
    if (!is_styled && look->hidden.bytes == NULL)
        return is_part(tag, "dialog") && look->open.bytes == NULL;
    return !opens(look);
}

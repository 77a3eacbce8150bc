/* Find the nearest marked elements, and the steps up to them.
 *
 * A parent stands before its children, so one pass from the first element on goes from the top down. */
#include "core.h"

static PyObject *wrong(const char *message, Array *arrays, int n)
{
    close_arrays(arrays, n);
    PyErr_SetString(PyExc_ValueError, message);
    return NULL;
}

/* nearest(mask, parent): bool and int32 (m,) -> for each element, itself or the nearest one around it that is in
 * the mask, -1 for none, int64 (m,). */
PyObject *core_nearest(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[2] = {1, 4};
    Array arrays[2];
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "nearest(mask, parent)");
    if (open_arrays(args, 2, widths, arrays))
        return NULL;
    Py_ssize_t count = arrays[0].count;
    const uint8_t *mask = arrays[0].view.buf;
    const int32_t *parent = arrays[1].view.buf;
    if (arrays[1].count != count || !are_parents(parent, count))
        return wrong("nearest: no parents", arrays, 2);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, count * 8);
    if (bytes != NULL) {
        int64_t *up = (int64_t *)(void *)PyBytes_AS_STRING(bytes);
        for (Py_ssize_t i = 0; i < count; i++)
            up[i] = mask[i] ? i : parent[i] < 0 ? -1 : up[parent[i]];
    }
    close_arrays(arrays, 2);
    return bytes;
}

/* Count the steps up from an element to the nearest one with each bit. Steps below `far` are written, a row a bit. */
static void count_steps(const int32_t *parent, int32_t element, const int64_t *bits, const int64_t *which,
                        int groups, int far, uint8_t *column, Py_ssize_t stride)
{
    uint64_t wanted = groups < 64 ? ((uint64_t)1 << groups) - 1 : ~(uint64_t)0;
    for (int steps = 0; steps < far && element >= 0 && wanted; steps++, element = parent[element]) {
        uint64_t here = (uint64_t)bits[which == NULL ? element : which[element]] & wanted;
        wanted &= ~here;
        for (; here; here &= here - 1)
            column[lowest_bit(here) * stride] = (uint8_t)steps;
    }
}

/* steps(typed, which, named, parent, start, t, g, far): the t bits of each element, the name of each element, the
 * g bits of each name, int64; parents, int32 (m,); elements to start from, int32 (n,) -> steps up from each start to
 * the nearest element that has each bit, `far` for none, uint8 (t + g, n). */
PyObject *core_steps(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[5] = {8, 8, 8, 4, 4};
    Array arrays[5];
    long numbers[3];
    if (n != 8)
        return PyErr_Format(PyExc_TypeError, "steps(typed, which, named, parent, start, t, g, far)");
    for (int i = 0; i < 3; i++)
        numbers[i] = PyLong_AsLong(args[5 + i]);
    if (PyErr_Occurred() || open_arrays(args, 5, widths, arrays))
        return NULL;
    Py_ssize_t count = arrays[3].count, starts = arrays[4].count;
    const int64_t *typed = arrays[0].view.buf, *which = arrays[1].view.buf, *named = arrays[2].view.buf;
    const int32_t *parent = arrays[3].view.buf, *start = arrays[4].view.buf;
    int t = (int)numbers[0], g = (int)numbers[1], far = (int)numbers[2];
    if (!count || t < 0 || t > 64 || g < 0 || g > 64 || far < 1 || far > 255 || arrays[0].count != count
        || arrays[1].count != count || !are_parents(parent, count) || !are_inside(start, starts, 0, count)
        || !are_below(which, count, arrays[2].count))
        return wrong("steps: no elements", arrays, 5);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, starts * (t + g));
    uint8_t *rows = bytes == NULL ? NULL : (uint8_t *)PyBytes_AS_STRING(bytes);
    if (rows != NULL)
        memset(rows, far, (size_t)PyBytes_GET_SIZE(bytes));
    for (Py_ssize_t j = 0; rows != NULL && j < starts; j++) {
        count_steps(parent, start[j], typed, NULL, t, far, rows + j, starts);
        count_steps(parent, start[j], named, which, g, far, rows + t * starts + j, starts);
    }
    close_arrays(arrays, 5);
    return bytes;
}

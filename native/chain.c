/* Compute the marginals of a chain (`marginals` of crfclean/taggers/crf.py), and the bins of its columns. */
#include "core.h"

enum { LABELS = 3 };

/* Run one sweep of forward-backward over the rows of `factors`, (n, 3), from `first` on by `step` (1 or -1),
 * and write it to `swept`. Return -1 for a row whose sum is 0. */
static int sweep(const double *factors, Py_ssize_t count, Py_ssize_t first, Py_ssize_t step, const double *t, double *swept)
{
    double a = 0, b = 0, c = 0;
    for (Py_ssize_t i = 0, at = first; i < count; i++, at += step) {
        const double *f = factors + LABELS * at;
        double x = f[0], y = f[1], z = f[2];
        if (i) {
            x = (a * t[0] + b * t[3] + c * t[6]) * f[0];
            y = (a * t[1] + b * t[4] + c * t[7]) * f[1];
            z = (a * t[2] + b * t[5] + c * t[8]) * f[2];
        }
        double total = x + y + z;
        if (total == 0.0)
            return -1;
        swept[LABELS * at] = a = x / total;
        swept[LABELS * at + 1] = b = y / total;
        swept[LABELS * at + 2] = c = z / total;
    }
    return 0;
}

/* Turn the forward sweep into the marginals: multiply it by the backward sweep without the block's own factor. */
static void join(const double *factors, Py_ssize_t count, const double *backward, double *forward)
{
    for (Py_ssize_t i = 0; i < LABELS * count; i += LABELS) {
        for (Py_ssize_t j = i; j < i + LABELS; j++)
            forward[j] *= factors[j] > 0.0 ? backward[j] / factors[j] : 0.0;
        double total = forward[i] + forward[i + 1] + forward[i + 2];
        for (Py_ssize_t j = i; j < i + LABELS; j++)
            forward[j] /= total;
    }
}

/* marginals(factors, steps): double (n, 3) and (3, 3) -> the marginals, bytes of double (n, 3). */
PyObject *core_marginals(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[2] = {8, 8};
    Array arrays[2];
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "marginals(factors, steps)");
    if (open_arrays(args, 2, widths, arrays))
        return NULL;
    const double *factors = arrays[0].view.buf, *steps = arrays[1].view.buf;
    Py_ssize_t count = arrays[0].count / LABELS;
    int fits = arrays[0].count == LABELS * count && arrays[1].count == LABELS * LABELS;
    PyObject *array = PyBytes_FromStringAndSize(NULL, arrays[0].view.len);
    double *backward = PyMem_Malloc((size_t)arrays[0].view.len + 1), back[LABELS * LABELS];
    if (!fits)
        PyErr_SetString(PyExc_ValueError, "marginals: arrays of other sizes");
    else if (array != NULL && backward == NULL)
        PyErr_NoMemory();
    else if (array != NULL) {
        double *forward = (double *)(void *)PyBytes_AS_STRING(array);
        for (int i = 0; i < LABELS * LABELS; i++)
            back[i] = steps[i % LABELS * LABELS + i / LABELS];
        if (sweep(factors, count, 0, 1, steps, forward) || sweep(factors, count, count - 1, -1, back, backward))
            PyErr_SetString(PyExc_ZeroDivisionError, "float division by zero");
        else
            join(factors, count, backward, forward);
    }
    if (PyErr_Occurred())
        Py_CLEAR(array);
    PyMem_Free(backward);
    close_arrays(arrays, 2);
    return array;
}

/* bins(columns, edges, ends): float (n, f); the edges of all features, double; the place after each feature's
 * last edge, int64 (f,) -> the number of edges below each value, as numpy's `searchsorted`, int64 (n, f). */
PyObject *core_bins(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[3] = {4, 8, 8};
    Array arrays[3];
    if (n != 3)
        return PyErr_Format(PyExc_TypeError, "bins(columns, edges, ends)");
    if (open_arrays(args, 3, widths, arrays))
        return NULL;
    const float *values = arrays[0].view.buf;
    const double *edges = arrays[1].view.buf;
    const int64_t *ends = arrays[2].view.buf;
    Py_ssize_t features = arrays[2].count, count = arrays[0].count;
    int is_valid = features && count % features == 0;
    for (Py_ssize_t f = 0; is_valid && f < features; f++)
        is_valid = ends[f] >= (f ? ends[f - 1] : 0) && ends[f] <= arrays[1].count;
    PyObject *bytes = is_valid ? PyBytes_FromStringAndSize(NULL, count * 8)
                               : PyErr_Format(PyExc_ValueError, "bins: edges of other columns");
    int64_t *below = bytes == NULL ? NULL : (int64_t *)(void *)PyBytes_AS_STRING(bytes);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0, f = 0; below != NULL && i < count; i++, f = f + 1 == features ? 0 : f + 1) {
        int64_t start = f ? ends[f - 1] : 0, low = start, high = ends[f];
        while (low < high) { /* NaN is above all edges, as in numpy */
            int64_t middle = low + (high - low) / 2;
            if (edges[middle] < values[i] || values[i] != values[i])
                low = middle + 1;
            else
                high = middle;
        }
        below[i] = low - start;
    }
    Py_END_ALLOW_THREADS
    close_arrays(arrays, 3);
    return bytes;
}

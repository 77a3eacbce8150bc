/* Forward-backward in a chain of three labels: `marginals` of crfclean/taggers/chain.py, operation by operation. */
#include "core.h"

enum { LABELS = 3 };

/* relative(scores): double (n, 3) -> each row without its largest number, bytes. */
PyObject *core_relative(PyObject *self, PyObject *scores)
{
    (void)self;
    static const int widths[1] = {8};
    Array array;
    if (open_arrays(&scores, 1, widths, &array))
        return NULL;
    PyObject *bytes = array.count % LABELS ? PyErr_Format(PyExc_ValueError, "relative: no rows of three")
                                           : PyBytes_FromStringAndSize(NULL, array.view.len);
    const double *in = array.view.buf;
    double *out = bytes == NULL ? NULL : (double *)(void *)PyBytes_AS_STRING(bytes);
    for (Py_ssize_t i = 0; bytes != NULL && i < array.count; i += LABELS) {
        double most = in[i];
        for (int label = 1; label < LABELS; label++)
            most = in[i + label] > most || in[i + label] != in[i + label] ? in[i + label] : most;
        for (int label = 0; label < LABELS; label++)
            out[i + label] = in[i + label] - most;
    }
    close_arrays(&array, 1);
    return bytes;
}

/* One sweep, from the first row or the last: row t is (row t-1 @ steps) * factors[t], and sums to 1; -1 with an
 * exception where a row is 0. */
static int sweep(const double *factors, Py_ssize_t n, const double *steps, int from_last, double *rows)
{
    double a = 0, b = 0, c = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_ssize_t at = LABELS * (from_last ? n - 1 - i : i);
        double x = factors[at], y = factors[at + 1], z = factors[at + 2];
        if (i) {
            x = (a * steps[0] + b * steps[3] + c * steps[6]) * factors[at];
            y = (a * steps[1] + b * steps[4] + c * steps[7]) * factors[at + 1];
            z = (a * steps[2] + b * steps[5] + c * steps[8]) * factors[at + 2];
        }
        double total = x + y + z;
        if (total == 0.0) {
            PyErr_SetString(PyExc_ZeroDivisionError, "float division by zero");
            return -1;
        }
        rows[at] = a = x / total, rows[at + 1] = b = y / total, rows[at + 2] = c = z / total;
    }
    return 0;
}

/* Marginals from both sweeps, in place of the first. */
static void join(double *forward, const double *backward, const double *factors, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < LABELS * n; i += LABELS) {
        for (int label = 0; label < LABELS; label++)
            forward[i + label] *= factors[i + label] > 0 ? backward[i + label] / factors[i + label] : 0.0;
        double total = forward[i] + forward[i + 1] + forward[i + 2];
        for (int label = 0; label < LABELS; label++)
            forward[i + label] /= total;
    }
}

/* marginals(factors, steps): double (n, 3) and (3, 3), the factors of labels and of steps from the row's label to
 * the column's -> double (n, 3). */
PyObject *core_marginals(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[2] = {8, 8};
    Array arrays[2];
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "marginals(factors, steps)");
    if (open_arrays(args, 2, widths, arrays))
        return NULL;
    PyObject *bytes = NULL;
    Py_ssize_t count = arrays[0].count / LABELS;
    double *backward = PyMem_Malloc((size_t)arrays[0].view.len + 1);
    const double *factors = arrays[0].view.buf, *steps = arrays[1].view.buf;
    if (backward == NULL)
        PyErr_NoMemory();
    else if (arrays[0].count % LABELS || arrays[1].count != LABELS * LABELS)
        PyErr_SetString(PyExc_ValueError, "marginals: no rows of three");
    else
        bytes = PyByteArray_FromStringAndSize(NULL, arrays[0].view.len);
    if (bytes != NULL) {
        double *forward = (double *)(void *)PyByteArray_AS_STRING(bytes), back[LABELS * LABELS];
        for (int i = 0; i < LABELS * LABELS; i++)
            back[i] = steps[i % LABELS * LABELS + i / LABELS];
        if (sweep(factors, count, steps, 0, forward) || sweep(factors, count, back, 1, backward))
            Py_CLEAR(bytes);
        else
            join(forward, backward, factors, count);
    }
    PyMem_Free(backward);
    close_arrays(arrays, 2);
    return bytes;
}

/* bins(columns, edges, ends): float (n, f), double, int64 (f,), where each feature's edges end ->
 * the number of edges below each value, as numpy's `searchsorted`, int64 (n, f). */
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
    for (Py_ssize_t i = 0, f = 0; bytes != NULL && i < count; i++, f = f + 1 == features ? 0 : f + 1) {
        int64_t start = f ? ends[f - 1] : 0, low = start, high = ends[f];
        while (low < high) { /* a value that is no number is above all, as to numpy */
            int64_t middle = low + (high - low) / 2;
            if (edges[middle] < values[i] || values[i] != values[i])
                low = middle + 1;
            else
                high = middle;
        }
        ((int64_t *)(void *)PyBytes_AS_STRING(bytes))[i] = low - start;
    }
    close_arrays(arrays, 3);
    return bytes;
}

/* One sweep of forward-backward: `_pass` of crfclean/taggers/chain.py, operation by operation. */
#include "core.h"

/* sweep(factors, steps): factors (n, 3) and steps (3, 3) as bytes of doubles -> (3, n) as bytes. */
PyObject *core_sweep(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    if (n != 2 || !PyBytes_Check(args[0]) || !PyBytes_Check(args[1])
        || PyBytes_GET_SIZE(args[0]) % (3 * sizeof(double))
        || PyBytes_GET_SIZE(args[1]) != 9 * sizeof(double)) {
        PyErr_SetString(PyExc_TypeError, "sweep(factors, steps): bytes of doubles, 3n and 9");
        return NULL;
    }
    Py_ssize_t count = PyBytes_GET_SIZE(args[0]) / (Py_ssize_t)(3 * sizeof(double));
    PyObject *rows = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(args[0]));
    if (rows == NULL || count == 0)
        return rows;
    double t[9], f[3];
    memcpy(t, PyBytes_AS_STRING(args[1]), sizeof t);
    const char *factors = PyBytes_AS_STRING(args[0]);
    char *out = PyBytes_AS_STRING(rows);
    double a = 0, b = 0, c = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        memcpy(f, factors + i * (Py_ssize_t)sizeof f, sizeof f);
        double x = f[0], y = f[1], z = f[2];
        if (i) {
            x = (a * t[0] + b * t[3] + c * t[6]) * f[0];
            y = (a * t[1] + b * t[4] + c * t[7]) * f[1];
            z = (a * t[2] + b * t[5] + c * t[8]) * f[2];
        }
        double total = x + y + z;
        if (total == 0.0) {
            Py_DECREF(rows);
            PyErr_SetString(PyExc_ZeroDivisionError, "float division by zero");
            return NULL;
        }
        a = x / total, b = y / total, c = z / total;
        double row[3] = {a, b, c};
        for (int label = 0; label < 3; label++)
            memcpy(out + (label * count + i) * (Py_ssize_t)sizeof(double), &row[label], sizeof a);
    }
    return rows;
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

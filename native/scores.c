/* Apply a model to columns: `Scaling` of crfclean/nn/layers.py, `CrfTagger.scores` of crfclean/taggers/crf.py. */
#include "core.h"

enum { TILE = 16 }; /* rows of the result at a time: their columns stay in the cache */

/* Scale up to `TILE` values of a column, and write them so many places apart. */
static void scale(const float *values, Py_ssize_t count, double mean, double deviation, double clip, float *inputs,
                  Py_ssize_t stride)
{
    float scaled[TILE];
    for (Py_ssize_t i = 0; i < count; i++) {
        double value = ((double)values[i] - mean) / deviation;
        value = value < -clip ? -clip : value;
        scaled[i] = (float)(value > clip ? clip : value);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        inputs[i * stride] = scaled[i];
}

/* scaled(rows, logs, places, mean, deviation, clip): columns as rows (k, n), and the logarithms of some of them,
 * float32; the row of each logarithm, int32; means and deviations, double (k,) -> inputs (n, k), bytes of float32:
 * `(value - mean) / deviation` within +-clip. */
PyObject *core_scaled(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[5] = {4, 4, 4, 8, 8};
    Array arrays[5];
    if (n != 6 || !PyFloat_Check(args[5]))
        return PyErr_Format(PyExc_TypeError, "scaled(rows, logs, places, mean, deviation, clip)");
    if (open_arrays(args, 5, widths, arrays))
        return NULL;
    Py_ssize_t width = arrays[3].count, count = width ? arrays[0].count / width : 0;
    const float *rows = arrays[0].view.buf, *logs = arrays[1].view.buf;
    const int32_t *places = arrays[2].view.buf;
    const double *mean = arrays[3].view.buf, *deviation = arrays[4].view.buf;
    double clip = PyFloat_AS_DOUBLE(args[5]);
    int fits = arrays[0].count == width * count && arrays[1].count == arrays[2].count * count
               && arrays[4].count == width;
    const float **sources = PyMem_Malloc((size_t)(width ? width : 1) * sizeof *sources);
    for (Py_ssize_t j = 0; sources != NULL && j < width; j++)
        sources[j] = rows + j * count;
    for (Py_ssize_t i = 0; sources != NULL && i < arrays[2].count; i++) {
        fits &= 0 <= places[i] && places[i] < width;
        if (fits)
            sources[places[i]] = logs + i * count;
    }
    PyObject *array = NULL;
    if (sources == NULL)
        PyErr_NoMemory();
    else if (!fits)
        PyErr_SetString(PyExc_ValueError, "scaled: arrays of other sizes");
    else
        array = PyBytes_FromStringAndSize(NULL, arrays[0].view.len);
    float *inputs = array == NULL ? NULL : (float *)(void *)PyBytes_AS_STRING(array);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t start = 0; inputs != NULL && start < count; start += TILE)
        for (Py_ssize_t j = 0; j < width; j++)
            scale(sources[j] + start, count - start < TILE ? count - start : TILE, mean[j], deviation[j], clip,
                  inputs + start * width + j, width);
    Py_END_ALLOW_THREADS
    PyMem_Free(sources);
    close_arrays(arrays, 5);
    return array;
}

enum { LABELS = 3 };

/* Add a view's weights to the scores of blocks. The arrays are its features, int64 (f,), and weights (3, f, bins);
 * -1 for arrays of other sizes. `picked` has room for f. */
static int add_view(double *scores, const int64_t *bins, Py_ssize_t count, Py_ssize_t columns, Py_ssize_t distance,
                    const Array *arrays, double *picked)
{
    const int64_t *features = arrays[0].view.buf;
    const double *table = arrays[1].view.buf;
    Py_ssize_t used = arrays[0].count, width = used ? arrays[1].count / LABELS / used : 0;
    if (arrays[1].count != LABELS * used * width)
        return -1;
    for (Py_ssize_t f = 0; f < used; f++)
        if (features[f] < 0 || features[f] >= columns)
            return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (distance < -i || distance >= count - i)
            continue;
        Py_ssize_t seen = i + distance;
        for (int label = 0; label < LABELS; label++) {
            for (Py_ssize_t f = 0; f < used; f++) {
                int64_t bin = bins[seen * columns + features[f]];
                if (bin < 0 || bin >= width)
                    return -1;
                picked[f] = table[(label * used + f) * width + bin];
            }
            scores[i * LABELS + label] += pairwise_sum(picked, used);
        }
    }
    return 0;
}

/* scores(bins, columns, start, views): int64 (n, columns); the scores to start from, double (3,); a tuple of views
 * (distance, features, weights) -> the scores of each block's labels, bytes of double (n, 3). */
PyObject *core_scores(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    (void)self;
    static const int widths[2] = {8, 8};
    Array given[2], arrays[2];
    if (n != 4 || !PyLong_Check(args[1]) || !PyTuple_Check(args[3]))
        return PyErr_Format(PyExc_TypeError, "scores(bins, columns, start, views)");
    PyObject *const objects[2] = {args[0], args[2]};
    Py_ssize_t columns = PyLong_AsSsize_t(args[1]), distance;
    if ((columns == -1 && PyErr_Occurred()) || open_arrays(objects, 2, widths, given))
        return NULL;
    Py_ssize_t count = columns > 0 ? given[0].count / columns : 0;
    int fits = columns > 0 && given[0].count == count * columns && given[1].count == LABELS;
    PyObject *array = PyBytes_FromStringAndSize(NULL, count * LABELS * (Py_ssize_t)sizeof(double));
    double *scores = array == NULL ? NULL : (double *)(void *)PyBytes_AS_STRING(array);
    for (Py_ssize_t i = 0; fits && scores != NULL && i < count; i++)
        memcpy(scores + i * LABELS, given[1].view.buf, LABELS * sizeof *scores);
    for (Py_ssize_t k = 0; fits && scores != NULL && k < PyTuple_GET_SIZE(args[3]); k++) {
        PyObject *view[2];
        PyObject *given_view = PyTuple_GET_ITEM(args[3], k);
        if (!PyTuple_Check(given_view))
            PyErr_SetString(PyExc_TypeError, "scores: each view is a tuple");
        if (PyErr_Occurred() || !PyArg_ParseTuple(given_view, "nOO", &distance, &view[0], &view[1])
            || open_arrays(view, 2, widths, arrays)) {
            Py_CLEAR(array);
            break;
        }
        double *picked = PyMem_Malloc((size_t)arrays[0].view.len + 8);
        if (picked == NULL) {
            PyErr_NoMemory();
            Py_CLEAR(array);
        } else {
            Py_BEGIN_ALLOW_THREADS
            fits = !add_view(scores, given[0].view.buf, count, columns, distance, arrays, picked);
            Py_END_ALLOW_THREADS
        }
        PyMem_Free(picked);
        close_arrays(arrays, 2);
        if (array == NULL)
            break;
    }
    close_arrays(given, 2);
    if (array != NULL && !fits) {
        Py_CLEAR(array);
        PyErr_SetString(PyExc_ValueError, "scores: no such bins");
    }
    return array;
}

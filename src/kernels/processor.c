// Which level of x86-64 this processor has: asked before any code is loaded that it might not understand.
#include <Python.h>

static PyObject *level(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
#if defined(__x86_64__)
    __builtin_cpu_init();
    int has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    return PyUnicode_FromString(has_v3 ? "v3" : "v2");
#else
    return PyUnicode_FromString("any");
#endif
}

static PyMethodDef functions[] = {
    {"level", level, METH_NOARGS, "Name of the module of kernels that is made for this processor."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_processor", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__processor(void) { return PyModule_Create(&definition); }

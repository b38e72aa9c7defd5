// The x86-64 level of this processor, checked before any code is loaded that it might not support.
#include <Python.h>

#if defined(__x86_64__)
#include <cpuid.h>

// Whether all wanted bits are set.
static int has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }

// Whether the processor supports x86-64-v3, and the system saves the wide registers. GCC and Clang can also tell, but
// not on Windows.
static int has_v3(void) {
    unsigned a, b, c, d, kept, more;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C)) return 0;
    __asm__("xgetbv" : "=a"(kept), "=d"(more) : "c"(0));
    if (!has(kept, 6)) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, bit_AVX2 | bit_BMI | bit_BMI2)) return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && has(c, bit_LZCNT);
}
#endif

static PyObject *level(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
#if defined(__x86_64__)
    return PyUnicode_FromString(has_v3() ? "v3" : "v2");
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

#ifndef _FERROSPIN_MATH_H
#define _FERROSPIN_MATH_H
#define HUGE_VAL __builtin_huge_val()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
double fabs(double);
double sqrt(double);
double floor(double);
double ceil(double);
double trunc(double);
double fmod(double, double);
double pow(double, double);
double exp(double);
double log(double);
double sin(double);
double cos(double);
#endif

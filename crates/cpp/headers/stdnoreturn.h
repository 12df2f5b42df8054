#ifndef _FERROSPIN_STDNORETURN_H
#define _FERROSPIN_STDNORETURN_H
#define noreturn _Noreturn
#endif

#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void __ferrospin_assert_failed(const char *) __attribute__((__noreturn__));
#define assert(e) ((e) ? (void)0 : __ferrospin_assert_failed(#e))
#endif
#if !defined __cplusplus && !defined static_assert
#define static_assert _Static_assert
#endif

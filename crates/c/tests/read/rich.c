/* What real code holds: C11, GNU extensions, old forms, and the bits of C23 that headers use. */
typedef unsigned long size_t;
typedef int (*compare_t)(const void *, const void *);
typedef struct node node;
struct node { int key; node *next; union { int i; float f; }; struct { char a, b; } pair; unsigned low : 3, : 2, high : 5; };
struct flexible { int n; char data[]; };
struct __attribute__((packed)) tight { char c; int i; } __attribute__((aligned(2)));
enum colour { RED, GREEN = 5, BLUE, LAST = BLUE + 1 };
enum small : unsigned char { ONE = 1, TWO };
extern int printf(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));
extern void die(void) __asm__("really_die") __attribute__((noreturn));
static __thread int per_thread = 3;
_Thread_local int other_thread;
static inline __attribute__((always_inline)) int twice(int x) { return x + x; }
_Static_assert(sizeof(struct tight) == 6, "packed");
_Static_assert(_Alignof(int) == 4);
typedef int v4si __attribute__((vector_size(16)));
typedef unsigned int wide __attribute__((mode(DI)));
typedef int aligned_int __attribute__((aligned(16)));
int table[] = { [2] = 5, 6, [0] = 1, [4 ... 7] = 9 };
int matrix[2][3] = { 1, 2, 3, { 4, 5 } };
struct node list = { .key = 1, .next = &list, .i = 4, .pair.b = 'x', .low = 2 };
struct node old_form = { key: 1, next: 0 };
struct { int x, y; } points[] = { { 1, 2 }, { .y = 3 }, 4, 5, [3].x = 6 };
char text[] = "abc" "def\x41\101\n", exact[3] = "abc", braced[] = { "xyz" };
int *pointer = &matrix[1][2];
const char *names[] = { "one", [GREEN] = "two", };
unsigned long long big = 0xffffffffffffffffULL, bits = 0b1011, octal = 0777;
double numbers[] = { 1.5, .5e3, 0x1.8p3, 1e-10L, 2.5f };
int wchars = L'x' + u'y' + U'z';
__int128 huge = (__int128)1 << 100;
_Complex double z = 1.0 + 2.0i;
size_t member_at = __builtin_offsetof(struct node, pair.b);
int (*functions[3])(int) = { twice, &twice };
int (*(*returns_function(int a))(int))[3];
int old_style(a, b) int a; char *b; { return a + (b != 0); }
int implicit_int(void) { register i = 1; return i; }
void *memory(size_t n) { return __builtin_malloc(n); }
int sum(int n, ...) {
  __builtin_va_list ap; int total = 0;
  __builtin_va_start(ap, n);
  while (n-- > 0) total += __builtin_va_arg(ap, int);
  __builtin_va_end(ap);
  return total;
}
int statements(int a, int n) {
  int i, result = 0;
  int variable[n]; variable[0] = sizeof variable;
  for (int j = 0; j < n; j++) { if (j == 3) continue; result += j; if (result > 100) break; }
  do { result--; } while (result > 0);
  switch (a) {
    case 1: case 2: result = 1; break;
    case 'a' ... 'z': result = 2; __attribute__((fallthrough));
    case GREEN: { int inner = 4; result += inner; }
    default: result ^= 1;
  }
  if (a) result = 1; else if (n) result = 2; else result = 3;
  goto end;
again:
  result <<= 2, result |= 1;
end: ;
  static const void *labels[] = { &&again, &&out };
  if (a > 1000) goto *labels[a & 1];
out:
  return result ?: a;
}
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define type_name(x) _Generic((x), int: "int", char *: "string", const char *: "constant", default: "other")
int expressions(struct node *p, int n) {
  int x = max(n, twice(n)), *q = &x, c = (n, x);
  __auto_type y = x + 1u;
  x = n ? *q++ : -~!n;
  p->next->pair = (__typeof__(p->pair)){ 1, .b = 2 };
  x += (int){ 3 } + ((struct node){ .key = 4 }).key + sizeof(int[3]) + sizeof x + sizeof(struct node);
  x = __builtin_expect(n == 1, 0) && __builtin_constant_p(3) || __builtin_types_compatible_p(int, unsigned);
  x = __builtin_choose_expr(1, n, "no");
  x = ({ int t = n; t * 2; });
  p->low = 3; p->high++; --p->low;
  x = "abc"[1] + 1["abc"] + *"abc";
  const char *kind = type_name(x);
  _Bool overflow = __builtin_add_overflow(n, x, &x);
  __sync_fetch_and_add(&x, 1);
  __atomic_store_n(&x, 2, __ATOMIC_SEQ_CST);
  v4si v = { 1, 2, 3, 4 }; v = v + v; x = v[2];
  x = (n > 1 ? p : 0) != 0;
  __asm__ __volatile__("" : : : "memory");
  __asm__("add %1, %0" : "+r"(x) : "r"(n) : "cc");
  __asm__ __volatile__("" :: "m"(*((const int **)&x)));
  (void)y; (void)kind; (void)overflow; (void)c;
  return __builtin_popcount(x) + __builtin_clzl(1ul) + (int)__builtin_strlen("four");
}
void nested_types(void) {
  struct local { struct { int deep; } in; } l = { { 1 } };
  enum { A, B } e = B; typedef int T; T t = e; { T T = 3; t = T; }
  int (*f)(void) = 0; int a[2][3], (*r)[3] = a; r++;
  { __label__ there; goto there; there: ; } (void)l; (void)t; (void)f; (void)r;
  extern int printf(const char *, ...); printf("%s %d\n", __func__, l.in.deep);
  for (;;) { if (t) break; else t = 1; }
}
[[gnu::unused]] static int with_attribute(void) { [[maybe_unused]] int q = 1; return 2; }
_Pragma("pack(push, 1)") struct packed_by_pragma { char c; int i; }; _Pragma("pack(pop)")
_Static_assert(sizeof(struct packed_by_pragma) == 5, "pragma");
_Noreturn void stop(void) { for (;;) die(); }
typedef union { int *i; float *f; } either __attribute__((transparent_union));
int take(either e); int give(int *i) { return take(i); }
int arrays(int a[static 3], int b[const], int n, int c[n][n]) { return a[0] + b[1] + c[1][2]; }
__extension__ typedef long long extended;
extern const char end_of_file[], *const last;

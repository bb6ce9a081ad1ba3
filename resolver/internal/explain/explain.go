// Package explain is the fifth stage of a resolution. It describes each fact of a minimal
// unsatisfiable core (package core): its text, why each candidate is rejected, and the near
// misses. Package argument renders these as sentences and trees. This package also words the
// reasons that warnings and what-if answers give.
package explain

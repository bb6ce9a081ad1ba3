package resolver

// alike reports whether two names are so close that one may be a slip for the
// other: one contains the other, or at most two letters (one in short names)
// differ.
func alike(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 4 && long[:len(short)] == short {
		return true
	}
	limit := 2
	if len(long) <= 5 {
		limit = 1
	}
	return len(long)-len(short) <= limit && editDistance(a, b, limit) <= limit
}

// editDistance is the number of insertions, deletions and replacements between
// two names, or any number above limit once it is clear that it exceeds limit.
func editDistance(a, b string, limit int) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal, least := row[0], i
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
			least = min(least, cost)
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}

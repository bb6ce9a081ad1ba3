package draw

// columns estimates how many columns of a monospaced font a text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 && (r <= 0x115F || 0x2E80 <= r && r <= 0xD7A3 || 0xF900 <= r && r <= 0xFAFF ||
			0xFE30 <= r && r <= 0xFE6F || 0xFF00 <= r && r <= 0xFF60 || r >= 0x1F300) {
			n++
		}
	}
	return n
}

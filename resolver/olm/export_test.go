package olm

// Fill adds to the number of kept bytes.
func (c *Cluster) Fill(bytes int) { c.kept += bytes }

package olm

// Fill counts bytes as kept.
func (c *Cluster) Fill(bytes int) { c.kept += bytes }

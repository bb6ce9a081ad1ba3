package cel

import "github.com/seed109e2655/resolute/constraints"

func init() {
	constraints.RegisterCompiler(func() constraints.Compiler {
		c := NewCompiler(Options{})
		return func(rule string) (constraints.Program, error) {
			p, err := c.Compile(rule)
			if err != nil {
				return nil, err // avoids a non-nil interface with a nil Program
			}
			return p, nil
		}
	})
	constraints.RegisterVetoCompiler(func() constraints.VetoCompiler { return NewVetoCompiler(Options{}) })
}

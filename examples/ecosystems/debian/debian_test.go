package debian_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/debian"
	"github.com/seed109e2655/resolute/resolver"
)

const small = `Package: web
Version: 2:1.0-1
Architecture: amd64
Depends: httpd, libc6 (>= 2.36),
 python3:any | missing
Conflicts: libold (<< 3)

Package: nginx
Version: 1.0
Architecture: all
Provides: httpd (= 2), api
Conflicts: httpd, web (<< 1)

Package: libc6
Version: 2.36-9+deb12u14
Architecture: amd64

Package: libc6
Version: 2.36-9
Architecture: amd64

Package: python3
Version: 3.11
Architecture: amd64
Multi-Arch: allowed

Package: libold
Version: 2.9~rc1
Architecture: amd64
Pre-Depends: libc6 (<< 2.36-9+deb12u14)

Package: needs-old
Version: 1
Architecture: amd64
Depends: web, libold (>= 3) | libold (= 2.9~rc1)
`

func TestInstall(t *testing.T) {
	a, err := debian.Read(strings.NewReader(small))
	require.NoError(t, err)
	var names []string
	solution, err := a.Install(t.Context(), "web")
	require.NoError(t, err)
	for _, step := range solution.Steps {
		p := step.Payload.(*debian.Package)
		names = append(names, p.Name+" "+p.Version.String())
	}
	require.Equal(t, []string{"libc6 2.36-9+deb12u14", "nginx 1.0", "python3 3.11", "web 2:1.0-1"}, names)
	solution, err = a.Install(t.Context(), "libold")
	require.NoError(t, err)
	require.Equal(t, "2.36-9", solution.Steps[0].Payload.(*debian.Package).Version.String())
	for _, names := range [][]string{{"needs-old"}, {"web", "libold"}, {"missing"}} {
		_, err = a.Install(t.Context(), names...)
		var conflict *resolver.Conflict
		require.ErrorAs(t, err, &conflict, names)
		require.NotRegexp(t, "(?i)olm|operator|bundle|subscription", conflict.Text())
	}
	for _, wrong := range []string{"Version: ü", "Version: 1\nDepends: b (", "Version: 1\nBreaks: b [", "Version: 1\nProvides: | ("} {
		_, err = debian.Read(strings.NewReader("Package: a\n" + wrong + "\n"))
		require.ErrorContains(t, err, "package a", wrong)
	}
}

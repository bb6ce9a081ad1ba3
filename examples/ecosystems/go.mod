module github.com/seed109e2655/resolute/examples/ecosystems

go 1.25.0

require (
	github.com/Masterminds/semver/v3 v3.5.0
	github.com/blang/semver/v4 v4.0.0
	github.com/seed109e2655/resolute v0.1.0
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.6
	pault.ag/go/debian v0.19.0
)

require (
	github.com/go-air/gini v1.0.4 // indirect
	github.com/go-json-experiment/json v0.0.0-20251027170946-4849db3c2f7e // indirect
	golang.org/x/crypto v0.40.0 // indirect
	pault.ag/go/topsort v0.1.1 // indirect
)

replace github.com/seed109e2655/resolute => ../..

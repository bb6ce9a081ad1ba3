module example.com/catalog-filter

go 1.25

require (
	github.com/operator-framework/operator-registry v1.61.0
	github.com/sherine-k/catalog-filter v0.0.5
)

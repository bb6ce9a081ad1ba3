module github.com/seed109e2655/resolute/.ci/mutate

go 1.25.0

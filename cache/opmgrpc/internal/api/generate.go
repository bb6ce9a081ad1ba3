// Package api holds the messages of the gRPC interface of opm serve.
package api

//go:generate protoc --go_out=. --go_opt=paths=source_relative opmgrpc.proto

package fbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// pretty indents a blob.
func pretty(blob string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(blob), "", "  "); err != nil {
		panic(err)
	}
	return b.String()
}

// TestJSON reads streams that are broken in one way each: what is whole is
// read, and what is not is a problem where it is.
func TestJSON(t *testing.T) {
	v1, v2 := []string{"etcd.v1"}, []string{"etcd.v2", "etcd.v1"}
	const noV1, noV2 = "f:2 warning entryWithoutBundle", "f:2 warning entryWithoutBundle"
	tests := map[string]struct {
		text     string
		bundles  []string
		problems []string
	}{
		"good":                  {goodLines, v2, nil},
		"no newline at the end": {strings.TrimSpace(goodLines), v2, nil},
		"CRLF":                  {strings.ReplaceAll(goodLines, "\n", "\r\n"), v2, nil},
		"blank lines":           {"\n\n " + strings.ReplaceAll(goodLines, "\n", "\n \t\n"), v2, nil},
		"byte order mark":       {"\uFEFF" + goodLines, v2, nil},
		"all on one line":       {strings.ReplaceAll(goodLines, "\n", " "), v2, nil},
		"without any space":     {strings.ReplaceAll(goodLines, "\n", ""), v2, nil},
		"pretty":                {lines(pretty(packageBlob), pretty(channelBlob), pretty(bundleV1), pretty(bundleV2)), v2, nil},
		"pretty and lines":      {lines(packageBlob, pretty(channelBlob), bundleV1, pretty(bundleV2)), v2, nil},
		"pretty, unindented": {
			strings.ReplaceAll(lines(pretty(packageBlob), pretty(channelBlob), pretty(bundleV1), pretty(bundleV2)), "  ", ""), v2, nil,
		},
		"nested braces at the ends of a line": {
			lines(packageBlob, channelBlob, bundleV1, "{\"schema\":\"olm.bundle\",\"x\":{\"y\":{}}\n,\"package\":\"etcd\",\"name\":\"etcd.v2\",\"image\":\"i\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"etcd\",\"version\":\"2.0.0\"}\n}\n]}"), v2, nil,
		},
		"line cut off in a string": {
			lines(packageBlob, channelBlob, bundleV1[:40], bundleV2), []string{"etcd.v2"}, []string{noV1, "f:3 error syntax"},
		},
		"line cut off behind a comma": {
			lines(packageBlob, channelBlob, strings.SplitAfter(bundleV1, ",")[0], bundleV2), []string{"etcd.v2"}, []string{noV1, "f:3 error syntax"},
		},
		"line cut off inside of an array": {
			lines(packageBlob, channelBlob, bundleV2[:strings.LastIndex(bundleV2, "{\"type")], bundleV1, packageBlob),
			v1, []string{noV2, "f:3 error syntax", "f:5 error packageDuplicate quarantines package"},
		},
		"line cut off at a brace": {
			lines(packageBlob, channelBlob, bundleV1, `{"schema":"olm.bundle","properties":[{}`), v1, []string{noV2, "f:4 error truncated"},
		},
		"the last line cut off": {
			goodLines[:len(goodLines)-20], v1, []string{noV2, "f:4 error truncated"},
		},
		"garbage in between": {
			lines(packageBlob, channelBlob, "hello", bundleV1, "]", "}", "null", bundleV2), v2,
			[]string{"f:3 error syntax", "f:5 error syntax"},
		},
		"values that are no blobs": {
			lines(packageBlob, `[1]`, `"x"`, `1`, channelBlob, `{}`, `{"schema":1}`, `{"schema":""}`, `{"schema":null}`, bundleV1, bundleV2), v2,
			[]string{
				"f:2 error notObject", "f:3 error notObject", "f:4 error notObject",
				"f:6 error schemaMissing", "f:7 error fieldType", "f:8 error schemaMissing", "f:9 error schemaMissing",
			},
		},
		"comma between blobs": {
			lines(packageBlob+",", channelBlob, bundleV1, bundleV2), v2, []string{"f:1 error syntax"},
		},
		"pretty and broken": {
			lines(pretty(packageBlob), pretty(channelBlob), pretty(bundleV1), strings.Replace(pretty(bundleV2), ":", "", 1)), v1,
			[]string{"f:14 warning entryWithoutBundle", "f:36 error syntax"},
		},
		"pretty, broken, and then lines": {
			lines(pretty(packageBlob), "{\n  \"schema\": oops\n}", channelBlob, bundleV1, bundleV2), v2, []string{"f:7 error syntax"},
		},
		"invalid UTF-8": {
			lines(packageBlob, channelBlob, strings.Replace(bundleV1, "i1", "\xff", 1), bundleV2), []string{"etcd.v2"}, []string{noV1, "f:3 error syntax"},
		},
		"other schemas": {
			lines(packageBlob, `{"schema":"olm.csv","anything":[{"deep":{}}]}`, channelBlob, bundleV1, `{"schema":"example.com/x"}`, bundleV2), v2, nil,
		},
		"schema at the end, and escaped names": {
			lines(`{"name":"et\u0063d","defaultChannel":"stable","sch\u0065ma":"olm.package"}`, channelBlob, bundleV1, bundleV2), v2, nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text)), iotest.DataErrReader(strings.NewReader(test.text))} {
				c := testkit.Must(fbc.Read(context.Background(), r, "f", fbc.Options{}))(t)
				if test.problems == nil {
					test.problems = []string{}
				}
				require.Equal(t, test.problems, found(c), "%v", c.Problems())
				require.Equal(t, test.bundles, bundleNames(c))
			}
		})
	}
}

// TestResume: the message tells where reading goes on, or that it does not.
func TestResume(t *testing.T) {
	c := read(t, "f.json", lines(packageBlob, "x", "y", "z", channelBlob, bundleV1, bundleV2, "{"), fbc.Options{})
	require.Equal(t, []string{"f.json:2 error syntax", "f.json:8 error truncated"}, found(c))
	require.Contains(t, c.Problems()[0].Message, "reading goes on at line 5")
	require.Contains(t, c.Problems()[1].Message, "the rest of the file is lost")
}

// TestReaderThatFails: what came before is read, and the failure is a problem
// at the line where it happened.
func TestReaderThatFails(t *testing.T) {
	boom := errors.New("the disk is on fire")
	for name, cut := range map[string]int{"between lines": len(goodLines), "inside of a line": len(goodLines) - 30} {
		t.Run(name, func(t *testing.T) {
			for _, yaml := range []string{"f.json", "f.yaml"} {
				text := goodLines
				if yaml == "f.yaml" {
					text = asDocuments(t, packageBlob, channelBlob, bundleV1, bundleV2)
					cut = len(text) - 30
				}
				r := io.MultiReader(strings.NewReader(text[:cut]), iotest.ErrReader(boom))
				c := testkit.Must(fbc.Read(context.Background(), r, yaml, fbc.Options{}))(t)
				last := c.Problems()[len(c.Problems())-1]
				require.Equal(t, fbc.CodeUnreadable, last.Code)
				require.Contains(t, last.Message, "the disk is on fire")
				require.Greater(t, last.Line, 3)
				require.Contains(t, bundleNames(c), "etcd.v1")
			}
		})
	}
	_, err := fbc.Read(context.Background(), iotest.ErrReader(boom), "f", fbc.Options{})
	require.Equal(t, fbc.CodeUnreadable, testkit.As[*fbc.UnreadableError](t, err).Problems[0].Code)
}

// TestReaderThatStalls: a reader that keeps returning nothing is an error, not
// a loop without end.
func TestReaderThatStalls(t *testing.T) {
	_, err := fbc.Read(context.Background(), stall{}, "f", fbc.Options{})
	require.ErrorContains(t, err, io.ErrNoProgress.Error())
}

type stall struct{}

func (stall) Read([]byte) (int, error) { return 0, nil }

// TestAnyBreakCostsOneLine: whatever is done to one line of JSON lines, the
// others are read.
func TestAnyBreakCostsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []string{packageBlob, channelBlob, bundleV1, bundleV2}
		broken := rapid.IntRange(2, 3).Draw(t, "line")
		line := []byte(all[broken])
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			line = line[:rapid.IntRange(1, len(line)-1).Draw(t, "cut")]
		case 1:
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			line = append(line[:at:at], line[at+1:]...)
		default:
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			line[at] = rapid.SampledFrom([]byte("{}[]\",:x\\ ")).Draw(t, "byte")
		}
		all[broken] = string(line)
		c := testkit.Must(fbc.Read(context.Background(), strings.NewReader(lines(all...)), "f.jsonl", fbc.Options{}))(t)
		if !json.Valid(line) {
			require.NotEmpty(t, c.Problems())
		}
		whole := map[int]string{2: "etcd.v2", 3: "etcd.v1"}[broken]
		require.NotNil(t, c.Package("etcd"))
		require.NotNil(t, c.Package("etcd").Bundle(whole), "%s", line)
		require.Nil(t, c.Package("etcd").Bundle(whole).Quarantine)
	})
}

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart is a chart of times, or of memory, over sizes.
type chart struct {
	title string
	unit  string
	lines []line
}

// line is a line of a chart.
type line struct {
	name   string
	points plotter.XYs
	color  int  // lines of equal numbers share a colour
	dashed bool // another program
}

// add appends a point to the line of that name, creating it if needed. Zero
// values are skipped: 0 has no logarithm.
func (c *chart) add(name string, color int, dashed bool, bundles int, value float64) {
	if bundles <= 0 || value <= 0 {
		return
	}
	i := slices.IndexFunc(c.lines, func(l line) bool { return l.name == name })
	if i < 0 {
		i = len(c.lines)
		c.lines = append(c.lines, line{name: name, color: color, dashed: dashed})
	}
	c.lines[i].points = append(c.lines[i].points, plotter.XY{X: float64(bundles), Y: value})
}

func (r *results) title(what string) string {
	return fmt.Sprintf("%s\n%s, %d cores, %s", what, r.Machine.CPU, r.Machine.Cores, r.Date)
}

// process returns the chart of the time of whole processes.
func (r *results) process() *chart {
	return r.processes("Whole process: start, load, resolve, print", "seconds", func(u *usage) float64 { return u.Seconds })
}

// memory returns the chart of the memory of whole processes.
func (r *results) memory() *chart {
	return r.processes("Memory of the whole process", "peak resident MB", func(u *usage) float64 { return float64(u.Peak) / 1e6 })
}

// processes returns a chart of whole processes.
func (r *results) processes(title, unit string, value func(*usage) float64) *chart {
	c := &chart{title: r.title(title), unit: unit}
	presets := map[string]int{}
	for _, p := range r.Process {
		if p.Form != "compact" { // the JSON format of the other curves
			continue
		}
		if _, ok := presets[p.Preset]; !ok {
			presets[p.Preset] = len(presets)
		}
		if p.Resolute != nil {
			c.add("resolute, "+p.Preset, presets[p.Preset], false, p.Bundles, value(p.Resolute))
		}
		if p.Libsolv != nil {
			c.add("libsolv, "+p.Preset, presets[p.Preset], true, p.Bundles, value(p.Libsolv))
		}
	}
	return c
}

// warm returns the chart of questions to a process with a loaded catalog, for
// the first preset, with earlier figures of other programs.
func (r *results) warm() *chart {
	c := &chart{title: r.title("With a loaded catalog"), unit: "seconds"}
	for _, w := range r.Warm {
		if w.Preset != r.Warm[0].Preset {
			continue
		}
		for i, q := range []struct {
			name    string
			seconds float64
			failed  string
		}{
			{"load", w.Load.Seconds, w.Load.Failed}, {"resolve", w.Resolve.Seconds, w.Resolve.Failed},
			{"what-if", w.WhatIf.Seconds, w.WhatIf.Failed}, {"explain", w.Explain.Seconds, w.Explain.Failed},
		} {
			if q.failed == "" {
				c.add(q.name+", "+w.Preset, i, false, w.Bundles, q.seconds)
			}
		}
	}
	for _, e := range r.Earlier {
		if e.What == "synthetic" {
			c.add(e.Program+", measured earlier", 5, true, e.Bundles, e.Seconds)
		}
	}
	return c
}

// palette is distinguishable with colour blindness.
func palette() []color.Color {
	return []color.Color{
		color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255},
		color.RGBA{204, 121, 167, 255}, color.RGBA{86, 180, 233, 255}, color.RGBA{90, 90, 90, 255},
	}
}

// drawChart writes a chart as SVG; without points, it writes nothing.
func drawChart(name string, c *chart) error {
	if len(c.lines) == 0 {
		return nil
	}
	p := plot.New()
	for _, font := range []*font.Font{
		&p.Title.TextStyle.Font, &p.Legend.TextStyle.Font,
		&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		font.Variant = "Sans"
	}
	p.BackgroundColor = color.White // on dark pages, style replaces it
	p.Title.Text = c.title
	p.X.Label.Text, p.Y.Label.Text = "bundles in the catalogs", c.unit
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = decades{}, decades{}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for _, l := range c.lines {
		slices.SortFunc(l.points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		curve, dots, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		colors := palette()
		curve.Color = colors[l.color%len(colors)]
		curve.Width = vg.Points(1.5)
		dots.Color, dots.Shape = curve.Color, draw.CircleGlyph{}
		if l.dashed {
			curve.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
			dots.Shape = draw.SquareGlyph{}
		}
		p.Add(curve, dots)
		p.Legend.Add(l.name, curve, dots)
	}
	p.X.Min, p.X.Max = p.X.Min/1.3, p.X.Max*1.3
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	room := math.Pow(10, math.Ceil(float64(len(c.lines))/4)) // for the legend
	p.Y.Min, p.Y.Max = decade(p.Y.Min, math.Floor), decade(p.Y.Max, math.Ceil)*room
	return save(name, c, p)
}

// style gives a picture the colours of a dark page. The library writes its
// colours into each element.
const style = `<style>@media (prefers-color-scheme:dark){text{fill:#e4e7ea}[style*="fill:#FFFFFF"]{fill:#15191d!important}` +
	`[style*="stroke:#000000"]{stroke:#e4e7ea!important}[style*="#5A5A5A"]{stroke:#a3afbf!important}}</style>`

// save writes a picture with its accessible name and the colours of a dark
// page. Readers rarely have the library's font, and get one of the same widths.
func save(name string, c *chart, p *plot.Plot) error {
	svg, err := p.WriterTo(18*vg.Centimeter, 12*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if _, err := svg.WriteTo(&buf); err != nil {
		return err
	}
	text := strings.ReplaceAll(buf.String(), "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	title, _, _ := strings.Cut(c.title, "\n")
	head, body, found := strings.Cut(text, "<g ")
	if !found {
		return fmt.Errorf("%s: the picture has no content", name)
	}
	head = strings.Replace(head, "<svg ", `<svg role="img" `, 1) + "<title>" + html.EscapeString(title+", in "+c.unit) + "</title>\n" + style + "\n"
	return os.WriteFile(name, []byte(head+"<g "+body), 0o666)
}

// decade rounds to a power of ten.
func decade(v float64, round func(float64) float64) float64 {
	return math.Pow(10, round(math.Log10(v)))
}

// decades labels the powers of ten and has unlabelled ticks between them.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			if v < low*0.999 || v > high*1.001 {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 {
				t.Label = strconv.FormatFloat(math.Pow(10, float64(e)), 'f', max(0, -e), 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

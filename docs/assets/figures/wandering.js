/* One pair, a token apart, as its start slides: its score, and the four terms of it. */
import { axes, circle, group, line, number, path, rect, scale, text } from "./drawing.js"

const TERMS = [
  { name: "A · B", colour: "var(--pd-muted)", opacity: 0.85 },
  { name: "PE · PE", colour: "var(--pd-muted)", opacity: 0.4 },
  { name: "A · PE", colour: "var(--pd-series-3)", opacity: 0.8 },
  { name: "PE · B", colour: "var(--pd-series-4)", opacity: 0.8 },
]

const places = (width) => {
  const left = 42
  const right = width - 14
  const x = scale([-0.5, 20.5], [left, right])
  return {
    left,
    right,
    x,
    upper: { left, right, x, top: 26, bottom: 206, y: scale([-1.5, 3.5], [206, 26]) },
    lower: { left, right, x, top: 266, bottom: 426, y: scale([-3, 4.5], [426, 266]) },
  }
}

export function render({ data, state: { start }, width }) {
  const { x, upper, lower, left, right } = places(width)
  const ticks = [0, 5, 10, 15, 20]
  const score = data.scores[start]
  const bars = data.terms.map((terms, s) => stack(terms, s, x, lower.y, s === start))
  const legend = TERMS.map(({ name, colour, opacity }, n) => {
    const at = left + 8 + (n * (right - left)) / 4
    return rect(at, 243, 10, 10, { fill: colour, "fill-opacity": opacity }) + text(at + 15, 248, name, { anchor: "start", size: 12 })
  })
  const near = data.crossings.map((each) => circle(x(each), upper.y(data.relative), 2.5, { fill: "var(--pd-series-2)" }))
  const svg = [
    axes({ ...upper, xticks: ticks, yticks: [-1, 0, 1, 2, 3], ylabel: "score" }),
    path(data.curve.map((value, n) => [x((n * 20) / (data.curve.length - 1)), upper.y(value)]), {
      stroke: "var(--pd-series-1)",
      "stroke-width": 2.4,
    }),
    ...data.scores.map((value, s) => circle(x(s), upper.y(value), 3, { fill: "var(--pd-series-1)" })),
    line(left, upper.y(data.relative), right, upper.y(data.relative), {
      stroke: "var(--pd-series-2)",
      "stroke-width": 1.8,
      "stroke-dasharray": "6 4",
    }),
    ...near,
    line(x(start), upper.top, x(start), lower.bottom, { stroke: "var(--pd-muted)" }),
    circle(x(start), upper.y(score), 6, { fill: "var(--pd-series-1)", stroke: "var(--pd-paper)", "stroke-width": 1.5 }),
    circle(x(start), upper.y(data.relative), 8.5, { fill: "none", stroke: "var(--pd-series-2)", "stroke-width": 2 }),
    text(right - 76, upper.top - 12, "sinusoidal", { anchor: "end", size: 12, fill: "var(--pd-series-1)" }),
    text(right, upper.top - 12, "relative", { anchor: "end", size: 12, fill: "var(--pd-series-2)" }),
    ...legend,
    ...bars,
    axes({ ...lower, xticks: ticks, yticks: [-2, 0, 2, 4], xlabel: "start s of the pair" }),
    line(left, lower.y(0), right, lower.y(0), { stroke: "var(--pd-muted)" }),
    ...data.scores.map((value, s) => circle(x(s), lower.y(value), s === start ? 4.5 : 2.4, { fill: "var(--pd-ink)" })),
  ].join("")
  const [content, first, second, both] = data.terms[start]
  const said =
    `Start ${start}: the sinusoidal score is ${number(score)}, the relative one ${number(data.relative, 1)}. ` +
    `Its terms: A·B = ${number(content, 1)}, PE·PE = ${number(both)}, ` +
    `A·PE(${start + 1}) = ${number(first)}, PE(${start})·B = ${number(second)}.`
  return { svg, height: 464, said }
}

/* The terms of one start on top of each other: what is negative goes down. */
function stack([content, first, second, both], s, x, y, chosen) {
  let [up, down] = [0, 0]
  const wide = (x(1) - x(0)) * 0.78
  const parts = [content, both, first, second].map((value, n) => {
    const from = value > 0 ? up : down
    if (value > 0) up += value
    else down += value
    const [low, high] = [Math.min(from, from + value), Math.max(from, from + value)]
    const { colour, opacity } = TERMS[n]
    return rect(x(s) - wide / 2, y(high), wide, y(low) - y(high), { fill: colour, "fill-opacity": opacity })
  })
  return group({ opacity: chosen ? 1 : 0.5 }, ...parts)
}

/* Dragging moves the pair. */
export function point({ x, dragging, width }) {
  if (!dragging) return null
  return { start: Math.min(20, Math.max(0, Math.round(places(width).x.invert(x)))) }
}

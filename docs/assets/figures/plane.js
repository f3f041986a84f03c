/* A query and a key in the plane, turned by their positions; a common shift leaves their score. */
import { arrow, axes, circle, element, group, line, number, path, scale, signed, text } from "./drawing.js"

const COLOURS = { query: "var(--pd-series-1)", key: "var(--pd-series-2)" }
const MUTED = { stroke: "var(--pd-muted)" }
const FAINT = { size: 11, fill: "var(--pd-muted)" }
const STRIP = 40 // where the text runs

/* The text above; the plane and the score below it, side by side or under one another. */
function places(width) {
  const wide = width >= 520
  const side = wide ? Math.min(290, width / 2 - 20) : Math.min(290, width - 10)
  const [left, top] = [wide ? 0 : (width - side) / 2, 84]
  const chart = wide
    ? { left: side + 70, right: width - 14, top: top + 40, bottom: top + side - 50 }
    : { left: 46, right: width - 14, top: top + side + 40, bottom: top + side + 170 }
  return {
    text: scale([0, 40], [22, width - 22]),
    x: scale([-1.25, 1.25], [left, left + side]),
    y: scale([-1.25, 1.25], [top + side, top]),
    chart: { ...chart, x: scale([-20.5, 20.5], [chart.left, chart.right]), y: scale([-1, 1], [chart.bottom, chart.top]) },
    height: wide ? top + side : chart.bottom + 40,
  }
}

/* Each vector at every position of the text, as it is drawn. */
function turned(data, { pair, rate }, { x, y }) {
  const drawn = (name) => data.turned[rate][name].map(([u, v]) => [x(u), y(v)])
  return { query: drawn("query"), key: drawn(pair) }
}

export function render({ data, state, width }) {
  const { query, key, shift, pair, rate } = state
  const at = places(width)
  const tips = turned(data, state, at)
  const offset = data.offsets[query][key]
  const scores = data.scores[rate][pair]
  const score = scores.at(offset) // a negative offset counts from the end
  const svg = [
    ribbon(at.text, state),
    plane(at, tips, state),
    curve(at.chart, data.offsets.length - 1, scores, offset, score),
  ].join("")
  const shifted = shift ? ` (${query} and ${key}, shifted by ${shift})` : ""
  const said =
    `${data.names[pair]}, ω = ${data.rates[rate]}: query at ${query + shift}, key at ${key + shift}${shifted}. ` +
    `The offset is ${signed(offset)}, the score ${number(score)}. ` +
    `Every two positions with this offset have this score: the largest difference is ${data.spread}.`
  return { svg, height: at.height, said }
}

/* The text, with the query above it and the key below; hollow where they stood before the shift. */
function ribbon(x, { query, key, shift }) {
  const token = (name, place, side) => {
    const [now, y] = [x(place + shift), STRIP + side * 9]
    const words = `${name} at ${place + shift}`
    const colour = { fill: COLOURS[name], stroke: COLOURS[name] }
    return (
      (shift ? circle(x(place), y, 4, { ...colour, fill: "none" }) + line(x(place) + 4, y, now, y, { ...colour, "stroke-dasharray": "2 3" }) : "") +
      circle(now, y, 6, colour) +
      text(Math.min(x(40) - 16, Math.max(x(0) + 16, now)), STRIP + side * 26, words, { size: 12, fill: COLOURS[name] })
    )
  }
  return group(
    {},
    line(x(0), STRIP, x(40), STRIP, MUTED),
    ...[0, 10, 20, 30, 40].map((n) => line(x(n), STRIP - 3, x(n), STRIP + 3, MUTED)),
    text(x(0) - 6, STRIP, 0, { ...FAINT, anchor: "end" }),
    text(x(40) + 5, STRIP, 40, { ...FAINT, anchor: "start" }),
    token("query", query, -1),
    token("key", key, 1),
  )
}

function plane({ x, y }, tips, { query, key, shift }) {
  const [zero, one] = [[x(0), y(0)], x(1) - x(0)]
  const ends = { query: tips.query[query + shift], key: tips.key[key + shift] }
  const rays = Object.fromEntries(Object.entries(ends).map(([name, end]) => [name, ray(zero, end)]))
  // On the drawing the key is to the right of the query, or to the left.
  const cross = rays.query[0] * rays.key[1] - rays.query[1] * rays.key[0]
  const side = cross > 0.01 ? 1 : -1
  const vector = (name, away) => {
    const colour = COLOURS[name]
    const [tip, [u, v]] = [ends[name], rays[name]]
    return [
      ...tips[name].slice(shift, shift + 21).map(([cx, cy]) => circle(cx, cy, 2, { fill: colour, "fill-opacity": 0.5 })),
      line(...zero, ...tips[name][0], { stroke: colour, "stroke-dasharray": "3 4", opacity: 0.6 }),
      arrow(...zero, ...tip, { stroke: colour, "stroke-width": 2.2, head: 10 }),
      text(tip[0] + 13 * u - away * 11 * v, tip[1] + 13 * v + away * 11 * u, name[0], { size: 15, "font-weight": 600, fill: colour }),
      // A finger turns it, and does not scroll the page.
      circle(...tip, 16, { fill: colour, "fill-opacity": 0.08, style: "touch-action: none; cursor: grab" }),
    ].join("")
  }
  const near = ([u, v]) => `${zero[0] + 0.35 * one * u} ${zero[1] + 0.35 * one * v}`
  const arc = `M${near(rays.query)}A${0.35 * one} ${0.35 * one} 0 0 ${side > 0 ? 1 : 0} ${near(rays.key)}`
  return group(
    {},
    line(x(-1.2), y(0), x(1.2), y(0), { stroke: "var(--pd-rule)" }),
    line(x(0), y(-1.2), x(0), y(1.2), { stroke: "var(--pd-rule)" }),
    circle(...zero, one, { ...MUTED, fill: "none", "stroke-width": 0.8 }),
    element("path", { d: arc, fill: "none", stroke: "var(--pd-ink)", "stroke-width": 2 }),
    vector("query", -side),
    vector("key", side),
  )
}

/* One pixel from one point towards another. */
const ray = (from, to) => to.map((value, n) => (value - from[n]) / distance(from, to))

function curve(box, last, scores, offset, score) {
  const { x, y, left, right, top } = box
  const points = Array.from({ length: 2 * last + 1 }, (_, n) => [x(n - last), y(scores.at(n - last))])
  return group(
    {},
    axes({ ...box, xticks: [-20, -10, 0, 10, 20], yticks: [-1, 0, 1], xlabel: "offset, key minus query" }),
    line(left, y(0), right, y(0), { ...MUTED, "stroke-dasharray": "2 3" }),
    text((left + right) / 2, top - 20, `score ${number(score)}`, { size: 15, "font-weight": 600 }),
    path(points, { ...MUTED, "stroke-width": 1.4 }),
    ...points.map(([cx, cy]) => circle(cx, cy, 2, { fill: "var(--pd-muted)" })),
    line(x(offset), y(0), x(offset), y(score), { "stroke-width": 2 }),
    circle(x(offset), y(score), 6, { fill: "var(--pd-ink)", stroke: "var(--pd-paper)", "stroke-width": 1.5 }),
  )
}

/* Dragging a tip turns its vector from place to place; dragging the text shifts both. */
export function point({ x, y, dragging, began, data, state, width }) {
  if (!dragging) return null
  const at = places(width)
  const { shift } = state
  if (began.y < at.y(1.25))
    return { shift: within(began.state.shift + at.text.invert(x) - at.text.invert(began.x)) }
  const tips = turned(data, state, at)
  const far = (name, place, from) => distance(tips[name][place + shift], [from.x, from.y])
  const grip = (name) => far(name, began.state[name], began)
  const name = grip("query") < grip("key") ? "query" : "key"
  if (grip(name) > 32) return null
  // Less than half a turn away, so that it goes on round the circle and never jumps back.
  const reach = Array.from({ length: 15 }, (_, n) => within(state[name] + n - 7))
  return { [name]: reach.reduce((best, place) => (far(name, place, { x, y }) < far(name, best, { x, y }) ? place : best)) }
}

const within = (place) => Math.min(20, Math.max(0, Math.round(place)))

const distance = ([x0, y0], [x1, y1]) => Math.hypot(x1 - x0, y1 - y0)

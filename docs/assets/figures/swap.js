/* The swap: one pair of tokens in both orders, with positions and without. */
import { axes, circle, group, line, number, path, rect, scale, signed, text } from "./drawing.js"

const COLOURS = { a: "var(--pd-series-1)", b: "var(--pd-series-4)" }
const NAMES = { a: "A", b: "B" }

const places = (width) => {
  const box = { left: 42, right: width - 16, top: 104, bottom: 324 }
  return { ...box, x: scale([0, 21], [box.left + 12, box.right]), y: scale([-1.5, 3.5], [box.bottom, box.top]) }
}

export function render({ data, state, width }) {
  const { first, position, start } = state
  const other = first === "a" ? "b" : "a"
  const at = places(width)
  const scores = position ? data.scores : data.content
  const score = scores[first][start]
  const swapped = scores[other][start]
  const { x, y } = at
  const step = x(1) - x(0)
  const token = (name, place) =>
    rect(x(place) - step * 0.46, 30, step * 0.92, 30, { rx: 3, fill: COLOURS[name], "fill-opacity": 0.18, stroke: COLOURS[name] }) +
    text(x(place), 45, NAMES[name], { size: 14, "font-weight": 600 })
  const series = (name, strong) =>
    group(
      { opacity: strong ? 1 : 0.6 },
      path(scores[name].map((value, s) => [x(s), y(value)]), { stroke: COLOURS[name], "stroke-width": strong ? 2 : 1.2 }),
      ...scores[name].map((value, s) => circle(x(s), y(value), strong ? 3 : 2.2, { fill: COLOURS[name] })),
    )
  const svg = [
    text(at.left, 12, "the text", { anchor: "start", size: 12, fill: "var(--pd-muted)" }),
    line(x(0) - step / 2, 60, x(21) + step / 2, 60, { stroke: "var(--pd-muted)" }),
    ...[0, 5, 10, 15, 20].map((n) => text(x(n), 71, n, { size: 11, fill: "var(--pd-muted)" })),
    token(first, start),
    token(other, start + 1),
    axes({ ...at, xticks: [0, 5, 10, 15, 20], yticks: [-1, 0, 1, 2, 3], xlabel: "start s of the pair", ylabel: "score" }),
    ...["a", "b"].map((name, n) =>
      text(at.right - 70 * (1 - n), at.top - 12, `${NAMES[name]} first`, {
        anchor: "end", size: 12, fill: COLOURS[name], "font-weight": name === first ? 700 : 400,
      }),
    ),
    line(at.left, y(0), at.right, y(0), { stroke: "var(--pd-muted)", "stroke-dasharray": "2 3" }),
    line(x(start), at.top, x(start), at.bottom, { stroke: "var(--pd-muted)" }),
    series(other, false),
    series(first, true),
    line(x(start), y(score), x(start), y(swapped), { stroke: "var(--pd-ink)", "stroke-width": 2.4 }),
    circle(x(start), y(swapped), 4.5, { fill: "var(--pd-paper)", stroke: COLOURS[other], "stroke-width": 2 }),
    circle(x(start), y(score), 6, { fill: COLOURS[first], stroke: "var(--pd-paper)", "stroke-width": 1.5 }),
  ].join("")
  const order = `${NAMES[first]} at ${start}, ${NAMES[other]} at ${start + 1}`
  const difference = (first === "a" ? 1 : -1) * data.difference[start]
  const said = position
    ? `${order}: the score is ${number(score)}; the other way round it is ${number(swapped)}. ` +
      `The difference is (${NAMES[first]} − ${NAMES[other]}) · (PE(${start + 1}) − PE(${start})) = ${signed(difference, 6)}.`
    : `${order}, without positions: the score is ${number(score, 1)}, and ${number(swapped, 1)} the other way round.`
  return { svg, height: 364, said }
}

/* Dragging moves the pair. */
export function point({ x, y, dragging, width }) {
  if (!dragging) return null
  const at = places(width)
  return { start: Math.min(20, Math.max(0, Math.round(at.x.invert(x)))) }
}

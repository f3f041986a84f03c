/* What the drawings share: pieces of SVG as text, and numbers as the book prints them. */

const MINUS = "\u2212"

/* A number with so many decimals; never "−0". */
export function number(value, digits = 6) {
  const text = Math.abs(value).toFixed(digits)
  return (value < 0 && Number(text) !== 0 ? MINUS : "") + text
}

/* The same with its sign: +1, −1, and 0 without one. */
export function signed(value, digits = 0) {
  const text = number(value, digits)
  return Number(Math.abs(value).toFixed(digits)) === 0 || text.startsWith(MINUS) ? text : "+" + text
}

export const escape = (text) =>
  String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/* An element from its attributes; `undefined` leaves one out. */
export function element(name, attributes, content = "") {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? round(value) : escape(value)}"`)
  return `<${name}${written.join("")}>${content}</${name}>`
}

const round = (value) => Math.round(value * 100) / 100

export const group = (attributes, ...content) => element("g", attributes, content.join(""))

export const rect = (x, y, width, height, attributes = {}) =>
  element("rect", { x, y, width, height, ...attributes })

export const line = (x1, y1, x2, y2, attributes = {}) =>
  element("line", { x1, y1, x2, y2, stroke: "var(--pd-ink)", ...attributes })

export const circle = (cx, cy, r, attributes = {}) => element("circle", { cx, cy, r, ...attributes })

/* Text with its middle, start or end at x and its middle line at y. */
export const text = (x, y, content, { anchor = "middle", size = 13, ...attributes } = {}) =>
  element(
    "text",
    { x, y, "text-anchor": anchor, "dominant-baseline": "central", "font-size": size, ...attributes },
    escape(content),
  )

/* A line through points [x, y] on the drawing. */
export const path = (points, attributes = {}) =>
  element("path", {
    d: points.map(([x, y], n) => `${n ? "L" : "M"}${round(x)} ${round(y)}`).join(""),
    fill: "none",
    stroke: "var(--pd-ink)",
    ...attributes,
  })

/* An arrow with its head at the second point. */
export function arrow(x1, y1, x2, y2, { head = 8, ...attributes } = {}) {
  const angle = Math.atan2(y2 - y1, x2 - x1)
  const wing = (turn) => [x2 - head * Math.cos(angle + turn), y2 - head * Math.sin(angle + turn)]
  const colour = attributes.stroke ?? "var(--pd-ink)"
  return (
    line(x1, y1, x2, y2, { "stroke-width": 1.6, ...attributes }) +
    path([wing(0.4), [x2, y2], wing(-0.4)], { fill: colour, stroke: colour })
  )
}

/* From values to places on the drawing, and back. */
export function scale([from, to], [start, end]) {
  const place = (value) => start + ((value - from) / (to - from)) * (end - start)
  place.invert = (at) => from + ((at - start) / (end - start)) * (to - from)
  return place
}

/* The colours of a heat map: zero is the ground, the limit and its opposite the full tints. */
export function tint(value, limit, strongest = 0.55) {
  const share = Math.min(1, Math.abs(value) / limit) * strongest
  return { fill: `var(--pd-${value < 0 ? "negative" : "positive"})`, "fill-opacity": round(share) }
}

/* Axes along the lower and the left edge of a box, with their ticks. */
export function axes({ x, y, xticks, yticks, xlabel, ylabel, left, bottom, right, top, digits = 0 }) {
  const muted = { stroke: "var(--pd-muted)", "stroke-width": 1 }
  const label = { fill: "var(--pd-muted)", size: 12 }
  return [
    line(left, bottom, right, bottom, muted),
    line(left, bottom, left, top, muted),
    ...xticks.map(
      (tick) => line(x(tick), bottom, x(tick), bottom + 4, muted) + text(x(tick), bottom + 13, number(tick, 0), label),
    ),
    ...yticks.map(
      (tick) =>
        line(left - 4, y(tick), left, y(tick), muted) +
        text(left - 8, y(tick), number(tick, digits), { ...label, anchor: "end" }),
    ),
    xlabel ? text((left + right) / 2, bottom + 31, xlabel) : "",
    ylabel ? text(left - 30, top - 12, ylabel, { anchor: "start" }) : "",
  ].join("")
}

/* What each method does to the frequency of every pair: the new one over the trained one, and
   below it the frequency itself, with the tokens that a turn takes on the right. */
import { axes, circle, line, path, rect, scale, text } from "./drawing.js"

const METHODS = {
  linear: ["linear", "var(--pd-series-2)"],
  ntk: ["NTK", "var(--pd-series-5)"],
  yarn: ["YaRN", "var(--pd-series-1)"],
  longrope: ["LongRoPE", "var(--pd-series-6)"],
  llama: ["Llama 3", "var(--pd-series-4)"],
  proportional: ["proportional", "var(--pd-series-3)"],
  none: ["no scaling", "var(--pd-muted)"],
}
const SMALL = { size: 11, fill: "var(--pd-muted)" }
const MUTED = { stroke: "var(--pd-muted)" }

const short = (value) => String(Number(value.toPrecision(4)))
const tokens = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 1000 ? 1 : 0 })

/* A scale of ratios; zero, the rate of a pair that is stopped, stands at the lower end. */
function ratios([from, to], ends) {
  const place = scale([Math.log(from), Math.log(to)], ends)
  return (value) => place(Math.log(value || from))
}

function places(width) {
  const [left, right] = [56, width - 56]
  const both = { left, right, x: scale([-0.5, 63.5], [left, right]) }
  return {
    ...both,
    upper: { ...both, top: 66, bottom: 236, y: ratios([1 / 80, 2], [236, 66]) },
    lower: { ...both, top: 280, bottom: 450, y: ratios([1.4e-6, 1.5], [450, 280]) },
  }
}

/* Rows of numbers, four bytes each. */
function unpack(packed, columns) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))
  const numbers = [...new Float32Array(bytes.buffer)]
  return Array.from({ length: numbers.length / columns }, (_, row) => numbers.slice(row * columns, (row + 1) * columns))
}

/* [trained rate, its wavelength, new rate, ratio] of every pair under a method: the first pairs
   keep their rate, then come those of the method's own, and the last are divided by the factor. */
function pairs(data, method, factor) {
  if (method === "longrope") return unpack(data.longrope.pairs, 4)
  const trained = unpack(data.trained, 2)
  const { kept, own } = data.methods[method]?.[factor] ?? data.methods[method]?.any ?? { kept: trained.length, own: "" }
  const middle = unpack(own, 2)
  const divided = unpack(data.divided[factor].rates, 1)
  return trained.map((each, m) => {
    if (m < kept) return [...each, each[0], 1]
    return [...each, ...(middle[m - kept] ?? [divided[m][0], data.divided[factor].ratio])]
  })
}

export function render({ data, state: { method, factor, pair }, width }) {
  const { x, upper, lower, left, right } = places(width)
  const drawn = Object.fromEntries(Object.keys(METHODS).map((each) => [each, pairs(data, each, factor)]))
  const place = (each, m) => x(each === "longrope" ? data.longrope.places[m] : m)
  const chosen = method === "longrope" ? data.longrope.nearest[pair] : pair
  const here = place(method, chosen)
  const colour = METHODS[method][1]
  const [before, wavelength, after, ratio] = drawn[method][chosen]
  const curve = (each, { y }, column, attributes) =>
    path(drawn[each].map((told, m) => [place(each, m), y(told[column])]), { stroke: METHODS[each][1], ...attributes })
  const tick = ({ y }, value, words) => line(left - 4, y(value), left, y(value), MUTED) + text(left - 8, y(value), words, { ...SMALL, anchor: "end" })
  const turn = ([long, rate]) => line(right, lower.y(rate), right + 4, lower.y(rate), MUTED) + text(right + 8, lower.y(rate), tokens(long), { ...SMALL, anchor: "start" })
  const guide = ([long, rate], what, below) =>
    line(left, lower.y(rate), right, lower.y(rate), { ...MUTED, "stroke-dasharray": "2 3" }) +
    text(left + 6, lower.y(rate) + below, `${what}: ${tokens(long)}`, { ...SMALL, anchor: "start" })
  const dot = (y, fill) => circle(here, y, 5.5, { fill, stroke: "var(--pd-paper)", "stroke-width": 1.5 })
  const [trained, read] = ["x1", factor].map((each) => unpack(data.lengths[each], 2)[0])
  const shade = ({ top, bottom }) => rect(x(data.slow - 0.5), top, right - x(data.slow - 0.5), bottom - top, { fill: "var(--pd-muted)", "fill-opacity": 0.13 })
  const svg = [
    legend(width, method),
    shade(upper) + shade(lower),
    text((x(data.slow) + right) / 2, upper.top + 9, "no full turn", SMALL),
    line(here, upper.top, here, lower.bottom, MUTED),
    axes({ ...upper, xticks: [], yticks: [] }),
    text(left - 48, upper.top - 12, "new / trained", { size: 12, anchor: "start" }),
    ...data.ticks.map(([value, words]) => tick(upper, value, words)),
    ...Object.keys(METHODS).map((each) => (each === "none" ? "" : curve(each, upper, 3, { "stroke-width": 1.3, opacity: 0.5 }))),
    curve(method, upper, 3, { "stroke-width": 2.6 }),
    ...(method === "longrope" ? drawn.longrope : []).map((told, m) => circle(place(method, m), upper.y(told[3]), 2.6, { fill: colour })),
    dot(upper.y(ratio), colour),
    axes({ ...lower, xticks: [0, 10, 20, 30, 40, 50, 63], yticks: [], xlabel: "pair m" }),
    text(left - 48, lower.top - 12, "radians a token", { size: 12, anchor: "start" }),
    text(right + 48, lower.top - 12, "tokens a turn", { size: 12, anchor: "end" }),
    ...[1, 0.1, 0.01, 0.001, 1e-4, 1e-5].map((value) => tick(lower, value, value.toFixed(5).replace(/\.?0+$/, ""))),
    ...unpack(data.turns, 2).map(turn),
    guide(trained, "trained", -8),
    read[0] === trained[0] ? "" : guide(read, "text", 9),
    curve("none", lower, 2, { "stroke-width": 1.3, "stroke-dasharray": "6 3" }),
    curve(method, lower, 2, { "stroke-width": 2.6 }),
    line(here, lower.y(before), here, lower.y(after), { stroke: colour, "stroke-width": 2.4 }),
    circle(here, lower.y(before), 4.5, { fill: "var(--pd-paper)", ...MUTED, "stroke-width": 2 }),
    dot(lower.y(after), colour),
  ].join("")

  const what = {
    longrope: "Phi-3.5-mini's own list, made for 32 times",
    proportional: "the proportional scheme, which has no factor",
    ntk: "NTK-aware scaling, or dynamic scaling at this length",
  }
  const who = method === "longrope" ? `Pair ${chosen} of Phi's ${drawn.longrope.length}, the nearest to pair ${pair},` : `Pair ${pair}`
  const now = ratio === 1 ? "It stays so." : ratio ? `Now it turns ${short(after)}, ${short(ratio)} of that.` : "Now it does not turn."
  const long = read[0] === trained[0] ? "as trained" : `${factor.slice(1)} times the trained ${tokens(trained[0])}`
  const said =
    `${tokens(read[0])} tokens, ${long}: ${what[method] ?? METHODS[method][0]}. ` +
    `${who} turned ${short(before)} radians a token, once in ${tokens(wavelength)} tokens. ${now}`
  return { svg, height: 490, said }
}

function legend(width, chosen) {
  const columns = width < 560 ? 3 : 6
  const entry = ([each, [name, colour]], n) => {
    const [from, y] = [8 + ((n % columns) * (width - 12)) / columns, (columns === 6 ? 20 : 10) + 20 * Math.floor(n / columns)]
    const weight = { "font-weight": each === chosen ? 700 : undefined }
    return line(from, y, from + 12, y, { stroke: colour, "stroke-width": 3 }) + text(from + 17, y, name, { anchor: "start", size: 12, ...weight })
  }
  return Object.entries(METHODS).slice(0, 6).map(entry).join("")
}

/* Dragging moves the pair. */
export function point({ x, dragging, width }) {
  return dragging ? { pair: Math.min(63, Math.max(0, Math.round(places(width).x.invert(x)))) } : null
}

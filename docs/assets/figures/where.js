/* Where position enters: two stacks, step by step, for schemes that add, bias or turn. */
import { arrow, circle, line, number, path, rect, text } from "./drawing.js"

const [MUTED, ORANGE, BLUE, BRAND] = ["muted", "series-2", "series-1", "brand"].map((name) => `var(--pd-${name})`)
const ADDED = ["tokens", "embedding", "scale", "sum", "dropout", "stack"]
const INSIDE = ["tokens", "embedding", "way", "queries", "scores", "stack"]
const SCHEMES = {
  sinusoidal: ["Sinusoidal", ADDED, "sum", "PE(p)", "sines, cosines"],
  learned: ["Learned", ADDED, "sum", "row p of", "a learned table"],
  t5: ["T5", INSIDE, "scores", "bias: a learned", "number for j − i"],
  alibi: ["ALiBi", INSIDE, "scores", "bias: minus slope", "times distance"],
  rope: ["RoPE", INSIDE, "queries", "angles: position", "times frequencies"],
}

/* What happens at each step, and what a scheme does otherwise. */
const texts = ({ d, root, norm, share, blocks }) => ({
  tokens: "token ids. Each is a place in the vocabulary, not in the text.",
  embedding: `embedding. Each id picks a row of ${d} numbers; equal words have equal rows, wherever they stand.`,
  scale: `times √d, ${number(root)} at d = ${d}. Rows of norm 1 get that norm; the encoding has norm ${norm} and does not drown them.`,
  sum: "plus the encoding, once, below the first block of both stacks. No block holds it.",
  dropout: `dropout. In training, a share of ${share} of the sum's entries is set to zero, word and position together.`,
  way: "into the stack. Nothing is added: the vectors enter the first block without positions.",
  queries: "queries and keys. They are made of the words alone.",
  stack: `the stack of ${blocks} blocks. `,
  later: "What they know of position comes in the sum.",
  learned: {
    scale: `times √d, ${number(root)} at d = ${d}, as with the sinusoid.`,
    sum: "plus a row of a second learned table, once in both stacks. Past its last row there is none.",
  },
  t5: {
    scores: "scores. Each gets a learned number: a head has one for every range of offsets j − i.",
    stack: "Each adds the bias, from one table for the whole stack. Cross-attention, between two texts, has none.",
  },
  alibi: {
    scores: "scores. From each, the slope of the head times the distance is subtracted.",
    stack: "Each subtracts anew. Cross-attention is between two texts, which have no distance.",
  },
  rope: {
    queries: "queries and keys. Each is turned, pair by pair, by its position times the frequencies; values are not.",
    scores: "scores. Of two positions, the product of a turned query and a turned key keeps the offset j − i.",
    stack: "Each turns anew. Cross-attention is between two texts, which have no offset.",
  },
})

/* The middles of the rows. */
const Y = { feed: 63, cross: 95, self: 123, softmax: 144, scores: 174, queries: 204, stack: 275, dropout: 347, sum: 382, scale: 417, embedding: 452, tokens: 486 }
const BOTTOM = 222 // of the last block, which stands open
const SLABS = [236, 255, 274, 293, 312] // the blocks below it

export function render({ data, state: { scheme, step }, width }) {
  const [name, steps, enters, ...source] = SCHEMES[scheme]
  const now = steps[step - 1]
  const gap = Math.min(150, width / 5)
  const wide = Math.min(200, (width - gap) / 2 - 2)
  const [middle, away] = [width / 2, (gap + wide) / 2]
  const look = (part, usual = MUTED) => {
    const stroke = part === now ? BRAND : part === enters ? ORANGE : usual
    return { rx: 3, stroke, fill: stroke, "fill-opacity": stroke === usual ? 0 : 0.2, "stroke-width": part === now ? 2.5 : 1.2 }
  }
  const stack = (x, title, tokens, top) => {
    const frame = (y, high, inset, style) => rect(x - wide / 2 + inset, y, wide - 2 * inset, high, style)
    const box = (part, words, inset = 0, y = Y[part]) =>
      frame(y - 11, 22, inset, look(part)) + text(x, y, words, { size: wide < 120 ? 11 : 12 })
    const block = (y, high, words) =>
      frame(y, high, 0, { rx: 3, fill: BLUE, "fill-opacity": 0.1 }) + frame(y, high, 0, look("stack", BLUE)) + text(x, y + 8, words, { size: 11 })
    const up = (from, to, part) => arrow(x, from - 11, x, to + 12, { ...look(part), head: 6, "fill-opacity": 1 })
    const first = SLABS.at(-1)
    const added = [
      up(Y.embedding, Y.scale),
      box("scale", "× √d"),
      up(Y.scale, Y.sum),
      circle(x, Y.sum, 10, look("sum")) + text(x, Y.sum, "+", { size: 18 }),
      up(Y.sum, Y.dropout),
      box("dropout", "dropout"),
      up(Y.dropout, first),
    ]
    return [
      text(x, Y.tokens, tokens, now === "tokens" ? { fill: BRAND, "font-weight": 700 } : {}),
      up(Y.tokens, Y.embedding),
      box("embedding", "embedding"),
      ...(steps === ADDED ? added : [up(Y.embedding, first, "way")]),
      ...SLABS.map((y, n) => block(y - 8, 16, `block ${SLABS.length - n}`)),
      block(top, BOTTOM - top, `block ${SLABS.length + 1}`),
      frame(Y.self - 11, BOTTOM - Y.self + 6, 6, look()) + text(x, Y.self, "self-attention", { size: 12 }),
      box("softmax", "softmax, values", 9),
      box("scores", title === "decoder" ? "scores, masked" : "scores", 9),
      box("queries", "queries, keys", 9),
      up(Y.queries, Y.scores) + up(Y.scores, Y.softmax),
      box("feed", "feed-forward", 6, top + 29),
      text(x - wide / 2, top - 10, title, { anchor: "start", size: 12, "font-weight": 600 }),
      title === "decoder" ? box("cross", "cross-attention", 6) + up(top + 11, 0) : "",
    ].join("")
  }
  const orange = { stroke: ORANGE, "stroke-width": now === enters ? 2.5 : 1.6, head: 7 }
  const both = (y, from, to) => arrow(middle - from, y, middle - to, y, orange) + arrow(middle + from, y, middle + to, y, orange)
  const inside = [line(middle, Y.sum, middle, Y[enters], orange), both(Y[enters], 0, gap / 2 + 9), ...SLABS.map((y) => both(y, 0, gap / 2))]
  const dashed = { "stroke-dasharray": "5 3", "stroke-width": 1.2, head: 7 }
  const origin = (style) => rect(middle - 58, Y.sum - 18, 116, 36, { ...style, rx: 3 })
  const svg = [
    stack(middle - away, "encoder", "tokens", 66),
    stack(middle + away, "decoder", "tokens so far", 34),
    path([[middle - away, 66], [middle - away, 54], [middle, 54], [middle, Y.cross]], dashed),
    arrow(middle, Y.cross, middle + gap / 2 + 6, Y.cross, dashed),
    ...(steps === ADDED ? [both(Y.sum, 58, away - 11)] : inside),
    origin({ fill: "var(--pd-paper)" }) + origin({ ...look(enters), stroke: ORANGE, fill: ORANGE }),
    ...source.map((words, n) => text(middle, Y.sum - 8 + 16 * n, words, { size: 12 })),
  ].join("")
  const all = texts(data)
  const own = all[scheme]?.[now]
  const said = now === "stack" ? all.stack + (own ?? all.later) : own ?? all[now]
  return { svg, height: 500, said: `${name}, step ${step} of ${steps.length}: ${said}` }
}

/* Pressing a row goes to its step. */
export function point({ y, dragging, state }) {
  if (!dragging) return null
  const steps = SCHEMES[state.scheme][1]
  const far = (part) => Math.abs((Y[part] ?? Y.sum) - y)
  return { step: 1 + steps.reduce((best, part, n) => (far(part) < far(steps[best]) ? n : best), 0) }
}

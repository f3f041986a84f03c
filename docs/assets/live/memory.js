/* A reader's own version of a block: kept on this device, and as a link to share. A block is
   named by its page and by the hash of its code, so that a version of a block that the book
   has changed since is not shown for the new one. */

export const base = new URL("../../", import.meta.url)

/* The page within the book, such as chapters/rope/ */
export const place = () =>
  decodeURI(location.pathname).replace(decodeURI(base.pathname), "").replace(/index\.html$/, "")

const prefix = () => `pedocs:${place()}#`
export const key = (id) => prefix() + id

/* Where the browser keeps nothing, or no more, this holds until the next reload. */
export const here = new Map()

export function keptCode(id) {
  try {
    return here.get(key(id)) ?? localStorage.getItem(key(id))
  } catch {
    return null
  }
}

/* The names of what is kept for this page. */
export function keptNames() {
  try {
    const mine = Object.keys(localStorage).filter((each) => each.startsWith(prefix()))
    return mine.map((each) => each.slice(prefix().length))
  } catch {
    return []
  }
}

/* What came with the address, as keeping.js writes it: the block and its code, which is null
   where the link was cut. */
export function shared() {
  if (!location.hash.startsWith("#run=")) return null
  const [, id, length, text] = /^#run=([^:]+):(\d+):([\w-]+)$/.exec(location.hash) || []
  try {
    if (text.length !== Number(length)) throw new RangeError("it was cut")
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
    return { id, code: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }
  } catch {
    return { id, code: null }
  }
}

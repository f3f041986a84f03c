/* A reader's own version of a block: kept on this device, and as a link to share. A block is
   named by its page and by the hash of its code, so that a version of a block that the book
   has changed since is not shown for the new one. */

export const base = new URL("../../", import.meta.url)

/* The page within the book, such as chapters/rope/ */
export const place = () =>
  decodeURI(location.pathname).replace(decodeURI(base.pathname), "").replace(/index\.html$/, "")

const prefix = () => `pedocs:${place()}#`
const key = (id) => prefix() + id

/* Where the browser keeps nothing, or no more, this holds until the next reload. */
const here = new Map()

export function keptCode(id) {
  try {
    return here.get(key(id)) ?? localStorage.getItem(key(id))
  } catch {
    return null
  }
}

/* Keep some code, or nothing. Says whether it outlives the page. */
export function keep(id, code) {
  here.delete(key(id))
  try {
    if (code === null) localStorage.removeItem(key(id))
    else localStorage.setItem(key(id), code)
    return true
  } catch {
    if (code !== null) here.set(key(id), code)
    return code === null
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

/* #run=<block>:<length>:<code>, the code in the letters of base64 that need no escape in an
   address. By the length a link that was cut on its way is known. */
export function link(id, code) {
  const bytes = Array.from(new TextEncoder().encode(code), (byte) => String.fromCharCode(byte))
  const safe = btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
  return new URL(`#run=${id}:${safe.length}:${safe}`, location.href).href
}

/* What came with the address: the block and its code, which is null where the link was cut. */
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

/* A reload must bring back what the reader wrote, not what came with a link. */
export function forgetLink() {
  history.replaceState(history.state, "", location.pathname + location.search)
}

/* A reader's own version of a block: kept on this device, and as a link to share. A block is
   named by its page and by the hash of its code, so that a version of a block that the book
   has changed since is not shown for the new one. */

export const base = new URL("../../", import.meta.url)

const place = () => decodeURI(location.pathname).replace(decodeURI(base.pathname), "")
const key = (id) => `pedocs:${place()}#${id}`

/* Where the browser keeps nothing, or no more, this holds until the next reload. */
const here = new Map()

export function keptCode(id) {
  try {
    return here.get(key(id)) ?? localStorage.getItem(key(id))
  } catch {
    return null
  }
}

export function keep(id, code) {
  here.delete(key(id))
  try {
    if (code === null) localStorage.removeItem(key(id))
    else localStorage.setItem(key(id), code)
  } catch {
    if (code !== null) here.set(key(id), code)
  }
}

/* #run=<block>:<code>, in the letters of base64 that need no escape in an address. */
export function link(id, code) {
  const bytes = new TextEncoder().encode(code)
  const text = btoa(String.fromCharCode(...bytes))
  const safe = text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
  return new URL(`#run=${id}:${safe}`, location.href).href
}

export function sharedCode(id) {
  const [, block, text] = /^#run=([\w-]+):([\w-]*)$/.exec(location.hash) || []
  if (block !== id) return null
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
    return new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)))
  } catch {
    return null
  }
}

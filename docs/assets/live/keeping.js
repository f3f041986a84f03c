/* What is done with a reader's own version of a block: kept, made a link, forgotten. */
import { here, key } from "./memory.js"

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

/* #run=<block>:<length>:<code>, the code in the letters of base64 that need no escape in an
   address. By the length a link that was cut on its way is known. */
export function link(id, code) {
  const bytes = Array.from(new TextEncoder().encode(code), (byte) => String.fromCharCode(byte))
  const safe = btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
  return new URL(`#run=${id}:${safe.length}:${safe}`, location.href).href
}

/* A reload must bring back what the reader wrote, not what came with a link. */
export function forgetLink() {
  history.replaceState(history.state, "", location.pathname + location.search)
}

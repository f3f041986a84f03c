/* The editor of live code: CodeMirror 6 with what a few lines of Python need. Tab indents;
   after Escape it moves on, as elsewhere. `make editor` bundles it. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { python } from "@codemirror/lang-python"
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language"
import { EditorState } from "@codemirror/state"
import { EditorView, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { StyleModule } from "style-mod"

/* CodeMirror would write its rules into a style element, which the policy of the page refuses;
   in a shadow it adopts a style sheet, and so it does in a document that looks like one. */
const { mount } = StyleModule
const shadow = {
  ownerDocument: document,
  get adoptedStyleSheets() {
    return document.adoptedStyleSheets
  },
  set adoptedStyleSheets(sheets) {
    document.adoptedStyleSheets = sheets
  },
}
StyleModule.mount = (root, modules) => mount.call(StyleModule, root === document ? shadow : root, modules)

/* The colours of the page's own code. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--md-code-hl-keyword-color)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--md-code-hl-string-color)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--md-code-hl-number-color)" },
  { tag: tags.comment, color: "var(--md-code-hl-comment-color)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--md-code-hl-function-color)" },
  { tag: tags.operator, color: "var(--md-code-hl-operator-color)" },
])

const look = EditorView.theme({
  "&": { backgroundColor: "var(--md-code-bg-color)", color: "var(--md-code-fg-color)" },
  "&.cm-focused": { outline: "0.1rem solid var(--pd-brand)", outlineOffset: "-0.1rem" },
  ".cm-scroller": { fontFamily: "var(--pd-code-font)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "currentColor", padding: "0.6rem 0" },
  ".cm-gutters": { backgroundColor: "transparent", border: "0", color: "var(--pd-muted)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--pd-brand-wash)" },
})

export function makeEditor(code, { label, change, run }) {
  const key = (name) => ({ key: name, run: () => (run(), true) })
  const name = `${label}. Tab indents; Escape, then Tab leaves. Shift and Enter run it.`
  const start = (doc) =>
    EditorState.create({
      doc,
      extensions: [
        keymap.of([key("Shift-Enter"), key("Mod-Enter"), ...defaultKeymap, ...historyKeymap, indentWithTab]),
        history(),
        lineNumbers(),
        python(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(colours),
        look,
        EditorView.contentAttributes.of({ "aria-label": name, autocapitalize: "off" }),
        EditorView.updateListener.of((update) => update.docChanged && change()),
      ],
    })
  const view = new EditorView({ state: start(code) })
  view.dom.classList.add("pd-live__editor")
  return {
    element: view.dom,
    get code() {
      return view.state.doc.toString()
    },
    focus() {
      view.focus()
      view.dispatch({ selection: { anchor: view.state.doc.length } })
    },
    set(text) {
      view.setState(start(text))
    },
  }
}

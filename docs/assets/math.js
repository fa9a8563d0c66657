// Formulas of pymdownx.arithmatex (generic) by the KaTeX beside this file; document$ fires again on instant navigation.
const typeset = () => {
  for (const node of document.querySelectorAll(".arithmatex:not([data-typeset])")) {
    const text = node.textContent.trim()
    const displayed = text.startsWith("\\[")
    katex.render(text.slice(2, -2), node, { displayMode: displayed, throwOnError: false, output: "htmlAndMathml" })
    node.dataset.typeset = ""
  }
}
if (window.document$) document$.subscribe(typeset)
else document.addEventListener("DOMContentLoaded", typeset)

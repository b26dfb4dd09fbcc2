/** The panic of the template by which `letter-process.ts` recognizes an address that does not fit. */
export const addressTooLongMessage = 'the address does not fit into the window';

/**
 * The Typst template of a letter.
 * - All text is data (`sys.inputs`) and is never parsed as Typst code (test/attacks/injection.test.ts).
 * - Placed blocks are paragraphs of their own. Otherwise their PDF tags would be in the wrong order.
 * - References, dates and the pieces of a URL are boxed left to right. Otherwise they would be reversed after Arabic words, or break.
 * - A glyph that Noto Sans does not have comes from the operator's fonts, the system fonts or those of the typesetter.
 * - Address lines have the height of Noto Sans in every font. Otherwise four Arabic lines would fill the window.
 * - The sender is at the upper right, and in a window with room for it again above the address (DIN 5008). Its logo is an artifact,
 *   because the name follows.
 * - Large print has 18 pt in everything that the citizen reads, except the return address. How to contact the sender follows the text,
 *   because the head is too narrow. The foot omits the sender, so that it has at most two lines.
 */
export const letterTemplate = `
#let data = json(bytes(sys.inputs.data))
#let window = data.window
#let size(normal, large) = if data.large { large } else { normal }
#let fixed(body) = text(dir: ltr, box(body))
#let part-of(part, limit, style) = {
  if type(part) == str [#part]
  else if "broken" in part and measure(style(fixed(part.keep))).width > limit [#part.broken]
  else { fixed(part.keep) }
}
// A list is narrower than the page.
#let parts-of(parts, limit: 145mm) = parts.map(part => if type(part) == str [#part] else { context part-of(part, limit, it => it) }).join()
#let heading-sizes = (size(13pt, 22pt), size(11.5pt, 20pt), size(10.5pt, 18pt))
// PDF/UA-1 requires the text of a heading, so the context is around the heading and not in it.
#let heading-parts(parts, level) = parts.map(part => part-of(part, 145mm,
  body => text(size: heading-sizes.at(calc.min(level, 3) - 1), weight: "bold", body))).join()
#let side = 25mm
#let top-margin = 20mm
#set document(title: data.title, author: data.sender)
#set text(font: ("Noto Sans", "Noto Sans Arabic", "Noto Sans Devanagari"), size: size(10.5pt, 18pt),
  lang: data.lang, dir: if data.rtl { rtl } else { ltr })
#set par(leading: 0.65em, spacing: 1.1em)
#set page(paper: "a4", margin: (left: side, right: side, top: top-margin, bottom: size(25mm, 40mm)),
  footer: context {
    let page = fixed([#counter(page).display() / #counter(page).final().first()])
    let number = text(lang: data.ours, parts-of(data.number))
    let line = if data.large [#page · #number] else [#data.sender · #number · #page]
    par(text(size: size(8pt, 18pt), line))
  })
#show heading: set block(above: 1.4em, below: 0.9em)
#show heading: it => { set text(size: heading-sizes.at(calc.min(it.level, 3) - 1)); it }

#let inline(run, print: parts-of) = {
  let body = print(run.text)
  if "strong" in run { body = strong(body) }
  if "href" in run { link(run.href, body) } else { body }
  if "to" in run [ (#print(run.to))]
}
#let inlines(runs, print: parts-of) = runs.map(run => inline(run, print: print)).join()
#let block-of(b) = {
  if b.kind == "heading" { context heading(level: b.level, inlines(b.line, print: parts => heading-parts(parts, b.level))) }
  else if b.kind == "paragraph" { par(b.lines.map(inlines).join(linebreak())) }
  else if b.ordered { enum(..b.items.map(item => enum.item(item.number, inlines(item.line)))) }
  else { list(..b.items.map(item => inlines(item.line))) }
}

#let address = text(size: if data.address.len() > 5 { 9pt } else { 10pt }, top-edge: 1.069em, bottom-edge: -0.293em,
  dir: ltr, par(leading: 0pt, data.address.map(line => [#line]).join(linebreak())))
#context {
  let needed = measure(block(width: window.width * 1mm, address)).height
  if needed > window.height * 1mm { panic("${addressTooLongMessage}") }
}
#for at in window.folds {
  pdf.artifact(place(top + left, dx: 5mm - side, dy: at * 1mm - top-margin, line(length: 4mm, stroke: 0.4pt)))
}
#let contact-lines(size, limit) = if data.contact.len() > 0 {
  par(text(size: size, lang: data.ours, data.contact.map(line => parts-of(line, limit: limit)).join(linebreak())))
}
// A very long name is clipped before it covers the text. A line that ends with a zero width space can be a little wider than its block.
#place(top + left, dx: 115mm - side, block(width: 74mm, height: window.body * 1mm - top-margin - 5mm, clip: true, block(width: 70mm, {
  if "logo" in data.head { context {
    let logo = image("/" + data.head.logo, height: 16mm)
    pdf.artifact(if measure(logo).width > 70mm { image("/" + data.head.logo, width: 70mm) } else { logo })
  } }
  par(text(size: size(10pt, 18pt), weight: "bold", parts-of(data.head.sender, limit: 70mm)))
  if data.head.lines.len() > 0 { par(text(size: size(9pt, 12pt), dir: ltr, data.head.lines.map(line => [#line]).join(linebreak()))) }
  if not data.large { contact-lines(9pt, 70mm) }
})))
// A part that fits stays on one line.
#let back-part(part) = if measure(text(size: 7pt, part)).width < window.width * 0.9mm { box(part) } else { part }
#let back(parts) = block(width: window.width * 1mm,
  text(size: 7pt, dir: if data.head.rtl { rtl } else { ltr }, par(leading: 0.4em, parts.map(back-part).join(" · "))))
#context if window.above > 0 and data.head.lines.len() > 0 {
  let room = window.above * 1mm - 1mm
  let whole = back(data.head.back)
  let shown = if measure(whole).height <= room { whole } else { back(data.head.lines) }
  // An artifact: the sender is already tagged in the head. This copy is for the envelope.
  pdf.artifact(place(top + left, dx: window.x * 1mm - side, dy: (window.y - window.above) * 1mm - top-margin,
    block(height: room, align(bottom, shown))))
}
#place(top + left, dx: window.x * 1mm - side, dy: window.y * 1mm - top-margin,
  block(width: window.width * 1mm, height: window.height * 1mm, address))
#v(window.body * 1mm - top-margin)
#par(text(size: size(9pt, 18pt), lang: data.ours, {
  parts-of(data.date)
  if data.reference.len() > 0 { linebreak(); parts-of(data.reference) }
}))
#context heading(level: 1, heading-parts(data.heading, 1))
#for b in data.blocks { block-of(b) }
#if data.legal.len() > 0 { par(text(lang: data.ours, parts-of(data.legal))) }
#if data.attachments.len() > 0 {
  block(sticky: true, below: 0.65em, par(text(lang: data.ours, parts-of(data.attached))))
  list(..data.attachments.map(title => parts-of(title)))
}
#if data.large { contact-lines(18pt, 145mm) }
`;

/**
 * The windows of envelopes by name, in mm from the upper left corner of A4: DIN 5008 form B, and the C5 window of GOV.UK Notify, which
 * shows only the address. Its printers allow nothing near the edge, so it has no fold marks. `body` is the top of the text, `above` the
 * height of the window above the address for the return address, and `folds` are the fold marks at the left edge.
 */
export const addressWindows = {
  din5008b: { x: 25, y: 62.7, width: 75, height: 27.3, body: 100, above: 17.7, folds: [105, 210] },
  'uk-c5': { x: 24.6, y: 39.5, width: 80, height: 26.8, body: 95, above: 0, folds: [] },
} as const;

/** A value of LETTER_WINDOW. */
export type AddressWindowName = keyof typeof addressWindows;

/** By these words the process knows why a letter was not set. */
export const addressPanic = 'the address does not fit into the window';

/**
 * The page of a letter in Typst. All text comes in as data (`sys.inputs`) and is set as text, so that none of it is read
 * as Typst (test/attacks/injection.test.ts). What is placed stands in paragraphs of its own, or its tags would come in
 * the wrong order; ids and dates are boxed left to right, or they would flip after Arabic words. What Noto Sans has no glyph
 * for comes from the other fonts that the process knows: the operator's, those of the system and the typesetter's own. Lines
 * of the address are as high in each of them as in Noto Sans, or four of Arabic would fill the window.
 */
export const letterTemplate = `
#let data = json(bytes(sys.inputs.data))
#let window = data.window
#let fixed(body) = text(dir: ltr, box(body))
#let side = 25mm
#let top-margin = 20mm
#set document(title: data.title, author: data.sender)
#set text(font: ("Noto Sans", "Noto Sans Arabic", "Noto Sans Devanagari"), size: 10.5pt,
  lang: data.lang, dir: if data.rtl { rtl } else { ltr })
#set par(leading: 0.65em, spacing: 1.1em)
#set page(paper: "a4", margin: (left: side, right: side, top: top-margin, bottom: 25mm),
  footer: context par(text(size: 8pt, [#data.sender · #fixed(data.id) · #fixed([#counter(page).display() / #counter(page).final().first()])])))
#show heading: set block(above: 1.4em, below: 0.9em)
#show heading.where(level: 1): set text(size: 13pt)
#show heading.where(level: 2): set text(size: 11.5pt)
#show heading.where(level: 3): set text(size: 10.5pt)

#let inline(run) = {
  let body = if "strong" in run { strong(run.text) } else { [#run.text] }
  if "href" in run { link(run.href, body) } else { body }
  if "to" in run [ (#run.to)]
}
#let inlines(runs) = runs.map(inline).join()
#let block-of(b) = {
  if b.kind == "heading" { heading(level: b.level, inlines(b.line)) }
  else if b.kind == "paragraph" { par(b.lines.map(inlines).join(linebreak())) }
  else if b.ordered { enum(..b.items.map(item => enum.item(item.number, inlines(item.line)))) }
  else { list(..b.items.map(item => inlines(item.line))) }
}

#let address = text(size: if data.address.len() > 5 { 9pt } else { 10pt }, top-edge: 1.069em, bottom-edge: -0.293em,
  dir: ltr, par(leading: 0pt, data.address.map(line => [#line]).join(linebreak())))
#context {
  let needed = measure(block(width: window.width * 1mm, address)).height
  if needed > window.height * 1mm { panic("${addressPanic}") }
}
#pdf.artifact(place(top + left, dx: 5mm - side, dy: 105mm - top-margin, line(length: 4mm, stroke: 0.4pt)))
#place(top + left, dx: window.x * 1mm - side, dy: window.y * 1mm - top-margin,
  block(width: window.width * 1mm, height: window.height * 1mm, address))
#v(window.body * 1mm - top-margin)
#par(text(size: 9pt, [#data.sender, #fixed(data.date)]))
#heading(level: 1, data.title)
#for b in data.blocks { block-of(b) }
#if data.attachments.len() > 0 {
  par(text(lang: data.ours, data.attached))
  list(..data.attachments.map(a => [#a]))
}
`;

/** Where the address has to stand for the window of an envelope, in mm from the upper left corner of A4. */
export type AddressWindow = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Where the letter itself begins. */
  readonly body: number;
};

/** The windows by name: DIN 5008 form B, and the C5 window of GOV.UK Notify. */
export const addressWindows = {
  din5008b: { x: 25, y: 62.7, width: 75, height: 27.3, body: 100 },
  'uk-c5': { x: 24.6, y: 39.5, width: 80, height: 26.8, body: 95 },
} as const satisfies Readonly<Record<string, AddressWindow>>;

export type AddressWindowName = keyof typeof addressWindows;

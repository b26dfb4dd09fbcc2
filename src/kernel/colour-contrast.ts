/** The red, green and blue parts of a colour, 0 to 255. */
type Channels = readonly [red: number, green: number, blue: number];

/** Whether a text is a colour in the form `#rrggbb`. */
export function isHexColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** The contrast ratio of two colours in the form `#rrggbb`, 1 to 21 (WCAG 2.2, section 1.4.3). */
export function contrastRatio(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

/** Mixes a colour with white until its contrast to a dark background reaches a ratio, so that it keeps its hue in the dark scheme. */
export function lightenToContrast(colour: string, background: string, ratio: number): string {
  const shares = Array.from({ length: 21 }, (_, step) => step / 20);
  const mixed = shares.map((share) => mixWithWhite(colour, share));
  return mixed.find((one) => contrastRatio(one, background) >= ratio) ?? '#ffffff';
}

function mixWithWhite(colour: string, share: number): string {
  const mixed = channelsOf(colour).map((part) => Math.round(part + (255 - part) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance in sRGB, as WCAG defines it. */
function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function channelsOf(colour: string): Channels {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

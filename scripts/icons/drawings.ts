const OPTION_A = '#fd8e43';
const OPTION_B = '#56bbf5';
const INK = '#171310';
const PAPER = '#f7f3eb';
const LEMON = '#fdd93f';
const ON_LEMON = '#261a09';

const LETTERS = '<circle cx="-25" cy="2" r="24"/><path d="M24 26V-21"/><path d="M24 4C26-12 35-21 50-21"/>';

function letters(colour: string, scale: number): string {
  return `<g fill="none" stroke="${colour}" stroke-width="21" stroke-linecap="round" stroke-linejoin="round" transform="translate(256 256) scale(${scale})">${LETTERS}</g>`;
}

function svg(body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512"><title>This or That?</title>${body}</svg>\n`;
}

type Shape = { corner: number; bar: number; outer: number; inner: number; lettersScale: number | null };

/**
 * Two coloured halves with a bar between them, and a disc with "or" on top. The lengths are units of the 512 by 512 view box;
 * `corner`, `outer` (the disc) and `inner` (its light part) are radii.
 */
function coloured({ corner, bar, outer, inner, lettersScale }: Shape): string {
  return svg(
    `<clipPath id="c"><rect width="512" height="512" rx="${corner}"/></clipPath><g clip-path="url(#c)">` +
      `<path fill="${OPTION_A}" d="M0 0h256v512H0z"/><path fill="${OPTION_B}" d="M256 0h256v512H256z"/>` +
      `<path fill="${INK}" d="M${256 - bar / 2} 0h${bar}v512h-${bar}z"/></g>` +
      `<circle cx="256" cy="256" r="${outer}" fill="${INK}"/><circle cx="256" cy="256" r="${inner}" fill="${PAPER}"/>` +
      (lettersScale === null ? '' : letters(INK, lettersScale)),
  );
}

export function icon(): string {
  return coloured({ corner: 112, bar: 18, outer: 132, inner: 112, lettersScale: 1.22 });
}

/** A full square that launchers mask; the disc is inside the safe zone. */
export function maskable(): string {
  return coloured({ corner: 0, bar: 18, outer: 122, inner: 104, lettersScale: 1.13 });
}

/** Without letters, which would be illegible at 16 px. */
export function favicon(): string {
  return coloured({ corner: 112, bar: 48, outer: 140, inner: 96, lettersScale: null });
}

/** A single-colour shape on a transparent background, which the system recolours. */
export function monochrome(): string {
  const side = 392;
  const edge = 256 - side / 2;
  return svg(
    `<g transform="translate(256 256) scale(.72) translate(-256 -256)"><mask id="m">` +
      `<rect x="${edge}" y="${edge}" width="${side}" height="${side}" rx="96" fill="#fff"/>` +
      `<path d="M244 0h24v512h-24z"/><circle cx="256" cy="256" r="122"/></mask>` +
      `<path fill="#000" mask="url(#m)" d="M0 0h512v512H0z"/>${letters('#000', 1.3)}</g>`,
  );
}

/** Icons of the app, in a 24 by 24 view box. */
const SHORTCUTS = {
  'create-poll': '<path d="M5 12h14M12 5v14"/>',
  explore:
    '<circle cx="12" cy="12" r="10"/><path d="m16.24 7.76-1.804 5.411a2 2 0 0 1-1.265 1.265L7.76 16.24l1.804-5.411a2 2 0 0 1 1.265-1.265z"/>',
  refer:
    '<path d="M12 7v14M20 11v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8M7.5 7a1 1 0 0 1 0-5A4.8 8 0 0 1 12 7a4.8 8 0 0 1 4.5-5 1 1 0 0 1 0 5"/><rect x="3" y="7" width="18" height="4" rx="1"/>',
} as const;

/** The icon of an app shortcut. Some launchers mask it to a circle. */
export function shortcut(name: keyof typeof SHORTCUTS): string {
  return svg(
    `<circle cx="256" cy="256" r="256" fill="${LEMON}"/><g fill="none" stroke="${ON_LEMON}" stroke-width="2.1" stroke-linecap="round" stroke-linejoin="round" transform="translate(256 256) scale(10.5) translate(-12 -12)">${SHORTCUTS[name]}</g>`,
  );
}

// Letters as paths, since an SVG in an <img> cannot use the page's fonts.
const GLYPHS = {
  A: 'M-11.2 16 0-16 11.2 16M-7.2 6.5H7.2',
  B: 'M-9 0H3.5a7.8 7.8 0 0 1 0 16H-9V-16H2a8 8 0 0 1 0 16',
} as const;

/** The placeholder for a missing image: the option's letter and name. */
export function placeholder(option: keyof typeof GLYPHS): string {
  const fill = option === 'A' ? OPTION_A : OPTION_B;
  const ink = option === 'A' ? '#1c0b00' : '#00131f';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 480" width="480" height="480"><title>Option ${option}</title>` +
    `<path fill="#39322d" d="M0 0h480v480H0z"/><rect x="169" y="122" width="142" height="142" rx="36" fill="${fill}"/>` +
    `<path transform="translate(240 193) scale(2)" fill="none" stroke="${ink}" stroke-width="7.5" stroke-linecap="round" stroke-linejoin="round" d="${GLYPHS[option]}"/>` +
    `<text x="240" y="324" fill="#b9b2a9" font-family="system-ui,sans-serif" font-size="42" font-weight="600" text-anchor="middle">Option ${option}</text></svg>\n`
  );
}

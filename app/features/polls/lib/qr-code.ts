import { encode } from 'uqr';

/** The side of a finder pattern (an "eye"), in modules. */
const EYE_SIZE = 7;
/** The diameter of the disc in the middle, relative to the width. Level H can restore nearly a third of the modules. */
const DISC_SHARE = 0.27;

const INK = '#171310';
const PAPER = '#f7f3eb';
/** The letters "or" as SVG elements around the origin, for a disc with the radius `LETTERS_DISC_RADIUS`. */
const LETTERS = '<circle cx="-25" cy="2" r="24"/><path d="M24 26V-21"/><path d="M24 4C26-12 35-21 50-21"/>';
const LETTERS_DISC_RADIUS = 105;

/**
 * The QR code of a text as an SVG document: the dark modules, the three eyes, and a disc with "or". Lengths are in modules;
 * `quietZone` is the width of the margin.
 */
export function qrCodeSvg(text: string, { quietZone = 4 } = {}): string {
  const { data, size } = encode(text, { ecc: 'H', border: 0 });
  const centre = size / 2;
  const radius = (size * DISC_SHARE) / 2;
  const farEdge = size - EYE_SIZE;
  const isEye = (x: number, y: number) =>
    (x < EYE_SIZE || x >= farEdge) && (y < EYE_SIZE || y >= farEdge) && !(x >= farEdge && y >= farEdge);
  const isCovered = (x: number, y: number) => Math.hypot(x + 0.5 - centre, y + 0.5 - centre) < radius + 0.5;
  const modules = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark && !isEye(x, y) && !isCovered(x, y) ? `M${x} ${y}h1v1h-1z` : '')),
  );
  const boxSize = size + 2 * quietZone;
  // A frame of 7 by 7 modules, drawn by a line of one module, and a square of 3 by 3 in it.
  const eye = (x: number, y: number) =>
    `<rect x="${x + 0.5}" y="${y + 0.5}" width="6" height="6" rx="1.8" fill="none" stroke="${INK}"/>` +
    `<rect x="${x + 2}" y="${y + 2}" width="3" height="3" rx="1" fill="${INK}"/>`;
  const letters = `<g fill="none" stroke="${PAPER}" stroke-width="21" stroke-linecap="round" stroke-linejoin="round" transform="translate(${centre} ${centre}) scale(${radius / LETTERS_DISC_RADIUS})">${LETTERS}</g>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-quietZone} ${-quietZone} ${boxSize} ${boxSize}" width="${boxSize}" height="${boxSize}">` +
    `<rect x="${-quietZone}" y="${-quietZone}" width="${boxSize}" height="${boxSize}" fill="#fff"/>` +
    `<path d="${modules.join('')}" fill="${INK}" shape-rendering="crispEdges"/>` +
    `${eye(0, 0)}${eye(farEdge, 0)}${eye(0, farEdge)}` +
    `<circle cx="${centre}" cy="${centre}" r="${radius}" fill="${INK}"/>${letters}</svg>`
  );
}

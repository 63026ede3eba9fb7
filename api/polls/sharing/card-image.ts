import sharp, { type OverlayOptions } from 'sharp';
import { AppError } from '#api/errors.ts';
import { toImageError } from '#api/images/decode-error.ts';
import { BUSY_RETRY_AFTER_SECONDS, type CreateDecoder } from '#api/images/image-pipeline.ts';
import type { Option } from '#shared/polls/schema.ts';
import { type DrawnText, drawText, type TextStyle } from './card-text.ts';

export const CARD_WIDTH_PX = 1_200;
export const CARD_HEIGHT_PX = 630;
/** Increase this when the design changes: the cards then get other file names. */
export const CARD_DESIGN = 1;

const GROUND = '#171310';
const PAPER = '#f7f3eb';
const TILE = '#2a2521';
const PADDING_PX = 28;
const GAP_PX = 14;
const HALF_WIDTH_PX = (CARD_WIDTH_PX - 2 * PADDING_PX - GAP_PX) / 2;
const PAIR_HEIGHT_PX = 432;
const OUTER_RADIUS_PX = 56;
const INNER_RADIUS_PX = 14;
// The lengths in these objects are in pixels.
const DISC = { radius: 76, ring: 14, textPx: 58 };
/**
 * `square`: the side of the square with the letter. `before`, `between` and `after`: the spaces to the left of the square, between
 * it and the caption, and after the caption.
 */
const LABEL = {
  margin: 20,
  height: 80,
  radius: 26,
  square: 48,
  squareRadius: 14,
  letterPx: 30,
  before: 16,
  between: 18,
  after: 28,
};
const CAPTION = { sizePx: 38, lineHeightPx: 46, colour: GROUND };
/** What is shown for a missing image: a square with the option's letter, `raised` above the middle, since a label may be below. */
const MISSING = { square: 150, squareRadius: 40, letterPx: 96, raised: 20 };
/** The space between the edges of the card and the question or the wordmark. */
const EDGE_PX = 36;
const WORDMARK = { sizePx: 36, gap: 10, disc: 40, orPx: 26 };
const QUESTION_GAP_PX = 40;
/** A question with more characters is set in smaller letters. */
const LONG_QUESTION = 64;
const SHORT_STYLE = { sizePx: 58, lineHeightPx: 62, linesMax: 2 };
const LONG_STYLE = { sizePx: 40, lineHeightPx: 44, linesMax: 3 };
const JPEG_QUALITY = 84;

const COLOURS = { 1: '#fd8e43', 2: '#56bbf5' } as const;
const LETTERS = { 1: 'A', 2: 'B' } as const;
const OPTIONS = [1, 2] as const;

/** What a card shows. `read` returns the bytes of an image, null when it is missing. */
export type CardContent = {
  question: string;
  options: Record<Option, { read: () => Promise<Buffer | null>; caption: string | null }>;
};

/**
 * Composes the card image of a poll, a JPEG, and returns the options whose letters it shows in place of missing and broken
 * images. Throws `busy` on a timeout, what `read` throws, and system errors.
 */
export async function composeCard(
  createDecoder: CreateDecoder,
  { question, options }: CardContent,
): Promise<{ jpeg: Buffer; withoutImage: Option[] }> {
  const layers: OverlayOptions[] = [];
  const withoutImage: Option[] = [];
  for (const option of OPTIONS) {
    const { read, caption } = options[option];
    const left = option === 1 ? PADDING_PX : PADDING_PX + HALF_WIDTH_PX + GAP_PX;
    const bytes = await read();
    const cropped = bytes === null ? null : await cropImage(createDecoder, bytes, option);
    if (cropped === null) withoutImage.push(option);
    layers.push({ input: cropped ?? (await missingImage(option)), left, top: PADDING_PX });
    if (cropped !== null || caption !== null) layers.push(...(await labelOf(option, caption, left)));
  }
  layers.push(...(await disc()));
  const wordmark = await drawWordmark();
  layers.push(...wordmark.layers);
  layers.push(...(await questionOf(question, wordmark.left - QUESTION_GAP_PX - EDGE_PX)));
  const jpeg = await sharp({
    create: { width: CARD_WIDTH_PX, height: CARD_HEIGHT_PX, channels: 3, background: GROUND },
  })
    .composite(layers)
    .jpeg({ quality: JPEG_QUALITY, mozjpeg: false })
    .toBuffer();
  return { jpeg, withoutImage };
}

/** Null for a broken image: the card then shows the option's letter. */
async function cropImage(
  createDecoder: CreateDecoder,
  bytes: Buffer,
  option: Option,
): Promise<Buffer | null> {
  try {
    return await createDecoder(bytes)
      .resize(HALF_WIDTH_PX, PAIR_HEIGHT_PX, { fit: 'cover' })
      .flatten({ background: TILE })
      .ensureAlpha()
      .composite([{ input: svg(HALF_WIDTH_PX, PAIR_HEIGHT_PX, halfShape(option, '#fff')), blend: 'dest-in' }])
      .png({ compressionLevel: 1 })
      .toBuffer();
  } catch (error) {
    const imageError = toImageError(error, { wasAlone: false, retryAfterSeconds: BUSY_RETRY_AFTER_SECONDS });
    if (imageError instanceof AppError && imageError.code === 'undecodable') return null;
    throw imageError;
  }
}

/** The shape of an image as an SVG path: its outer corners are rounder than the others. */
function halfShape(option: Option, fill: string): string {
  const [w, h] = [HALF_WIDTH_PX, PAIR_HEIGHT_PX];
  const [l, r] = option === 1 ? [OUTER_RADIUS_PX, INNER_RADIUS_PX] : [INNER_RADIUS_PX, OUTER_RADIUS_PX];
  return `<path fill="${fill}" d="M${l} 0H${w - r}A${r} ${r} 0 0 1 ${w} ${r}V${h - r}A${r} ${r} 0 0 1 ${w - r} ${h}H${l}A${l} ${l} 0 0 1 0 ${h - l}V${l}A${l} ${l} 0 0 1 ${l} 0z"/>`;
}

/** The half of a missing image (see `MISSING`). */
async function missingImage(option: Option): Promise<Buffer> {
  const { square: side, squareRadius, letterPx, raised } = MISSING;
  const [x, y] = [HALF_WIDTH_PX / 2, PAIR_HEIGHT_PX / 2 - raised];
  const square = `<rect x="${x - side / 2}" y="${y - side / 2}" width="${side}" height="${side}" rx="${squareRadius}" fill="${COLOURS[option]}"/>`;
  const letter = await drawLine(LETTERS[option], {
    sizePx: letterPx,
    lineHeightPx: letterPx,
    colour: GROUND,
  });
  return sharp(svg(HALF_WIDTH_PX, PAIR_HEIGHT_PX, halfShape(option, TILE) + square))
    .composite(letter === null ? [] : [centred(letter, x, y)])
    .png()
    .toBuffer();
}

/** The label of an option in the lower outer corner of its half: the letter, and the caption if there is one. */
async function labelOf(option: Option, caption: string | null, halfLeft: number): Promise<OverlayOptions[]> {
  const captionLeft = LABEL.before + LABEL.square + LABEL.between;
  // The label of a long caption ends before the disc.
  const widthPx = HALF_WIDTH_PX - 2 * LABEL.margin - captionLeft - LABEL.after - DISC.radius;
  const line = caption === null ? null : await drawLine(caption, CAPTION, widthPx);
  const width = line === null ? LABEL.height : captionLeft + line.width + LABEL.after;
  const left = option === 1 ? halfLeft + LABEL.margin : halfLeft + HALF_WIDTH_PX - LABEL.margin - width;
  const top = PADDING_PX + PAIR_HEIGHT_PX - LABEL.margin - LABEL.height;
  const [x, y] = [LABEL.before, (LABEL.height - LABEL.square) / 2];
  const box =
    `<rect width="${width}" height="${LABEL.height}" rx="${LABEL.radius}" fill="${COLOURS[option]}"/>` +
    `<rect x="${x}" y="${y}" width="${LABEL.square}" height="${LABEL.square}" rx="${LABEL.squareRadius}" fill="${GROUND}"/>`;
  const letterStyle = { sizePx: LABEL.letterPx, lineHeightPx: LABEL.letterPx, colour: COLOURS[option] };
  const letter = await drawLine(LETTERS[option], letterStyle);
  const middle = top + LABEL.height / 2;
  const layers: OverlayOptions[] = [{ input: svg(width, LABEL.height, box), left, top }];
  if (letter !== null) layers.push(centred(letter, left + x + LABEL.square / 2, middle));
  if (line !== null) layers.push(centred(line, left + captionLeft + line.width / 2, middle));
  return layers;
}

/** The disc with the word "or" between the images. */
async function disc(): Promise<OverlayOptions[]> {
  const size = 2 * (DISC.radius + DISC.ring);
  const [x, y] = [CARD_WIDTH_PX / 2, PADDING_PX + PAIR_HEIGHT_PX / 2];
  const circles =
    `<circle cx="${size / 2}" cy="${size / 2}" r="${size / 2}" fill="${GROUND}"/>` +
    `<circle cx="${size / 2}" cy="${size / 2}" r="${DISC.radius}" fill="${PAPER}"/>`;
  const line = await drawLine('or', { sizePx: DISC.textPx, lineHeightPx: DISC.textPx, colour: GROUND });
  const ground = { input: svg(size, size, circles), left: x - size / 2, top: y - size / 2 };
  // A little above the middle, where the lower-case letters look centred.
  return line === null ? [ground] : [ground, centred(line, x, y - 2)];
}

async function drawWordmark(): Promise<{ layers: OverlayOptions[]; left: number }> {
  const style = { sizePx: WORDMARK.sizePx, lineHeightPx: WORDMARK.sizePx, colour: PAPER };
  const [left, or, right] = await Promise.all([
    drawLine('This', style),
    drawLine('or', { ...style, sizePx: WORDMARK.orPx, colour: GROUND }),
    drawLine('That?', style),
  ]);
  if (left === null || or === null || right === null) return { layers: [], left: CARD_WIDTH_PX - EDGE_PX };
  const middle = (PADDING_PX + PAIR_HEIGHT_PX + CARD_HEIGHT_PX) / 2;
  const rightAt = CARD_WIDTH_PX - EDGE_PX - right.width;
  const discAt = rightAt - WORDMARK.gap - WORDMARK.disc;
  const leftAt = discAt - WORDMARK.gap - left.width;
  const radius = WORDMARK.disc / 2;
  const circle = svg(
    WORDMARK.disc,
    WORDMARK.disc,
    `<circle cx="${radius}" cy="${radius}" r="${radius}" fill="${PAPER}"/>`,
  );
  return {
    left: leftAt,
    layers: [
      centred(left, leftAt + left.width / 2, middle),
      { input: circle, left: Math.round(discAt), top: Math.round(middle - radius) },
      // Above the middle, as in `disc`.
      centred(or, discAt + radius, middle - 1),
      centred(right, rightAt + right.width / 2, middle),
    ],
  };
}

async function questionOf(question: string, widthPx: number): Promise<OverlayOptions[]> {
  const style = question.length > LONG_QUESTION ? LONG_STYLE : SHORT_STYLE;
  const drawn = await drawText(question, { ...style, colour: PAPER, widthPx });
  if (drawn === null) return [];
  const top = PADDING_PX + PAIR_HEIGHT_PX;
  const heightMax = CARD_HEIGHT_PX - top - 2 * GAP_PX;
  // Stacked combining marks can make a line too high for the card.
  const { data, info } = await sharp(drawn.image)
    .resize({ width: widthPx, height: heightMax, fit: 'inside', withoutEnlargement: true })
    .toBuffer({ resolveWithObject: true });
  return [{ input: data, left: EDGE_PX, top: Math.round((top + CARD_HEIGHT_PX - info.height) / 2) }];
}

function drawLine(
  text: string,
  style: TextStyle,
  widthPx: number = HALF_WIDTH_PX,
): Promise<DrawnText | null> {
  return drawText(text, { ...style, widthPx, linesMax: 1 });
}

function centred({ image, width, height }: DrawnText, x: number, y: number): OverlayOptions {
  return { input: image, left: Math.round(x - width / 2), top: Math.round(y - height / 2) };
}

function svg(width: number, height: number, body: string): Buffer {
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${body}</svg>`,
  );
}

import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { escapeHtml } from './escape-html.ts';

const FONT_FILE = fileURLToPath(new URL('./fonts/gabarito-card.ttf', import.meta.url));
const FONT = 'Gabarito Card';
/** With this resolution, points are pixels. */
const DPI = 72;
/** Pango's units of length in a point. */
const PANGO_UNITS = 1_024;
/**
 * By how many line heights a text may be higher than its lines, for accents and descenders: less than the height of an x, so that
 * a further line does not fit.
 */
const LINE_TOLERANCE = 0.3;
const ELLIPSIS = '…';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export type TextStyle = { sizePx: number; lineHeightPx: number; colour: string };
type TextBox = TextStyle & { widthPx: number; linesMax: number };

/** A text as a PNG that is cropped to its letters. Sizes are in pixels. */
export type DrawnText = { image: Buffer; width: number; height: number };

/**
 * Draws a text in the app's font, wrapped and, where it is too long for its box, shortened with "…". Letters that the font lacks
 * come from the fonts of the system. Null for a text that has no visible characters or cannot be drawn.
 */
export async function drawText(text: string, box: TextBox): Promise<DrawnText | null> {
  const cleaned = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const whole = await draw(cleaned, box);
  if (whole === null || fits(whole, box)) return whole;

  const parts = [...graphemes.segment(cleaned)].map(({ segment }) => segment);
  const shortened = (count: number) => draw(parts.slice(0, count).join('').trimEnd() + ELLIPSIS, box);
  let best = await shortened(0);
  let [least, most] = [0, parts.length - 1];
  while (least < most) {
    const count = Math.ceil((least + most) / 2);
    const drawn = await shortened(count);
    if (drawn !== null && fits(drawn, box)) [best, least] = [drawn, count];
    else most = count - 1;
  }
  return best;
}

function fits({ width, height }: DrawnText, { widthPx, linesMax, lineHeightPx }: TextBox): boolean {
  return width <= widthPx && height <= (linesMax + LINE_TOLERANCE) * lineHeightPx;
}

async function draw(text: string, box: TextBox): Promise<DrawnText | null> {
  const { sizePx, lineHeightPx, colour, widthPx, linesMax } = box;
  const markup = `<span foreground="${colour}" weight="800" line_height="${lineHeightPx * PANGO_UNITS}">${escapeHtml(text)}</span>`;
  try {
    const { data, info } = await sharp({
      text: {
        text: markup,
        font: `${FONT} ${sizePx}`,
        fontfile: FONT_FILE,
        rgba: true,
        dpi: DPI,
        // One line is not wrapped, so that its width shows whether it fits.
        ...(linesMax > 1 && { width: widthPx, wrap: 'word-char' as const }),
      },
    })
      .png()
      .toBuffer({ resolveWithObject: true });
    return { image: data, width: info.width, height: info.height };
  } catch {
    // The text has only spaces or invisible characters, or cannot be drawn: a card without it is better than none.
    return null;
  }
}

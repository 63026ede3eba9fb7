/** Enough for the format, and for the size of a PNG. */
const HEAD_BYTES = 32;
/** A file beyond one of these limits was probably too large to decode in the memory of a phone (4 bytes per pixel). */
const PIXELS_MAX = 200_000_000;
const BYTES_MAX = 60 * 1024 * 1024;

const TOO_LARGE = 'This image is too large for this device. Use a screenshot of it instead.';
const HEIC =
  'This browser cannot read HEIC photos. Save it as a JPG first, or set the camera to “Most compatible”.';
const DAMAGED = 'This image could not be read; it may be damaged. Try another one.';
const UNKNOWN = 'This browser cannot read this file as an image. Try a JPG, PNG or GIF.';

function startsWith(head: Uint8Array, offset: number, text: string): boolean {
  return [...text].every((letter, index) => head[offset + index] === letter.charCodeAt(0));
}

/** Width times height of a PNG, which are at the offsets 16 and 20; 0 for anything else. */
function pngPixels(head: Uint8Array): number {
  if (!startsWith(head, 1, 'PNG') || head.length < 24) return 0;
  const view = new DataView(head.buffer, head.byteOffset);
  return view.getUint32(16) * view.getUint32(20);
}

/** By its major brand: heic, heix, hevc, hevx and so on, or mif1 or msf1, which all HEIF files may have. */
function isHeic(head: Uint8Array): boolean {
  return (
    startsWith(head, 4, 'ftyp') && ['hei', 'hev', 'mif1', 'msf1'].some((brand) => startsWith(head, 8, brand))
  );
}

function isSupported(head: Uint8Array): boolean {
  const isJpeg = head[0] === 0xff && head[1] === 0xd8;
  return isJpeg || startsWith(head, 1, 'PNG') || startsWith(head, 0, 'GIF8') || startsWith(head, 8, 'WEBP');
}

/** Why a file could not be read as an image, and what the user can do about it. */
export async function unreadableImageMessage(file: Blob): Promise<string> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (file.size > BYTES_MAX || pngPixels(head) > PIXELS_MAX) return TOO_LARGE;
  if (isHeic(head)) return HEIC;
  return isSupported(head) ? DAMAGED : UNKNOWN;
}

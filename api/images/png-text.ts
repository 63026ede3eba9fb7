const SIGNATURE_BYTES = 8;
// A chunk is its length and its type, its data, and a checksum.
const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 4;
const CHECKSUM_BYTES = 4;
const TEXT_CHUNKS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt']);

/**
 * A PNG without its text chunks, which are not used. Each may expand to a thousand times its size, and there may be hundreds of
 * them, which the decoder would all hold in memory (a decompression bomb). Bytes that cannot be read as chunks are kept
 * unchanged.
 */
export function stripTextChunks(png: Uint8Array): Uint8Array {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const parts = [bytes.subarray(0, SIGNATURE_BYTES)];
  let start = SIGNATURE_BYTES;
  while (start + HEAD_BYTES <= bytes.length) {
    const end = start + HEAD_BYTES + bytes.readUInt32BE(start) + CHECKSUM_BYTES;
    const type = bytes.toString('latin1', start + LENGTH_BYTES, start + HEAD_BYTES);
    if (!TEXT_CHUNKS.has(type)) parts.push(bytes.subarray(start, end));
    start = end;
  }
  parts.push(bytes.subarray(start));
  return Buffer.concat(parts);
}

import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ifMissing } from './durable-files.ts';

const CHUNK_BYTES = 64 * 1024;

/** An open image file. The caller must read or cancel `stream`, or call `close`; otherwise the file stays open. */
export type OpenImage = {
  bytes: number;
  /** Changes whenever the file changes. */
  etag: string;
  /** Reads no more than a few chunks ahead. */
  stream(): ReadableStream;
  close(): Promise<void>;
};

/** Opens the file of an image; null when it does not exist. */
export async function openImage(path: string): Promise<OpenImage | null> {
  const file = await open(path).catch(ifMissing(null));
  if (file === null) return null;
  try {
    const { size, mtimeMs } = await file.stat();
    return {
      bytes: size,
      etag: `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`,
      // Node's type of a web stream differs from the DOM's.
      stream: () => Readable.toWeb(file.createReadStream({ highWaterMark: CHUNK_BYTES })) as ReadableStream,
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

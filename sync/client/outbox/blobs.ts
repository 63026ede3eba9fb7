import type { OpBlob } from '#sync/client/db.ts';

/** Returns the SHA-256 hash of `bytes` in hexadecimal, or an empty string outside of a secure context. */
export async function sha256Hex(bytes: ArrayBuffer): Promise<string> {
  if (crypto.subtle === undefined) return '';
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Throws if an image of a queued poll is missing or damaged. */
export async function checkBlobs(blobs: readonly OpBlob[]): Promise<void> {
  if (blobs.length !== 2) throw new Error('An image is missing');
  for (const { bytes, sha256 } of blobs) {
    if (sha256 !== '' && sha256 !== (await sha256Hex(bytes))) throw new Error('An image is damaged');
  }
}

/** Creates the multipart body of a queued poll, with the same fields and bytes in every attempt. */
export function formBody(
  fields: readonly (readonly [name: string, value: string])[],
  blobs: readonly OpBlob[],
): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value);
  for (const { slot, bytes, mime } of blobs) {
    form.set(`option${slot}Image`, new Blob([bytes], { type: mime }), `option${slot}`);
  }
  return form;
}

import type { CreatePollPayload } from '#sync/protocol/op.ts';
import type { OpBlob } from './db.ts';

/** SHA-256 of `bytes` in hexadecimal; empty where the browser has no such thing (plain http, not localhost). */
export async function sha256Hex(bytes: ArrayBuffer): Promise<string> {
  if (crypto.subtle === undefined) return '';
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Throws when a queued picture is missing or is not what was stored. */
export async function checkBlobs(blobs: readonly OpBlob[]): Promise<void> {
  if (blobs.length !== 2) throw new Error('A picture is missing');
  for (const { bytes, sha256 } of blobs) {
    if (sha256 !== '' && sha256 !== (await sha256Hex(bytes))) throw new Error('A picture is damaged');
  }
}

/** The multipart body of a queued poll; every attempt carries the same bytes. */
export function pollForm(payload: CreatePollPayload, blobs: readonly OpBlob[]): FormData {
  const form = new FormData();
  form.set('id', payload.pollId);
  form.set('question', payload.question);
  form.set('option1Caption', payload.option1Caption);
  form.set('option2Caption', payload.option2Caption);
  form.set('duration', String(payload.durationDays));
  form.set('responsesWanted', String(payload.responsesWanted));
  for (const { slot, bytes, mime } of blobs) {
    form.set(`option${slot}Image`, new Blob([bytes], { type: mime }), `option${slot}`);
  }
  return form;
}

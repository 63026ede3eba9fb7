import type { CreatePollOp } from '#sync/protocol/op.ts';
import type { OpBlob } from './db.ts';

/** SHA-256 of `bytes` in hexadecimal. */
export async function sha256Hex(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The multipart body of a queued poll; every attempt carries the same bytes. */
export function pollForm(op: CreatePollOp, blobs: readonly OpBlob[]): FormData {
  const { payload } = op;
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

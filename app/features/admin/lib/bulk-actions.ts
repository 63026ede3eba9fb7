import { v7 as uuidv7 } from 'uuid';
import { type BulkFile, bulkFilesAtom, bulkPhaseAtom } from '#app/features/admin/atoms.ts';
import { shrinkImage } from '#app/lib/images/shrink-image.ts';
import { store } from '#app/lib/store.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { BulkUploadFields, Job } from '#shared/admin/schema.ts';
import { isTakenAsItIs, isTooHeavy, keepPictures, moved, needsShrinking } from './bulk-files.ts';
import { startBulkUpload, tellEnds } from './job-actions.ts';
import { FAILURES, isUnderWay, topicOf } from './job-words.ts';
import { drawThumbnail } from './thumbnail.ts';

let lastId = 0;
let stopping: AbortController | null = null;
let drawing: Promise<void> | null = null;
/** What was last sent, until it is known to be a job. Sent again, unchanged, it is the same job. */
let sent: { id: string; fileIds: string; fields: string } | null = null;

/** Takes in the pictures among the chosen files, after those that are there; tells what is wrong with the others. */
export function addFiles(chosen: readonly File[]): string | null {
  const { kept, error } = keepPictures(chosen, store.get(bulkFilesAtom).length);
  const added = kept.map((file) => {
    lastId += 1;
    return { id: lastId, file, thumb: null };
  });
  store.set(bulkFilesAtom, (files) => [...files, ...added]);
  const after = drawing ?? Promise.resolve();
  drawing = after.then(() => drawAll(added));
  return error;
}

/** One after the other: a dozen large photos decoded at once would fill a phone's memory. */
async function drawAll(files: readonly BulkFile[]): Promise<void> {
  const isThere = (id: number) => store.get(bulkFilesAtom).some((each) => each.id === id);
  for (const { id, file } of files) {
    if (!isThere(id)) continue;
    const thumb = await drawThumbnail(file);
    if (thumb !== null && !isThere(id)) URL.revokeObjectURL(thumb);
    else store.set(bulkFilesAtom, (all) => all.map((each) => (each.id === id ? { ...each, thumb } : each)));
  }
}

function forget(files: readonly BulkFile[]): void {
  for (const { thumb } of files) if (thumb !== null) URL.revokeObjectURL(thumb);
}

export function removeFile(id: number): void {
  const files = store.get(bulkFilesAtom);
  forget(files.filter((each) => each.id === id));
  store.set(
    bulkFilesAtom,
    files.filter((each) => each.id !== id),
  );
}

/** Changes places with the picture before (-1) or after (1); answers the new place, from 0. */
export function moveFile(id: number, step: -1 | 1): number {
  const files = store.get(bulkFilesAtom);
  const from = files.findIndex((each) => each.id === id);
  const next = moved(files, from, from + step);
  store.set(bulkFilesAtom, next);
  return next.findIndex((each) => each.id === id);
}

export function clearFiles(): void {
  forget(store.get(bulkFilesAtom));
  store.set(bulkFilesAtom, []);
  store.set(bulkPhaseAtom, { phase: 'choosing' });
}

/** The file as it is sent: what is heavy, or of a kind that the server does not take, is made smaller first. */
async function compressIfNeeded(file: File): Promise<File> {
  if (!needsShrinking(file)) return file;
  try {
    const { bytes, mime } = await shrinkImage(file);
    if (isTakenAsItIs(file) && bytes.byteLength >= file.size) return file;
    return new File([bytes], file.name, { type: mime });
  } catch (cause) {
    // What cannot be read goes as it is, and the server names it with the reason; unless it is too much to send.
    if (isTooHeavy(file)) throw new Error(`${file.name} could not be read as an image`, { cause });
    return file;
  }
}

async function lightenAll(files: readonly BulkFile[], signal: AbortSignal): Promise<File[]> {
  const light: File[] = [];
  for (const { file } of files) {
    if (signal.aborted) break;
    store.set(bulkPhaseAtom, { phase: 'shrinking', done: light.length, total: files.length });
    light.push(await compressIfNeeded(file));
  }
  return light;
}

const chosenIds = () =>
  store
    .get(bulkFilesAtom)
    .map(({ id }) => id)
    .join();

/** The id for an upload of what is chosen now: that of the last one if nothing has changed since. */
function idFor(chosen: BulkUploadFields): string {
  const fileIds = chosenIds();
  const fields = JSON.stringify(chosen);
  if (sent?.fileIds !== fileIds || sent.fields !== fields) sent = { id: uuidv7(), fileIds, fields };
  return sent.id;
}

/** An upload that was given up or cut off and has become a job all the same is followed as if nothing had happened. */
export function followSent(jobs: readonly Job[]): void {
  const job = jobs.find(({ id }) => id === sent?.id);
  // What was changed since is to be sent yet.
  if (job === undefined || store.get(bulkPhaseAtom).phase !== 'choosing' || sent?.fileIds !== chosenIds())
    return;
  sent = null;
  store.set(bulkPhaseAtom, { phase: 'working', jobId: job.id });
  if (!isUnderWay(job)) tellEnds([job]);
}

/** Sends what was chosen; it stays until the polls are there. */
export async function submitBulk(fields: BulkUploadFields): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  stopping = controller;
  try {
    const files = await lightenAll(store.get(bulkFilesAtom), signal);
    if (signal.aborted) return;
    store.set(bulkPhaseAtom, { phase: 'uploading', share: 0 });
    const id = idFor(fields);
    const onProgress = (share: number) =>
      !signal.aborted && store.set(bulkPhaseAtom, { phase: 'uploading', share });
    const jobId = await startBulkUpload({ files, fields: { ...fields, id } }, { onProgress, signal });
    if (signal.aborted) return;
    if (jobId !== null) sent = null;
    store.set(bulkPhaseAtom, jobId === null ? { phase: 'choosing' } : { phase: 'working', jobId });
  } catch (error) {
    if (signal.aborted) return;
    const { title, text } = FAILURES['bulk-upload'];
    showToast('bad', title, error instanceof Error ? error.message : text, topicOf('bulk-upload'));
    store.set(bulkPhaseAtom, { phase: 'choosing' });
  }
}

/** Stops what has not reached the server; what was chosen stays. */
export function cancelBulk(): void {
  stopping?.abort();
  store.set(bulkPhaseAtom, { phase: 'choosing' });
}

/** Lets go of everything: the screen is left. */
export function dropBulk(): void {
  cancelBulk();
  clearFiles();
}

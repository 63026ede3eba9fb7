import { v7 as uuidv7 } from 'uuid';
import {
  BULK_FIELD_DEFAULTS,
  type BulkFile,
  type BulkState,
  bulkFieldsAtom,
  bulkFilesAtom,
  bulkStateAtom,
  type UploadingState,
} from '#app/features/admin/atoms.ts';
import { shrinkImage } from '#app/lib/images/shrink-image.ts';
import { store } from '#app/lib/store.ts';
import { showToast } from '#app/lib/toasts.ts';
import type { Job } from '#shared/admin/schema.ts';
import {
  createThumbnail,
  isAccepted,
  isTooLarge,
  moveItem,
  needsCompression,
  selectImages,
} from './bulk-files.ts';
import { checkForUnconfirmedJobs, startBulkUpload, stopJob } from './job-actions.ts';
import { isActive, JOB_TEXTS, topicOf } from './job-messages.ts';

let lastFileId = 0;
let currentUpload: AbortController | null = null;
let thumbnailQueue = Promise.resolve();
/**
 * The uploads for which the server has not confirmed a job, by their content. A retry with the same content sends the same `jobId`,
 * and so starts no second job.
 */
const unconfirmedUploads = new Map<string, { jobId: string; isCancelled: boolean }>();

/** Adds the images among the chosen files. Returns why other files were left out, or null if none were. */
export function addFiles(chosen: readonly File[]): string | null {
  const { selected, error } = selectImages(chosen, store.get(bulkFilesAtom).length);
  const added = selected.map((file) => {
    lastFileId += 1;
    return { id: lastFileId, file, thumbnailUrl: null };
  });
  store.set(bulkFilesAtom, (files) => [...files, ...added]);
  thumbnailQueue = thumbnailQueue.then(() => createThumbnails(added));
  return error;
}

/** Creates thumbnails one at a time: a dozen large photos decoded at once would fill a phone's memory. */
async function createThumbnails(files: readonly BulkFile[]): Promise<void> {
  const isStillChosen = (id: number) => store.get(bulkFilesAtom).some((bulkFile) => bulkFile.id === id);
  for (const { id, file } of files) {
    if (!isStillChosen(id)) continue;
    const thumbnailUrl = await createThumbnail(file);
    if (thumbnailUrl !== null && !isStillChosen(id)) URL.revokeObjectURL(thumbnailUrl);
    else
      store.set(bulkFilesAtom, (all) =>
        all.map((bulkFile) => (bulkFile.id === id ? { ...bulkFile, thumbnailUrl } : bulkFile)),
      );
  }
}

function revokeThumbnails(files: readonly BulkFile[]): void {
  for (const { thumbnailUrl } of files) if (thumbnailUrl !== null) URL.revokeObjectURL(thumbnailUrl);
}

export function removeFile(id: number): void {
  revokeThumbnails(store.get(bulkFilesAtom).filter((bulkFile) => bulkFile.id === id));
  store.set(bulkFilesAtom, (files) => files.filter((bulkFile) => bulkFile.id !== id));
}

/** Moves an image by one position, towards the start (-1) or the end (1); returns its new index. */
export function moveFile(id: number, step: -1 | 1): number {
  const files = store.get(bulkFilesAtom);
  const index = files.findIndex((bulkFile) => bulkFile.id === id);
  const movedFiles = moveItem(files, index, index + step);
  store.set(bulkFilesAtom, movedFiles);
  return movedFiles.findIndex((bulkFile) => bulkFile.id === id);
}

export function clearFiles(): void {
  revokeThumbnails(store.get(bulkFilesAtom));
  store.set(bulkFilesAtom, []);
  store.set(bulkStateAtom, { phase: 'choosing' });
}

/** Compresses large files and those of types that the server does not accept. */
async function compressIfNeeded(file: File): Promise<File> {
  if (!needsCompression(file)) return file;
  try {
    const { bytes, mime } = await shrinkImage(file);
    if (isAccepted(file) && bytes.byteLength >= file.size) return file;
    return new File([bytes], file.name, { type: mime });
  } catch (cause) {
    // Unless it is too large, an unreadable file is sent unchanged, so that the server reports what is wrong with it.
    if (isTooLarge(file)) throw new Error(`${file.name} could not be read as an image`, { cause });
    return file;
  }
}

async function compressAll(files: readonly BulkFile[], signal: AbortSignal): Promise<File[]> {
  const compressed: File[] = [];
  for (const { file } of files) {
    if (signal.aborted) break;
    store.set(bulkStateAtom, { phase: 'compressing', done: compressed.length, total: files.length });
    compressed.push(await compressIfNeeded(file));
  }
  return compressed;
}

/** Identifies the chosen images, in their order, with the fields. */
function chosenContent(): string {
  const fileIds = store.get(bulkFilesAtom).map(({ id }) => id);
  return JSON.stringify([fileIds, store.get(bulkFieldsAtom)]);
}

/**
 * Handles the jobs of uploads that reached the server although they were cancelled or their connection was lost: follows the job
 * of the chosen images, and stops those of cancelled uploads and of other images or fields. `phase` is that of the bulk upload.
 */
export function settleUnconfirmedUploads(jobs: readonly Job[], phase: BulkState['phase']): void {
  for (const [content, { jobId, isCancelled }] of unconfirmedUploads) {
    const job = jobs.find(({ id }) => id === jobId);
    const isChosen = content === chosenContent();
    if (job === undefined || (isChosen && phase !== 'choosing')) continue;
    unconfirmedUploads.delete(content);
    if (isActive(job) && (isCancelled || !isChosen)) void stopJob(job);
    else if (isChosen) store.set(bulkStateAtom, { phase: 'processing', jobId });
  }
}

/** Uploads the chosen images. They remain chosen until their job is done. Failures are shown as a toast. */
export async function submitBulkUpload(): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  currentUpload = controller;
  try {
    const files = await compressAll(store.get(bulkFilesAtom), signal);
    if (signal.aborted) return;
    store.set(bulkStateAtom, { phase: 'uploading', share: 0 });
    const content = chosenContent();
    const requestedId = unconfirmedUploads.get(content)?.jobId ?? uuidv7();
    unconfirmedUploads.set(content, { jobId: requestedId, isCancelled: false });
    const onProgress = (share: number) =>
      !signal.aborted && store.set(bulkStateAtom, { phase: 'uploading', share });
    const fields = { ...store.get(bulkFieldsAtom), id: requestedId };
    const jobId = await startBulkUpload(files, fields, { onProgress, signal });
    if (signal.aborted) return;
    if (jobId !== null) unconfirmedUploads.delete(content);
    store.set(bulkStateAtom, jobId === null ? { phase: 'choosing' } : { phase: 'processing', jobId });
  } catch (error) {
    if (signal.aborted) return;
    const { failedTitle, failureText = null } = JOB_TEXTS['bulk-upload'];
    const text = error instanceof Error ? error.message : failureText;
    showToast('error', failedTitle, text, { topic: topicOf('bulk-upload') });
    store.set(bulkStateAtom, { phase: 'choosing' });
  }
}

/** Aborts the upload. The images remain chosen. */
export function cancelBulkUpload(): void {
  const unconfirmed = unconfirmedUploads.get(chosenContent());
  if (unconfirmed !== undefined) unconfirmed.isCancelled = true;
  currentUpload?.abort();
  store.set(bulkStateAtom, { phase: 'choosing' });
}

/** Whether the images are being compressed or sent, so that the upload ends when the page is left. */
export function isUploading(state: BulkState): state is UploadingState {
  return state.phase === 'compressing' || state.phase === 'uploading';
}

/** Aborts the upload, removes the chosen images, resets the fields, and stops unconfirmed jobs. Called when the screen is left. */
export function resetBulkUpload(): void {
  if (isUploading(store.get(bulkStateAtom)))
    showToast('error', 'Upload cancelled', 'The page was left before it was done.', {
      topic: topicOf('bulk-upload'),
    });
  cancelBulkUpload();
  clearFiles();
  store.set(bulkFieldsAtom, BULK_FIELD_DEFAULTS);
  if (unconfirmedUploads.size === 0) return;
  checkForUnconfirmedJobs((jobs) => settleUnconfirmedUploads(jobs, store.get(bulkStateAtom).phase));
}

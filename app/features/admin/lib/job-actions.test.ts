import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bulkFieldsAtom, bulkFilesAtom, bulkStateAtom } from '#app/features/admin/atoms.ts';
import { store } from '#app/lib/store.ts';
import { toastsAtom } from '#app/lib/toasts.ts';
import type { Job } from '#shared/admin/schema.ts';
import {
  addFiles,
  cancelBulkUpload,
  moveFile,
  resetBulkUpload,
  settleUnconfirmedUploads,
  submitBulkUpload,
} from './bulk-actions.ts';
import { activeJobOf, cachedJobs, jobsQuery, startSampleJob, stopJob } from './job-actions.ts';
import { queryClient } from './query-client.tsx';

// The connection's state is read from these globals.
vi.hoisted(() => {
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', { onLine: true });
});

vi.mock('#app/lib/analytics/track-event.ts', () => ({ trackEvent() {} }));

const IMAGES = ['one.png', 'two.png'].map((name) => new File(['x'], name, { type: 'image/png' }));

function jobOf(fields: Partial<Job>): Job {
  const id = '01a200dd-ebb8-7104-831c-07635fa8dd8d';
  const createdAt = new Date().toISOString();
  return {
    id,
    kind: 'bulk-upload',
    state: 'running',
    done: 0,
    total: 2,
    message: null,
    createdAt,
    ...fields,
  };
}

let request: SilentRequest | null = null;
/** The `id` field of each sent upload. */
let sentIds: unknown[] = [];

/** An XMLHttpRequest that never gets a response. */
class SilentRequest {
  upload = {};
  onabort: (() => void) | null = null;
  onerror: (() => void) | null = null;
  open() {
    request = this;
  }
  setRequestHeader() {}
  send(form: FormData) {
    sentIds.push(form.get('id'));
  }
  abort() {
    this.onabort?.();
  }
}

let serve: (path: string, init: RequestInit) => Promise<Response>;
let stopWatching: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  sentIds = [];
  store.set(toastsAtom, []);
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => serve(path, init));
  vi.stubGlobal('XMLHttpRequest', SilentRequest);
  vi.stubGlobal('location', { pathname: '/admin' });
  serve = async () => Response.json([]);
  stopWatching = new QueryObserver(queryClient, jobsQuery).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
});
afterEach(() => {
  resetBulkUpload();
  stopWatching();
  queryClient.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const refetchJobs = () => queryClient.refetchQueries(jobsQuery);

async function beginUpload(): Promise<void> {
  addFiles(IMAGES);
  await submit();
}

async function submit(): Promise<void> {
  void submitBulkUpload();
  await vi.waitFor(() => expect(store.get(bulkStateAtom).phase).toBe('uploading'));
}

/** Begins an upload whose connection is lost. */
async function failUpload(): Promise<string> {
  await beginUpload();
  request?.onerror?.();
  await vi.waitFor(() => expect(store.get(bulkStateAtom).phase).toBe('choosing'));
  return String(sentIds.at(-1));
}

function setDuration(duration: number): void {
  store.set(bulkFieldsAtom, (fields) => ({ ...fields, duration }));
}

/** Serves these jobs; returns the paths of the jobs that are stopped from then on. */
function serveJobs(jobs: readonly Job[]): string[] {
  const stopped: string[] = [];
  serve = async (path, { method }) => {
    if (method !== 'DELETE') return Response.json(jobs);
    stopped.push(path);
    return Response.json(jobOf({ state: 'stopped', message: 'Stopped. No polls were created.' }));
  };
  return stopped;
}

/** Serves these jobs, settles the uploads, and returns the paths of the jobs that are stopped. */
async function settleWith(jobs: readonly Job[]): Promise<string[]> {
  const stopped = serveJobs(jobs);
  await refetchJobs();
  settleUnconfirmedUploads(cachedJobs(), store.get(bulkStateAtom).phase);
  await vi.advanceTimersByTimeAsync(0);
  return stopped;
}

test('the job of an upload whose response was lost is shown once it is known', async () => {
  let jobs: Job[] = [];
  serve = async () => Response.json(jobs);
  const id = await failUpload();
  const settle = () => settleUnconfirmedUploads(cachedJobs(), store.get(bulkStateAtom).phase);
  // The jobs are fetched at once and again three seconds later, when the server has started the job.
  await vi.advanceTimersByTimeAsync(1_000);
  settle();
  expect(store.get(bulkStateAtom)).toEqual({ phase: 'choosing' });

  jobs = [jobOf({}), jobOf({ id })];
  await vi.advanceTimersByTimeAsync(3_000);
  expect(cachedJobs()).toEqual(jobs);
  settle();
  expect(store.get(bulkStateAtom)).toEqual({ phase: 'processing', jobId: id });
});

test('the job of a cancelled upload is stopped if the upload had already started it', async () => {
  await beginUpload();
  cancelBulkUpload();
  const id = String(sentIds[0]);
  expect(await settleWith([jobOf({ id })])).toEqual([`/api/admin/jobs/${id}`]);
  expect(store.get(bulkStateAtom)).toEqual({ phase: 'choosing' });
  expect(store.get(bulkFilesAtom)).toHaveLength(2);
});

test('the job of a cancelled upload is stopped even if it is listed before the upload is cancelled', async () => {
  await beginUpload();
  const id = String(sentIds[0]);
  const stopped = serveJobs([jobOf({ id })]);
  await refetchJobs();
  cancelBulkUpload();
  settleUnconfirmedUploads(cachedJobs(), 'choosing');
  await vi.advanceTimersByTimeAsync(0);
  expect(stopped).toEqual([`/api/admin/jobs/${id}`]);
  expect(store.get(bulkStateAtom)).toEqual({ phase: 'choosing' });
});

test('an interrupted upload is retried under the same id unless its images or fields have changed', async () => {
  await failUpload();
  const retry = async () => {
    await submit();
    cancelBulkUpload();
  };
  await retry();
  expect(sentIds[1]).toBe(sentIds[0]);
  expect(sentIds[0]).toMatch(/^[0-9a-f-]{36}$/);
  setDuration(8);
  await retry();
  moveFile(store.get(bulkFilesAtom)[0]?.id ?? 0, 1);
  await retry();
  expect(new Set(sentIds).size).toBe(3);
});

test.each([
  ['images are in another order', () => void moveFile(store.get(bulkFilesAtom)[0]?.id ?? 0, 1)],
  ['fields were changed', () => setDuration(8)],
])('the job of an upload whose response was lost is stopped if the %s', async (_change, change) => {
  const id = await failUpload();
  change();
  // The corrected upload is already being sent.
  await submit();
  expect(await settleWith([jobOf({ id })])).toEqual([`/api/admin/jobs/${id}`]);
  expect(store.get(bulkStateAtom).phase).toBe('uploading');
});

test('polls that were created by an upload whose response was lost are announced, even after its fields were changed', async () => {
  const id = await failUpload();
  setDuration(8);
  expect(await settleWith([jobOf({ id, state: 'done', message: 'Created 1 poll.' })])).toEqual([]);
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Images uploaded', text: 'Created 1 poll.' }]);
  expect(store.get(bulkStateAtom)).toEqual({ phase: 'choosing' });
});

test('the job of an upload that is being sent again goes on', async () => {
  const id = await failUpload();
  await submit();
  expect(await settleWith([jobOf({ id })])).toEqual([]);
  expect(store.get(bulkStateAtom).phase).toBe('uploading');
});

test('an upload that is cancelled because the screen is left is reported', async () => {
  await beginUpload();
  resetBulkUpload();
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Upload cancelled' }]);
});

test('the job of an upload that is not confirmed is stopped after the screen was left', async () => {
  const id = await failUpload();
  await submit();
  const stopped = serveJobs([]);
  stopWatching();
  resetBulkUpload();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stopped).toEqual([]);
  const stoppedLater = serveJobs([jobOf({ id })]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(stoppedLater).toEqual([`/api/admin/jobs/${id}`]);
});

test('a job that has ended while its upload was prepared again is announced once', async () => {
  const id = await failUpload();
  const announced = [{ title: 'Images uploaded', text: 'Created 1 poll.' }];
  serveJobs([jobOf({ id, state: 'done', message: 'Created 1 poll.' })]);
  await refetchJobs();
  expect(store.get(toastsAtom)).toMatchObject(announced);
  await submit();
  store.set(toastsAtom, []);
  await refetchJobs();
  expect(store.get(toastsAtom)).toEqual([]);
});

test('the active job of this tab is preferred to newer ones of others', async () => {
  await beginUpload();
  const ownJob = jobOf({ id: String(sentIds[0]) });
  const jobs = [jobOf({}), ownJob, jobOf({ kind: 'generate-polls' })];
  expect(activeJobOf(jobs, 'bulk-upload')).toBe(ownJob);
  expect(activeJobOf([jobOf({})], 'bulk-upload')).toEqual(jobOf({}));
  expect(activeJobOf([{ ...ownJob, state: 'done' }], 'bulk-upload')).toBeNull();
});

test('another upload with as many images is not mistaken for a cancelled upload', async () => {
  await beginUpload();
  cancelBulkUpload();
  expect(await settleWith([jobOf({ total: IMAGES.length })])).toEqual([]);
  expect(store.get(bulkStateAtom)).toEqual({ phase: 'choosing' });
});

test('a job that started although the response was lost is added to the cached jobs', async () => {
  const job = jobOf({ kind: 'generate-polls' });
  serve = async (path) => {
    if (path === '/api/admin/jobs') return Response.json([job]);
    throw new TypeError('Failed to fetch');
  };
  expect(await startSampleJob({ count: 2 })).toBeNull();
  await vi.advanceTimersByTimeAsync(0);
  expect(cachedJobs()).toEqual([job]);
});

test('sample polls are requested again under the same id until their job has been seen, then under a new one', async () => {
  const requestedIds: string[] = [];
  let jobs: Job[] = [];
  serve = async (path, { body }) => {
    if (path === '/api/admin/jobs') return Response.json(jobs);
    requestedIds.push(JSON.parse(String(body)).id);
    throw new TypeError('Failed to fetch');
  };
  await startSampleJob({ count: 2 });
  await startSampleJob({ count: 2 });
  expect(requestedIds[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(requestedIds[1]).toBe(requestedIds[0]);
  await startSampleJob({ count: 3 });
  expect(requestedIds[2]).not.toBe(requestedIds[0]);

  const message = 'Created 3 sample polls.';
  jobs = [jobOf({ id: requestedIds[2] ?? '', kind: 'generate-polls', state: 'done', message })];
  await refetchJobs();
  expect(store.get(toastsAtom)).toMatchObject([{ title: 'Polls generated', text: message }]);
  await startSampleJob({ count: 3 });
  expect(requestedIds[3]).not.toBe(requestedIds[2]);
});

test('sample polls whose start was confirmed are requested again under a new id, even if the end of their job was not seen', async () => {
  const requestedIds: string[] = [];
  serve = async (path, { body }) => {
    if (path === '/api/admin/jobs') return Response.json([]);
    const { id } = JSON.parse(String(body));
    requestedIds.push(id);
    return Response.json({ jobId: id }, { status: 202 });
  };
  await startSampleJob({ count: 4 });
  await startSampleJob({ count: 4 });
  expect(requestedIds).toHaveLength(2);
  expect(requestedIds[1]).not.toBe(requestedIds[0]);
});

test('a late response from before a job was stopped does not show the job as running again', async () => {
  const job = jobOf({});
  serve = async () => Response.json([job]);
  await refetchJobs();
  let respondLate = (_: Response) => {};
  serve = async (_, { method }) =>
    method === 'DELETE'
      ? Response.json({ ...job, state: 'stopped', message: 'Stopped. No polls were created.' })
      : new Promise((resolve) => {
          respondLate = resolve;
        });
  const lateRefetch = refetchJobs();
  await stopJob(job);
  respondLate(Response.json([job]));
  await lateRefetch;
  expect(cachedJobs()).toMatchObject([{ state: 'stopped' }]);
});

test('an upload that fails after the server’s timeout is reported as having taken too long', async () => {
  await beginUpload();
  await vi.advanceTimersByTimeAsync(120_000);
  request?.onerror?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(store.get(toastsAtom)).toMatchObject([
    { title: 'Upload failed', text: expect.stringContaining('took too long') },
  ]);
});

test('the success of one job does not replace the toast about the failure of another', async () => {
  const repair = jobOf({ id: '02a200dd-ebb8-7104-831c-07635fa8dd8d', kind: 'repair-images' });
  serve = async () => Response.json([jobOf({}), repair]);
  await refetchJobs();
  const failedRepair = { ...repair, state: 'failed', message: 'The images are not there.' };
  serve = async () => Response.json([jobOf({}), failedRepair]);
  await refetchJobs();
  serve = async () => Response.json([jobOf({ state: 'done', message: 'Created 1 poll.' }), failedRepair]);
  await refetchJobs();
  expect(store.get(toastsAtom).map(({ text }) => text)).toEqual([
    'The images are not there.',
    'Created 1 poll.',
  ]);
});

import { queryOptions } from '@tanstack/react-query';
import { v7 as uuidv7 } from 'uuid';
import { adminErrorMessage, trackAdminAction } from '#app/features/admin/actions.ts';
import { adminRequest, fetchJobs, refreshUserOnLostAccess } from '#app/features/admin/queries.ts';
import { ApiError } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { LONG_TIMEOUT_MS } from '#app/lib/api/long-timeout.ts';
import { logWarning } from '#app/lib/log.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { JOB_REFRESH_INTERVAL_MS, PREFER_RESPOND_ASYNC } from '#shared/admin/constants.ts';
import * as calls from '#shared/admin/contract.ts';
import type { BulkUploadFields, GeneratePollsInput, Job, JobKind } from '#shared/admin/schema.ts';
import { isActive, JOB_TEXTS, SLOW_UPLOAD_MESSAGE, SLOW_UPLOAD_MS, topicOf } from './job-messages.ts';
import { queryClient } from './query-client.tsx';
import { upload } from './upload.ts';

const ASYNC_HEADERS = { Prefer: PREFER_RESPOND_ASYNC };
const START_OPTIONS = { headers: ASYNC_HEADERS, status: 202, timeoutMs: LONG_TIMEOUT_MS } as const;
/** See `checkForUnconfirmedJobs`. */
const UNCONFIRMED_START_CHECK_DELAYS_MS = [0, 3_000, 10_000] as const;

/** When to fetch the overview again: slightly later than an entry of the server's cache expires. */
export const OVERVIEW_REFETCH_DELAY_MS = 6_000;

/**
 * The ids of the jobs (of uploads and sample polls) that this tab has started, or may have started if the response was lost, until
 * their end has been seen.
 */
const ownJobIds = new Set<string>();
/**
 * The last request for sample polls. Unless it was confirmed or its job is known to have ended, the same request has the same id,
 * and starts no second job.
 */
let lastSamples: { id: string; inputJson: string } | null = null;

export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  async queryFn({ signal }): Promise<readonly Job[]> {
    try {
      return announceNewlyEnded(await fetchJobs(signal));
    } catch (error) {
      if (!signal.aborted) logWarning('The jobs could not be fetched:', error);
      throw error;
    }
  },
  staleTime: JOB_REFRESH_INTERVAL_MS,
});

export function cachedJobs(): readonly Job[] {
  return queryClient.getQueryData(jobsQuery.queryKey) ?? [];
}

/** The newest active job of this kind that this tab has started, or else that anybody has. */
export function activeJobOf(jobs: readonly Job[], kind: JobKind): Job | null {
  const active = jobs.filter((job) => job.kind === kind && isActive(job));
  return active.find(({ id }) => ownJobIds.has(id)) ?? active[0] ?? null;
}

/** Changes the cached jobs. Cancels a running fetch first, whose response would be out of date. */
async function updateCachedJobs(change: (jobs: readonly Job[]) => readonly Job[]): Promise<void> {
  await queryClient.cancelQueries({ queryKey: jobsQuery.queryKey });
  queryClient.setQueryData(jobsQuery.queryKey, change(cachedJobs()));
}

/**
 * Fetches the jobs at once and twice later, even if no component shows them: after a start without a response, the server may
 * still be reading the request, and start the job.
 */
export function checkForUnconfirmedJobs(onFetched: (jobs: readonly Job[]) => void = () => undefined): void {
  const check = () => queryClient.fetchQuery({ ...jobsQuery, staleTime: 0 }).then(onFetched, () => undefined);
  for (const afterMs of UNCONFIRMED_START_CHECK_DELAYS_MS) setTimeout(check, afterMs);
}

/** Adds a job that was just started to the cache; returns its id. */
async function addStartedJob(jobId: string, kind: JobKind, total: number): Promise<string> {
  const createdAt = new Date().toISOString();
  const job: Job = { id: jobId, kind, state: 'queued', done: 0, total, message: null, createdAt };
  await updateCachedJobs((jobs) => (jobs.some(({ id }) => id === jobId) ? jobs : [job, ...jobs]));
  return jobId;
}

/** Announces which of `jobs` have ended: those active in the cache, and those of this tab not announced yet. Returns `jobs`. */
function announceNewlyEnded(jobs: readonly Job[]): readonly Job[] {
  const unannouncedIds = [
    ...cachedJobs()
      .filter(isActive)
      .map(({ id }) => id),
    ...ownJobIds,
  ];
  const ended = jobs.filter((job) => !isActive(job) && unannouncedIds.includes(job.id));
  if (ended.length > 0) announceEndedJobs(ended);
  return jobs;
}

/** Shows a toast about each ended job, and refetches the data that the jobs may have changed. */
function announceEndedJobs(ended: readonly Job[]): void {
  for (const job of ended) {
    ownJobIds.delete(job.id);
    announceEndedJob(job);
  }
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'jobs' });
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: ['overview'] }), OVERVIEW_REFETCH_DELAY_MS);
}

function announceEndedJob({ kind, state, message }: Job): void {
  const { doneTitle, failedTitle, failureText = null } = JOB_TEXTS[kind];
  if (state === 'failed') showToast('error', failedTitle, message ?? failureText, { topic: topicOf(kind) });
  else if (state === 'stopped') showToast('pending', 'Stopped', message, { topic: topicOf(kind) });
  else showToast('success', doneTitle, message, { topic: topicOf(kind) });
}

export function startRepair(): Promise<string | null> {
  return startJob('repair-images', 'Repair Images', () => adminRequest(calls.repairImages, START_OPTIONS));
}

export async function startSampleJob(input: GeneratePollsInput): Promise<string | null> {
  const inputJson = JSON.stringify(input);
  if (lastSamples?.inputJson !== inputJson || !ownJobIds.has(lastSamples.id)) {
    lastSamples = { id: uuidv7(), inputJson };
  }
  const { id } = lastSamples;
  ownJobIds.add(id);
  const send = () => adminRequest(calls.generatePolls, { json: { ...input, id }, ...START_OPTIONS });
  const jobId = await startJob('generate-polls', 'Generate Polls', send, input.count);
  if (jobId !== null) lastSamples = null;
  return jobId;
}

type UploadOptions = { onProgress(share: number): void; signal: AbortSignal };

export function startBulkUpload(
  files: readonly File[],
  fields: BulkUploadFields & { id: string },
  options: UploadOptions,
): Promise<string | null> {
  // The job of a repeated upload may have ended and been announced.
  if (!cachedJobs().some((job) => job.id === fields.id && !isActive(job))) ownJobIds.add(fields.id);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  for (const file of files) form.append('images', file, file.name);
  const send = () => refreshUserOnLostAccess(upload({ form, headers: ASYNC_HEADERS, ...options }));
  return startJob('bulk-upload', 'Bulk Upload', send, files.length);
}

/** Starts a job. Returns its id, or null if it failed to start (shown as a toast) or the upload was aborted. Never throws. */
async function startJob(
  kind: JobKind,
  eventName: string,
  send: () => Promise<{ jobId: string }>,
  total = 0,
): Promise<string | null> {
  dismissTopic(topicOf(kind));
  const startedAtMs = performance.now();
  try {
    const { jobId } = await send();
    trackAdminAction(eventName);
    return await addStartedJob(jobId, kind, total);
  } catch (error) {
    const isRejected = error instanceof ApiError && error.code !== 'unknown';
    // The job may have started although the response was lost or came from a proxy.
    if (!isRejected) checkForUnconfirmedJobs();
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    const { failedTitle, failureText = null } = JOB_TEXTS[kind];
    const isSlowUpload = kind === 'bulk-upload' && performance.now() - startedAtMs > SLOW_UPLOAD_MS;
    let message = error instanceof ApiError ? (error.serverMessage ?? failureText) : errorMessage(error);
    if (isSlowUpload && !isRejected) message = SLOW_UPLOAD_MESSAGE;
    showToast('error', failedTitle, message, { topic: topicOf(kind) });
    return null;
  }
}

/** Stops a job. The items that it has finished are kept, except that a bulk upload then creates no polls. */
export async function stopJob(job: Job): Promise<void> {
  try {
    const options = { params: { id: job.id }, timeoutMs: LONG_TIMEOUT_MS };
    const stopped = await adminRequest(calls.stopJob, options);
    trackAdminAction('Stop Job');
    await updateCachedJobs((jobs) =>
      announceNewlyEnded(jobs.map((cachedJob) => (cachedJob.id === stopped.id ? stopped : cachedJob))),
    );
  } catch (error) {
    showToast('error', 'Failed to stop', adminErrorMessage(error, 'Failed to stop'), {
      topic: topicOf(job.kind),
    });
  }
}

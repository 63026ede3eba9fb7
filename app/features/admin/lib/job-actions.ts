import { queryOptions } from '@tanstack/react-query';
import { countAdminAction, refusalWords } from '#app/features/admin/actions.ts';
import { asAdmin, fetchJobs, LONG_TIMEOUT_MS } from '#app/features/admin/queries.ts';
import { request } from '#app/lib/api/api-client.ts';
import { ApiError } from '#app/lib/api/api-error.ts';
import { errorMessage } from '#app/lib/api/error-message.ts';
import { logQuietly } from '#app/lib/log.ts';
import { dismissTopic, showToast } from '#app/lib/toasts.ts';
import { JOB_LOOK_INTERVAL_MS, RESPOND_ASYNC } from '#shared/admin/constants.ts';
import * as calls from '#shared/admin/contract.ts';
import type { BulkUploadFields, GeneratePollsInput, Job, JobKind } from '#shared/admin/schema.ts';
import { ENDINGS, FAILURES, isUnderWay, SLOW_UPLOAD, SLOW_UPLOAD_MS, topicOf } from './job-words.ts';
import { queryClient } from './query-client.ts';
import { upload } from './upload.ts';

const ALONE = { Prefer: RESPOND_ASYNC };
const STARTED = { headers: ALONE, status: 202, timeoutMs: LONG_TIMEOUT_MS } as const;
/** A start that was cut off may become a job only once the server has read all that it was sent. */
const LOOKS_AFTER_LOSS_MS = [0, 3_000, 10_000] as const;

/** For so long, and a little, the server answers with the figures that it has: they are asked for once more then. */
export const FIGURES_KEPT_MS = 6_000;

/** The server's long work of late, newest first. */
export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  async queryFn({ signal }): Promise<readonly Job[]> {
    try {
      return tellEnded(await fetchJobs(signal));
    } catch (error) {
      if (!signal.aborted) logQuietly('The jobs could not be asked for:', error);
      throw error;
    }
  },
  staleTime: JOB_LOOK_INTERVAL_MS,
});

/** What is known of the jobs now. */
export function knownJobs(): readonly Job[] {
  return queryClient.getQueryData<readonly Job[]>(['jobs']) ?? [];
}

/** An answer that is on its way is older than what is known now. */
async function setJobs(change: (jobs: readonly Job[]) => readonly Job[]): Promise<void> {
  await queryClient.cancelQueries({ queryKey: ['jobs'] });
  queryClient.setQueryData(jobsQuery.queryKey, change(knownJobs()));
}

async function took(jobId: string, kind: JobKind, total: number): Promise<string> {
  const createdAt = new Date().toISOString();
  const job: Job = { id: jobId, kind, state: 'queued', done: 0, total, message: null, createdAt };
  await setJobs((jobs) => (jobs.some(({ id }) => id === jobId) ? jobs : [job, ...jobs]));
  return jobId;
}

/** Says which jobs have ended since what was known. */
function tellEnded(heard: readonly Job[]): readonly Job[] {
  const before = knownJobs();
  const ended = heard.filter(
    (job) => !isUnderWay(job) && before.some(({ id, state }) => id === job.id && isUnderWay({ state })),
  );
  if (ended.length > 0) tellEnds(ended);
  return heard;
}

/** Says how jobs ended, and has asked again what they may have changed. */
export function tellEnds(ended: readonly Job[]): void {
  for (const job of ended) tellEnd(job);
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'jobs' });
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: ['overview'] }), FIGURES_KEPT_MS);
}

function tellEnd({ kind, state, message }: Job): void {
  const { title, text } = FAILURES[kind];
  if (state === 'failed') showToast('bad', title, message ?? text, topicOf(kind));
  else if (state === 'stopped') showToast('waiting', 'Stopped', message, topicOf(kind));
  else showToast('good', ENDINGS[kind], message, topicOf(kind));
}

/** Looks for a job that may have begun although its start was cut off. */
function lookForLost(): void {
  const look = () => void queryClient.invalidateQueries({ queryKey: ['jobs'] });
  for (const afterMs of LOOKS_AFTER_LOSS_MS) setTimeout(look, afterMs);
}

/** Has the server look for every picture; null when it did not take that on. */
export function startRepair(): Promise<string | null> {
  return start('repair-images', 'Repair Images', () => asAdmin(() => request(calls.repairImages, STARTED)));
}

/** Has the server make sample polls; null when it did not take that on. */
export function startSamples(input: GeneratePollsInput): Promise<string | null> {
  const startCall = () => asAdmin(() => request(calls.generatePolls, { json: input, ...STARTED }));
  return start('generate-polls', 'Generate Polls', startCall, input.count);
}

type Bulk = { files: readonly File[]; fields: BulkUploadFields };
type Way = { onProgress(share: number): void; signal: AbortSignal };

/** Uploads pictures to become polls; null when the server did not take them, or it was stopped. */
export function startBulkUpload({ files, fields }: Bulk, way: Way): Promise<string | null> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  for (const file of files) form.append('images', file, file.name);
  const startCall = () => asAdmin(() => upload({ form, headers: ALONE, ...way }));
  return start('bulk-upload', 'Bulk Upload', startCall, files.length);
}

async function start(
  kind: JobKind,
  name: string,
  startCall: () => Promise<{ jobId: string }>,
  total = 0,
): Promise<string | null> {
  dismissTopic(topicOf(kind));
  const beganAtMs = performance.now();
  try {
    const { jobId } = await startCall();
    countAdminAction(name);
    return await took(jobId, kind, total);
  } catch (error) {
    const isRefused = error instanceof ApiError && error.code !== 'unknown';
    if (!isRefused) lookForLost();
    const isSlowUpload = kind === 'bulk-upload' && performance.now() - beganAtMs > SLOW_UPLOAD_MS;
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    if (isSlowUpload && !isRefused) showToast('bad', FAILURES[kind].title, SLOW_UPLOAD, topicOf(kind));
    else tellRefusal(kind, error);
    return null;
  }
}

function tellRefusal(kind: JobKind, error: unknown): void {
  const { title, text } = FAILURES[kind];
  const words = error instanceof ApiError ? (error.serverMessage ?? text) : errorMessage(error);
  showToast('bad', title, words, topicOf(kind));
}

/** Has the server end a job between two items; what it has made stays. */
export async function stopJob(job: Job): Promise<void> {
  try {
    const options = { params: { id: job.id }, timeoutMs: LONG_TIMEOUT_MS };
    const now = await asAdmin(() => request(calls.stopJob, options));
    countAdminAction('Stop Job');
    await setJobs((jobs) => tellEnded(jobs.map((each) => (each.id === now.id ? now : each))));
  } catch (error) {
    showToast('bad', 'Failed to stop', refusalWords(error, 'Failed to stop'), topicOf(job.kind));
  }
}

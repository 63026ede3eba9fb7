import * as z from 'zod/mini';
import type { JobDeps } from '#api/deps.ts';
import { retryWhileBusy } from '#api/images/concurrency-limiter.ts';
import { nameOfPath } from '#api/images/image-store.ts';
import type { JobEnd } from '#api/jobs/job-queue.ts';
import type { RunningJob } from '#api/jobs/job-runner.ts';
import { listImages } from '#api/polls/queries.ts';
import type { ImagesRepaired } from '#shared/admin/schema.ts';
import { findStoredPaths, type LostImage, replaceByPlaceholder } from './poll-images.ts';

const POLLS_PER_PART = 20;
/**
 * How many stored images of the first polls are looked up. If none of them exists, the storage counts as unavailable, for
 * example because `DATA_DIR` is a wrong folder, even if it has images of later polls: those may have been stored there since.
 */
const LOOKED_UP_MAX = 20;
/** The loss of fewer images says nothing about the storage. */
const LOOKED_UP_MIN = 2;

/**
 * The `place` from which a repair continues after a restart: the id of the last poll checked, and the number of images repaired.
 * `place` is null before the first part.
 */
export const placeSchema = z.object({ after: z.uuid(), repaired: z.int() });

/**
 * Checks the images of every poll, part by part, and repairs missing and broken ones. If the whole storage seems to be
 * unavailable, the job ends as failed and replaces no image.
 */
export async function repairImages(deps: JobDeps, job: RunningJob): Promise<void> {
  const { db, images, listCache, log } = deps;
  let { after, repaired } = job.place === null ? INITIAL_PLACE : placeSchema.parse(job.place);
  let checked = job.done;
  for (;;) {
    const polls = await listImages(db, after, POLLS_PER_PART);
    const losses: LostImage[] = [];
    let recreatedCount = 0;
    for (const { id, image1, image2 } of polls) {
      for (const [index, path] of [image1, image2].entries()) {
        const finding = await repairFiles(deps, job, path);
        if (finding === 'lost') losses.push({ pollId: id, option: index === 0 ? 1 : 2, path });
        if (finding === 'recreated') recreatedCount += 1;
      }
    }
    // Checked last, so that a disk that became unavailable during this part is noticed, too.
    if (losses.length > 0 && !(await isStorageAvailable(deps))) {
      return job.advance(async () => ({ done: checked, end: STORAGE_UNAVAILABLE }));
    }
    after = polls.at(-1)?.id ?? after;
    checked += polls.length;
    const isLast = polls.length < POLLS_PER_PART;
    await job.advance(async (tx) => {
      let replaced = 0;
      for (const loss of losses) if (await replaceByPlaceholder(tx, loss)) replaced += 1;
      repaired += recreatedCount + replaced;
      // The final total is the number checked: polls may have been created or deleted since the job was queued.
      const total = isLast ? checked : Math.max(checked, job.total);
      const place = after === null ? undefined : { after, repaired };
      return { done: checked, total, place, ...(isLast && { end: toJobEnd(checked, repaired) }) };
    });
    // The part is committed: files that cannot be removed now belong to no poll, and the hourly sweep removes them.
    await images.remove(losses.map(({ path }) => path)).catch((err: unknown) => {
      log.warn({ err, jobId: job.id }, 'The files of replaced images could not be removed');
    });
    if (losses.length > 0) listCache.drop();
    if (isLast) return;
  }
}

const STORAGE_UNAVAILABLE: JobEnd = {
  state: 'failed',
  code: 'unavailable',
  message:
    'None of the images that were checked exists in the image storage. Please check that DATA_DIR is the right folder and that its disk is mounted. Until then no image is replaced.',
};

async function isStorageAvailable({ db, images }: JobDeps): Promise<boolean> {
  const paths = await findStoredPaths(db, LOOKED_UP_MAX);
  for (const path of paths) if (await images.holds(path)) return true;
  return paths.length < LOOKED_UP_MIN;
}

const INITIAL_PLACE: { after: string | null; repaired: number } = { after: null, repaired: 0 };

/**
 * Checks both sizes of an image. `recreated`: the small size was missing or broken, and was recreated from the large one. Paths
 * outside of the storage count as `whole`.
 */
async function repairFiles(
  { images, imagePipeline }: JobDeps,
  { signal }: RunningJob,
  path: string,
): Promise<'whole' | 'recreated' | 'lost'> {
  const name = nameOfPath(path);
  if (name === null) return 'whole';
  const large = () => images.read(name, 'large');
  const small = () => images.read(name, 'small');
  const inspect = (read: typeof large) => retryWhileBusy(() => imagePipeline.inspect(read, signal), signal);
  // Checked twice, because an image that counts as lost is deleted.
  if ((await inspect(large)) !== 'whole' && (await inspect(large)) !== 'whole') return 'lost';
  if ((await inspect(small)) === 'whole') return 'whole';
  try {
    await images.replaceSmall(name, await retryWhileBusy(() => imagePipeline.shrink(large, signal), signal));
  } catch (error) {
    // The poll was deleted concurrently, with both sizes.
    if ((await inspect(large)) === 'missing') return 'whole';
    throw error;
  }
  return 'recreated';
}

function toJobEnd(checked: number, repaired: number): JobEnd {
  const polls = checked === 1 ? '1 poll' : `${checked} polls`;
  const images = repaired === 1 ? '1 image' : `${repaired} images`;
  const message = `Checked ${polls}, repaired ${images}.`;
  const result: ImagesRepaired = { checked, repaired, message };
  return { state: 'done', message, result };
}

import * as z from 'zod/mini';
import type { JobDeps } from '#api/deps.ts';
import { retryWhileBusy } from '#api/images/concurrency-limiter.ts';
import { nameOfPath } from '#api/images/image-store.ts';
import type { JobEnd } from '#api/jobs/job-queue.ts';
import type { JobTask } from '#api/jobs/job-runner.ts';
import { listImages } from '#api/polls/queries.ts';
import type { ImagesRepaired } from '#shared/admin/schema.ts';
import { findStoredPaths, type LostImage, replaceImage } from './poll-images.ts';

const POLLS_PER_PART = 20;
/** If none of this many sampled images exists, the folder is wrong, not the images. */
const SAMPLE_SIZE = 20;
const SAMPLE_SIZE_MIN = 2;

const checkpointSchema = z.object({ after: z.uuid(), repaired: z.int() });

/**
 * Looks at the images of every poll, some polls in each part, and repairs what is missing or broken. Ends as failed,
 * with nothing replaced, when the store seems to be away as a whole.
 */
export async function repairImages(deps: JobDeps, task: JobTask): Promise<void> {
  const { db, images, feed, log } = deps;
  let { after, repaired } = task.place === null ? START : checkpointSchema.parse(task.place);
  let checked = task.done;
  for (;;) {
    const polls = await listImages(db, after, POLLS_PER_PART);
    const losses: LostImage[] = [];
    let remade = 0;
    for (const { id, image1, image2 } of polls) {
      for (const [index, path] of [image1, image2].entries()) {
        const finding = await repairFiles(deps, task, path);
        if (finding === 'lost') losses.push({ pollId: id, option: index === 0 ? 1 : 2, path });
        if (finding === 'remade') remade += 1;
      }
    }
    // Looked at last, so that a disk that went away meanwhile is noticed too.
    if (losses.length > 0 && !(await isStoreThere(deps))) {
      return task.advance(async () => ({ done: checked, end: STORE_AWAY }));
    }
    after = polls.at(-1)?.id ?? after;
    checked += polls.length;
    const isLast = polls.length < POLLS_PER_PART;
    await task.advance(async (tx) => {
      let replaced = 0;
      for (const loss of losses) if (await replaceImage(tx, loss)) replaced += 1;
      repaired += remade + replaced;
      // Polls that were made or removed meanwhile: what counts is what was looked at.
      const total = isLast ? checked : Math.max(checked, task.total);
      const place = after === null ? undefined : { after, repaired };
      return { done: checked, total, place, ...(isLast && { end: endOf(checked, repaired) }) };
    });
    // The part is noted: what stays behind is of no poll, and the hourly sweep takes it.
    await images.remove(losses.map(({ path }) => path)).catch((err: unknown) => {
      log.warn({ err, jobId: task.id }, 'The files of lost images could not be removed');
    });
    if (losses.length > 0) feed.drop();
    if (isLast) return;
  }
}

const STORE_AWAY: JobEnd = {
  state: 'failed',
  code: 'unavailable',
  message:
    'None of the images that were looked for is where images are stored. Please check that DATA_DIR is the right folder and its disk is there. Until then no image is replaced.',
};

async function isStoreThere({ db, images }: JobDeps): Promise<boolean> {
  const paths = await findStoredPaths(db, SAMPLE_SIZE);
  for (const path of paths) if (await images.holds(path)) return true;
  return paths.length < SAMPLE_SIZE_MIN;
}

const START: { after: string | null; repaired: number } = { after: null, repaired: 0 };

/** `remade`: the small size was missing and is there again. What is not in the store is left alone. */
async function repairFiles(
  { images, imagePipeline }: JobDeps,
  { signal }: JobTask,
  path: string,
): Promise<'whole' | 'remade' | 'lost'> {
  const name = nameOfPath(path);
  if (name === null) return 'whole';
  const large = () => images.read(name, 'large');
  const small = () => images.read(name, 'small');
  const inspect = (read: typeof large) => retryWhileBusy(() => imagePipeline.inspect(read, signal), signal);
  // Looked at twice: an image that is given up is gone for good.
  if ((await inspect(large)) !== 'whole' && (await inspect(large)) !== 'whole') return 'lost';
  if ((await inspect(small)) === 'whole') return 'whole';
  try {
    await images.replaceSmall(name, await retryWhileBusy(() => imagePipeline.shrink(large, signal), signal));
  } catch (error) {
    // The poll was deleted meanwhile, with both.
    if ((await inspect(large)) === 'missing') return 'whole';
    throw error;
  }
  return 'remade';
}

function endOf(checked: number, repaired: number): JobEnd {
  const polls = checked === 1 ? '1 poll' : `${checked} polls`;
  const images = repaired === 1 ? '1 image' : `${repaired} images`;
  const message = `Checked ${polls}, repaired ${images}.`;
  const result: ImagesRepaired = { checked, repaired, message };
  return { state: 'done', message, result };
}

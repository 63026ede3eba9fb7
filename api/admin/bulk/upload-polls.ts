import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod/mini';
import type { JobDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { ProcessedImage } from '#api/images/image-pipeline.ts';
import { retryWhileBusy } from '#api/images/retry-while-busy.ts';
import type { JobEnd } from '#api/jobs/job-queue.ts';
import type { JobTask } from '#api/jobs/job-runner.ts';
import { BULK_QUESTION } from '#shared/admin/constants.ts';
import type { PollsCreated } from '#shared/admin/schema.ts';
import { type FreePoll, insertFreePolls, keepMaker } from './free-polls.ts';

/** `files`: what each image was called, in the order in which they pair up. */
const inputSchema = z.object({
  files: z.array(z.string()),
  duration: z.int(),
  responsesWanted: z.int(),
});
export type BulkUploadInput = z.infer<typeof inputSchema>;

type Facts = Omit<ProcessedImage, 'large' | 'small'>;

/**
 * Makes all polls of a bulk upload or none: one image after the other is decoded and put aside, then one
 * transaction stores everything. Begun anew after an interruption. Throws what an image throws, with its name.
 */
export async function uploadPolls(deps: JobDeps, task: JobTask): Promise<void> {
  const { images, jobFiles, feed, live } = deps;
  const { files: names, duration, responsesWanted } = inputSchema.parse(task.input);
  const facts: Facts[] = [];

  async function* decodeAll(): AsyncGenerator<ProcessedImage> {
    for (const [index, name] of names.entries()) {
      await task.advance(async () => ({ done: index }));
      const image = await decodeNamed(deps, task, { index, name });
      const { preview, width, height } = image;
      facts.push({ preview, width, height });
      yield image;
    }
  }

  const staged = await images.stage(decodeAll(), await jobFiles.openStaging(task.id, task.lease));
  const stored = staged.paths.flatMap((path, index) => {
    const each = facts[index];
    return each === undefined ? [] : [{ path, ...each }];
  });
  const polls: FreePoll[] = [];
  for (let index = 0; index < stored.length; index += 2) {
    const [image1, image2] = stored.slice(index, index + 2);
    if (image1 === undefined || image2 === undefined) throw new Error('An image is without its other half.');
    polls.push({
      id: uuidv7(),
      question: BULK_QUESTION,
      captions: [null, null],
      images: [image1, image2],
      responsesWanted,
      duration,
    });
  }
  await task.advance(async (tx) => {
    const makerId = await keepMaker(tx, task.adminId);
    if (makerId === null) {
      throw new AppError('not_found', { message: 'The account that uploaded these images is gone.' });
    }
    await insertFreePolls(tx, makerId, polls, { isSample: false });
    return { done: names.length, end: endOf(polls.length) };
  }, staged);
  feed.drop();
  const newest = polls.at(-1);
  if (newest !== undefined) live.publish({ type: 'poll.created', id: newest.id });
}

async function decodeNamed(
  { jobFiles, imagePipeline }: JobDeps,
  { id, signal }: JobTask,
  { index, name }: { index: number; name: string },
): Promise<ProcessedImage> {
  try {
    return await retryWhileBusy(() => imagePipeline.process(jobFiles.pathOf(id, index), signal), signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'busy') throw error;
    throw new AppError(error.code, { message: `${name}: ${error.message}`, cause: error });
  }
}

function endOf(count: number): JobEnd {
  const message = count === 1 ? 'Created 1 poll.' : `Created ${count} polls.`;
  const result: PollsCreated = { pollsCreated: count, message };
  return { state: 'done', message, result };
}

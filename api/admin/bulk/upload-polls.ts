import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod/mini';
import type { JobDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import { BACKGROUND, retryWhileBusy } from '#api/images/concurrency-limiter.ts';
import type { ProcessedImage } from '#api/images/image-pipeline.ts';
import type { RunningJob } from '#api/jobs/job-runner.ts';
import { BULK_QUESTION } from '#shared/admin/constants.ts';
import { createdPollsEnd, storeFreePolls } from './free-polls.ts';

/** `files`: the file names of the images; every two in this order become a poll. */
const inputSchema = z.object({
  files: z.array(z.string()),
  duration: z.int(),
  responsesWanted: z.int(),
});
export type BulkUploadInput = z.infer<typeof inputSchema>;

type ImageDetails = Omit<ProcessedImage, 'large' | 'small'>;

/**
 * Creates all polls of a bulk upload or none: decodes and stages the images one by one, then stores everything in one
 * transaction. After an interruption it starts again from the first image. The error of an image names its file.
 */
export async function uploadPolls(deps: JobDeps, job: RunningJob): Promise<void> {
  const { images, jobFiles } = deps;
  const { files: names, duration, responsesWanted } = inputSchema.parse(job.input);
  const details: ImageDetails[] = [];

  async function* decodeAll(): AsyncGenerator<ProcessedImage> {
    for (const [index, name] of names.entries()) {
      await job.advance(async () => ({ done: index }));
      const image = await decodeUploaded(deps, job, { index, name });
      const { preview, width, height } = image;
      details.push({ preview, width, height });
      yield image;
    }
  }

  const staged = await images.stage(decodeAll(), await jobFiles.openStaging(job.id, job.lease));
  const stored = details.map((each, index) => ({ ...each, path: staged.paths[index] ?? '' }));
  const pairs = stored.flatMap((_, index) => (index % 2 === 0 ? [stored.slice(index, index + 2)] : []));
  const polls = pairs.map((pair) => ({
    id: uuidv7(),
    question: BULK_QUESTION,
    option1Caption: null,
    option2Caption: null,
    images: pair,
    responsesWanted,
    duration,
  }));
  const makerDeletedMessage = 'The account that uploaded these images has been deleted.';
  const step = { done: names.length, end: createdPollsEnd(polls.length, 'poll') };
  await storeFreePolls(
    deps,
    job,
    staged,
    { makerId: job.adminId, polls, isSample: false, makerDeletedMessage },
    step,
  );
}

/** Decodes the image number `index` of an upload. The message of an error about this image starts with `name`. */
async function decodeUploaded(
  { jobFiles, imagePipeline }: JobDeps,
  { id, signal }: RunningJob,
  { index, name }: { index: number; name: string },
): Promise<ProcessedImage> {
  try {
    const caller = { client: BACKGROUND, signal };
    return await retryWhileBusy(() => imagePipeline.process(jobFiles.pathOf(id, index), caller), signal);
  } catch (error) {
    // These two are not about the image.
    if (!(error instanceof AppError) || error.code === 'busy' || error.code === 'unavailable') throw error;
    throw new AppError(error.code, { message: `${name}: ${error.message}`, cause: error });
  }
}

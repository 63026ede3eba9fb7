import { v7 as uuidv7 } from 'uuid';
import { pickSamples } from '#api/admin/samples/pick-samples.ts';
import { illustrationPath } from '#api/admin/samples/sample-pairs.ts';
import type { JobDeps } from '#api/deps.ts';
import type { SampleImage } from '#api/images/sample-images.ts';
import type { RunningJob } from '#api/jobs/job-runner.ts';
import { generatePollsInputSchema } from '#shared/admin/schema.ts';
import { createdPollsEnd, storeFreePolls } from './free-polls.ts';

const POLLS_PER_PART = 10;

/** Creates the sample polls of a job, part by part. Throws `not_found` if the maker's account has been deleted. */
export async function generatePolls(deps: JobDeps, job: RunningJob): Promise<void> {
  const { userId: makerId = job.adminId } = generatePollsInputSchema.parse(job.input);
  for (let from = job.done; from < job.total; from += POLLS_PER_PART) {
    const done = Math.min(job.total, from + POLLS_PER_PART);
    const samples = pickSamples(job.id, from, done);
    const images: SampleImage[] = [];
    // One image at a time, so that a decoder remains free for users' uploads.
    for (const { illustration } of samples.flatMap(({ options }) => options)) {
      images.push(await deps.samples.get(illustrationPath(illustration), job.signal));
    }
    const staged = await deps.images.stage(images.map(({ files }) => files));
    const stored = images.map((image, index) => ({ ...image, path: staged.paths[index] ?? '' }));
    const polls = samples.map(({ options: [one, two], ...sample }, index) => ({
      ...sample,
      id: uuidv7(),
      option1Caption: one.caption,
      option2Caption: two.caption,
      images: stored.slice(2 * index, 2 * index + 2),
    }));
    const step = done < job.total ? { done } : { done, end: createdPollsEnd(done, 'sample poll') };
    const makerDeletedMessage = 'User not found.';
    await storeFreePolls(deps, job, staged, { makerId, polls, isSample: true, makerDeletedMessage }, step);
  }
}

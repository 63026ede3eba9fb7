import { v7 as uuidv7 } from 'uuid';
import { pickSamples, type Sample } from '#api/admin/samples/pick-samples.ts';
import { illustrationPath } from '#api/admin/samples/sample-pairs.ts';
import type { JobDeps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { SampleImage } from '#api/images/sample-images.ts';
import type { JobEnd } from '#api/jobs/job-queue.ts';
import type { JobTask } from '#api/jobs/job-runner.ts';
import { generatePollsInputSchema, type PollsCreated } from '#shared/admin/schema.ts';
import { type FreePoll, insertFreePolls, keepMaker } from './free-polls.ts';

const POLLS_A_PART = 10;

type SampleWithImages = { sample: Sample; images: readonly [SampleImage, SampleImage] };

/** Makes the sample polls of a job, some in each part. Throws `not_found` when their maker's account is gone. */
export async function generatePolls(deps: JobDeps, task: JobTask): Promise<void> {
  const { images, feed, live } = deps;
  const { userId = task.adminId } = generatePollsInputSchema.parse(task.input);
  for (let from = task.done; from < task.total; from += POLLS_A_PART) {
    const done = Math.min(task.total, from + POLLS_A_PART);
    const made: SampleWithImages[] = [];
    for (const sample of pickSamples(task.id, from, done)) made.push(await withImages(deps, task, sample));
    const files = images.stageCopies(made.flatMap((each) => each.images.map(({ files }) => files)));
    const polls = made.map((each, index) => toFreePoll(each, files.paths.slice(2 * index)));
    await task.advance(async (tx) => {
      const makerId = await keepMaker(tx, userId);
      if (makerId === null) throw new AppError('not_found', { message: 'User not found.' });
      await insertFreePolls(tx, makerId, polls, { isSample: true });
      return done < task.total ? { done } : { done, end: endOf(done) };
    }, files);
    feed.drop();
    const newest = polls.at(-1);
    if (newest !== undefined) live.publish({ type: 'poll.created', id: newest.id });
  }
}

async function withImages(
  { samples }: JobDeps,
  { signal }: JobTask,
  sample: Sample,
): Promise<SampleWithImages> {
  const [one, two] = sample.options;
  const image = ({ illustration }: Sample['options'][0]) =>
    samples.get(illustrationPath(illustration), signal);
  // One after the other, so that a decoder stays free for those who wait for theirs.
  return { sample, images: [await image(one), await image(two)] };
}

function toFreePoll({ sample, images: [one, two] }: SampleWithImages, paths: readonly string[]): FreePoll {
  const { question, options, responsesWanted, duration } = sample;
  const [path1 = '', path2 = ''] = paths;
  return {
    id: uuidv7(),
    question,
    captions: [options[0].caption, options[1].caption],
    images: [
      { ...one, path: path1 },
      { ...two, path: path2 },
    ],
    responsesWanted,
    duration,
  };
}

function endOf(count: number): JobEnd {
  const message = count === 1 ? 'Created 1 sample poll.' : `Created ${count} sample polls.`;
  const result: PollsCreated = { pollsCreated: count, message };
  return { state: 'done', message, result };
}

import * as z from 'zod/mini';
import { SAMPLE_COUNT_INVALID } from '#shared/admin/constants.ts';
import { type GeneratePollsInput, generatePollsInputSchema } from '#shared/admin/schema.ts';

type Read = { error: string } | { error: null; input: GeneratePollsInput };

const DIGITS = /^\d+$/;
const countSchema = z.pick(generatePollsInputSchema, { count: true });

/** Whether a user id was typed that is no number, and so is not sent. */
export function isIgnoredUserId(userId: string): boolean {
  return userId.trim() !== '' && !DIGITS.test(userId.trim());
}

/** What was typed as what is sent; a user id that is no number is left out, whether there is such a user the server says. */
export function readSampleInput(count: string, userId: string): Read {
  const id = userId.trim();
  const parsed = z.safeParse(countSchema, {
    count: count.trim() === '' ? undefined : Number(count),
  });
  if (parsed.success)
    return { error: null, input: { ...parsed.data, ...(DIGITS.test(id) && { userId: Number(id) }) } };
  return { error: parsed.error.issues[0]?.message ?? SAMPLE_COUNT_INVALID };
}

import * as z from 'zod/mini';
import { SAMPLE_COUNT_INVALID_MESSAGE } from '#shared/admin/constants.ts';
import { type GeneratePollsInput, generatePollsInputSchema } from '#shared/admin/schema.ts';

type Result = { error: string } | { error: null; input: GeneratePollsInput };

const DIGITS = /^\d+$/;
const countSchema = z.object({ count: generatePollsInputSchema.shape.count });

/** Whether the typed user id is not a number and will therefore not be sent. */
export function isIgnoredUserId(userId: string): boolean {
  return userId.trim() !== '' && !DIGITS.test(userId.trim());
}

/** Parses the typed values. A user id that is not a number is omitted; the server checks whether the user exists. */
export function parseSampleInput(count: string, userId: string): Result {
  const id = userId.trim();
  const parsed = z.safeParse(countSchema, { count: count.trim() === '' ? undefined : Number(count) });
  if (parsed.success)
    return { error: null, input: { ...parsed.data, ...(DIGITS.test(id) && { userId: Number(id) }) } };
  return { error: parsed.error.issues[0]?.message ?? SAMPLE_COUNT_INVALID_MESSAGE };
}

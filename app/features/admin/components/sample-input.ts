import * as z from 'zod/mini';
import { SAMPLE_COUNT_INVALID } from '#shared/admin/constants.ts';
import { type GeneratePollsInput, generatePollsInputSchema } from '#shared/admin/schema.ts';

type Read = { error: string } | { error: null; input: GeneratePollsInput };

/** What was typed as what is sent; a user id that is no number is left out. */
export function readSampleInput(count: string, userId: string): Read {
  const id = userId.trim();
  const parsed = z.safeParse(generatePollsInputSchema, {
    count: count.trim() === '' ? undefined : Number(count),
    ...(/^\d{1,9}$/.test(id) && Number(id) > 0 && { userId: Number(id) }),
  });
  if (parsed.success) return { error: null, input: parsed.data };
  return { error: parsed.error.issues[0]?.message ?? SAMPLE_COUNT_INVALID };
}

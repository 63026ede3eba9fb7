import type { SharedPoll } from '#shared/polls/schema.ts';

/** A shared poll without the sizes of its images: prerendered pages do not know them, and images shown as squares need none. */
export function withoutImageSizes(poll: SharedPoll): SharedPoll {
  return { ...poll, option1Size: null, option2Size: null };
}

import type { SharedPoll } from '#shared/polls/schema.ts';

/** A shared poll without the sizes of its images, which are unknown when its page is prerendered: hydration must match that. */
export function withoutImageSizes(poll: SharedPoll): SharedPoll {
  return { ...poll, option1Size: null, option2Size: null };
}

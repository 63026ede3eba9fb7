import type { Poll, SharedPoll } from '#shared/polls/schema.ts';

/** Converts a shared poll, for components that show a poll, as users who have not voted see it. */
export function toPoll(shared: SharedPoll): Poll {
  const { results } = shared;
  return {
    ...shared,
    // Prerendered pages do not know the sizes, and images shown as squares do not need them.
    option1Size: null,
    option2Size: null,
    votesCount: results === null ? 0 : results.option1 + results.option2,
    commentCount: 0,
    duration: 0,
    active: true,
    responsesWanted: 0,
    votes: [],
    isMine: false,
    isSample: false,
    rev: 1,
  };
}

import type { Poll, SharedPoll } from '#shared/polls/schema.ts';

/** Converts a shared poll for components that show polls. It looks as it does to a user who has not voted. */
export function toPoll(sharedPoll: SharedPoll): Poll {
  const { results } = sharedPoll;
  return {
    ...sharedPoll,
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
    // Not 0, the revision of polls that have not been sent.
    rev: 1,
  };
}

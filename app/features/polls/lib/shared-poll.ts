import type { Poll, SharedPoll } from '#shared/polls/schema.ts';

/** A shared poll for components that show polls, as somebody who has not voted sees it. */
export function toPoll(shared: SharedPoll): Poll {
  const { results } = shared;
  return {
    ...shared,
    // Prerendered pages know no sizes, and a square needs none.
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

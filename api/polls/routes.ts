import type { AppDeps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { callerOf } from '#api/http/client-address.ts';
import { withAttempt } from '#api/http/limits/attempts.ts';
import * as calls from '#shared/polls/contract.ts';
import { admitCreation } from './creating/admit-creation.ts';
import { createPoll } from './creating/create-poll.ts';
import { readPollForm } from './creating/read-poll-form.ts';
import { listOwnPolls } from './list-own-polls.ts';
import { closePoll } from './maker/close-poll.ts';
import { deleteOwnPoll } from './maker/delete-own-poll.ts';
import { readResults } from './maker/read-results.ts';
import { csvFileName, toCsv } from './maker/results-csv.ts';
import { performPollCall } from './poll-call.ts';
import { pollNotFound } from './poll-rows.ts';
import { readFeed } from './read-feed.ts';
import { readPoll } from './read-poll.ts';
import { readTrending } from './read-trending.ts';
import { findSharedPoll, toSharedPoll } from './sharing/find-shared-poll.ts';
import { castVote } from './voting/cast-vote.ts';
import { changeVote } from './voting/change-vote.ts';

export function pollRoutes(deps: AppDeps): CallRouter {
  const { images, limits, reads, shareLinks } = deps;
  return new CallRouter()
    .answer(calls.readFeed, ({ c, user, query }) =>
      reads(c, (source) => readFeed({ ...source, shareLinks }, user, query)),
    )

    .answer(calls.createPoll, async ({ c, user, key }) => {
      const { attempt, admit } = await admitCreation(deps, { userId: user.id, key });
      return withAttempt(attempt, async () => {
        const form = await readPollForm(c.req.raw, images.incomingFolder, admit);
        try {
          const caller = callerOf(c);
          const { status, ...body } = await createPoll(deps, { user, key, form, caller, attempt });
          c.status(status);
          return body;
        } finally {
          await form.cleanup();
        }
      });
    })

    .answer(calls.readPoll, ({ user, params }) => readPoll(deps, user, params.id))

    .answerWithin(limits.sharedPollsOfClient, calls.readSharedPoll, async ({ user, params }) => {
      const poll = await findSharedPoll(deps, params.slug, user);
      if (poll === null) throw pollNotFound();
      return toSharedPoll(shareLinks, poll, Date.now());
    })

    .answer(calls.castVote, ({ user, key, params, json: { option } }) =>
      performPollCall(deps, castVote, { user, key, pollId: params.id, option }),
    )
    .answer(calls.changeVote, ({ user, key, params, json: { option } }) =>
      performPollCall(deps, changeVote, { user, key, pollId: params.id, option }),
    )
    .answer(calls.closePoll, ({ user, key, params }) => closePoll(deps, { user, key, pollId: params.id }))
    .answer(calls.deleteOwnPoll, ({ user, params }) => deleteOwnPoll(deps, { user, pollId: params.id }))
    .answer(calls.readVotesByHour, async ({ user, params }) => {
      const { hours } = await readResults(deps, user, params.id);
      return { hours };
    })
    .answer(calls.readResultsCsv, async ({ c, user, params }) => {
      const { poll, hours } = await readResults(deps, user, params.id);
      return c.body(toCsv(poll, hours), 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="${csvFileName(poll.question)}"`,
      });
    })
    .answer(calls.readTrending, ({ c, user, query }) =>
      reads(c, (source) => readTrending({ ...source, shareLinks }, user, query)),
    )

    .answer(calls.listOwnPolls, ({ user }) => listOwnPolls(deps, user));
}

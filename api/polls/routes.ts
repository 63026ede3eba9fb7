import { Hono } from 'hono';
import type { Deps } from '#api/deps.ts';
import { AppError } from '#api/errors.ts';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import { jsonWithEtag } from '#api/http/etag.ts';
import { requireActor } from '#api/http/idempotency.ts';
import { withAttempt } from '#api/http/limits/attempts.ts';
import { parseInput, readJson } from '#api/http/read-input.ts';
import { requireUser } from '#api/http/session/session.ts';
import { isAdmin } from '#shared/accounts/rules.ts';
import { pollIdSchema } from '#shared/http.ts';
import { feedQuerySchema, trendingQuerySchema, voteInputSchema } from '#shared/polls/schema.ts';
import { admitCreation } from './admit-creation.ts';
import { castVote } from './cast-vote.ts';
import { changeVote } from './change-vote.ts';
import { createPoll } from './create-poll.ts';
import { findPoll } from './poll-rows.ts';
import { toPoll } from './poll-view.ts';
import { listPollsOf } from './queries.ts';
import { readFeed } from './read-feed.ts';
import { readPollForm } from './read-poll-form.ts';
import { readTrending } from './read-trending.ts';
import { performVoteCall } from './vote-call.ts';

const pollNotFound = () => new AppError('not_found', { message: 'Poll not found.' });

export function pollRoutes(deps: Deps): Hono<AppEnv> {
  const { db, images } = deps;
  return new Hono<AppEnv>()
    .get('/questions', async (c) => {
      const viewer = requireUser(c);
      const query = parseInput(feedQuerySchema, c.req.query());
      return jsonWithEtag(c, await readFeed(deps, viewer, query));
    })

    .post('/questions', async (c) => {
      const { user, key } = requireActor(c);
      const { attempt, admit } = await admitCreation(deps, { userId: user.id, key });
      return withAttempt(attempt, async () => {
        const form = await readPollForm(c.req.raw, images.incomingFolder, admit);
        try {
          const { signal } = c.req.raw;
          const { status, ...answer } = await createPoll(deps, { user, key, form, signal, attempt });
          return c.json(answer, status);
        } finally {
          await form.cleanup();
        }
      });
    })

    .get('/questions/:id', async (c) => {
      const viewer = requireUser(c);
      const poll = await findPoll(db, readPollId(c), viewer.id);
      if (poll === null) throw pollNotFound();
      const sees = poll.active || poll.userId === viewer.id || poll.vote !== null || isAdmin(viewer);
      if (!sees) throw pollNotFound();
      return c.json(toPoll(poll, viewer, poll.vote, Date.now()));
    })

    .post('/questions/:id/vote', async (c) => {
      const { user, key } = requireActor(c);
      const { option } = await readJson(c, voteInputSchema);
      return c.json(await performVoteCall(deps, castVote, { user, key, pollId: readPollId(c), option }));
    })

    .put('/questions/:id/vote', async (c) => {
      const { user, key } = requireActor(c);
      const { option } = await readJson(c, voteInputSchema);
      return c.json(await performVoteCall(deps, changeVote, { user, key, pollId: readPollId(c), option }));
    })

    .get('/trending', async (c) => {
      const viewer = requireUser(c);
      const query = parseInput(trendingQuerySchema, c.req.query());
      return c.json(await readTrending(deps, viewer, query));
    })

    .get('/user/questions', async (c) => {
      const viewer = requireUser(c);
      const polls = await listPollsOf(db, viewer.id);
      const nowMs = Date.now();
      return c.json(polls.map((poll) => toPoll(poll, viewer, null, nowMs)));
    });
}

function readPollId(c: AppContext): string {
  const id = pollIdSchema.safeParse(c.req.param('id'));
  if (!id.success) throw pollNotFound();
  return id.data;
}

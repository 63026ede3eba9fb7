// Votes and feed implemented with Feathers on Koa and Knex, in the style of its documentation, without transactions.
// Environment: PORT, and DATABASE_URL with a migrated database.
import { createHash } from 'node:crypto';
import { Conflict, NotAuthenticated, NotFound } from '@feathersjs/errors';
import { feathers } from '@feathersjs/feathers';
import { KnexService } from '@feathersjs/knex';
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa';
import createKnex from 'knex';

const PAGE_SIZE = 24;
/** More than the concurrent votes need. */
const CONNECTIONS_MAX = 20;

const knex = createKnex({
  client: 'pg',
  connection: process.env.DATABASE_URL,
  pool: { min: 2, max: CONNECTIONS_MAX },
});

/** A hook that looks up the session of the cookie. */
async function authenticate(context) {
  const token = /(?:^|; )sid=([^;]+)/.exec(context.params.headers.cookie ?? '')?.[1];
  if (token === undefined) throw new NotAuthenticated();
  const user = await knex('sessions')
    .join('users', 'users.id', 'sessions.user_id')
    .where('sessions.token_hash', createHash('sha256').update(token).digest('hex'))
    .first('users.id', 'users.username', 'users.points', 'users.is_suspended');
  if (user === undefined || user.is_suspended) throw new NotAuthenticated();
  context.params.user = user;
}

/** Page 1 of the feed, with the names of the makers and the viewer's votes. */
class FeedService extends KnexService {
  createQuery(params) {
    return knex('polls')
      .leftJoin('users as makers', 'makers.id', 'polls.user_id')
      .leftJoin('votes', (join) =>
        join.on('votes.poll_id', 'polls.id').andOn('votes.user_id', knex.raw('?', [params.user.id])),
      )
      .select('polls.*', 'makers.username', 'votes.option')
      .where('polls.active', true)
      .orderBy([
        { column: 'polls.created_at', order: 'desc', nulls: 'last' },
        { column: 'polls.id', order: 'desc', nulls: 'last' },
      ])
      .limit(PAGE_SIZE);
  }

  async find(params) {
    // The page does not depend on the parameters of the URL.
    const questions = await super.find({ ...params, query: {} });
    // Uses the app's stored total, since counting the rows, as Feathers' pagination does, would take longer than the page.
    const { active } = await knex('poll_totals').first('active');
    return { questions, total: active };
  }
}

class VoteService {
  async create({ option }, { user, route }) {
    const poll = await knex('polls').where({ id: route.pollId }).first();
    if (poll === undefined) throw new NotFound();
    const votesCount = poll.votes1 + poll.votes2;
    const isOpen = poll.active && poll.closes_at > new Date() && votesCount < poll.responses_wanted;
    if (!isOpen || poll.user_id === user.id) throw new Conflict();
    // The unique key rejects a second vote.
    await knex('votes').insert({ poll_id: poll.id, user_id: user.id, option });
    const [updated] = await knex('polls')
      .where({ id: poll.id })
      .increment({ [`votes${option}`]: 1, rev: 1 })
      .returning('*');
    const [{ points }] = await knex('users')
      .where({ id: user.id })
      .increment({ points: 1, rev: 1 })
      .returning('points');
    return { question: { ...updated, option }, user: { ...user, points } };
  }
}

const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());
app.use('api/questions', new FeedService({ Model: knex, name: 'polls' }), { methods: ['find'] });
app.use('api/questions/:pollId/vote', new VoteService(), { methods: ['create'] });
app.hooks({ before: { all: [authenticate] } });
await app.listen(Number(process.env.PORT), '127.0.0.1');

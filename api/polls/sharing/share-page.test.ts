import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createApp } from '#api/app.ts';
import { signUpAdmin } from '#api/testing/admins.ts';
import { openPoll, postClose, postVote, putVote } from '#api/testing/poll-factory.ts';
import { decide, postReport, putBlock, reportedPoll } from '#api/testing/reports.ts';
import { SHARE_PAGES } from '#api/testing/share-pages.ts';
import { createTestApp, limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import { TestClient } from '#api/testing/test-client.ts';
import { type Poll, sharedPollSchema } from '#shared/polls/schema.ts';

const app = await createTestApp();
const { env } = app.deps;
const admin = await signUpAdmin(app);

/** A browser without a session, or with that of `user`, connected to a server with the built client. */
function browser(user?: TestUser, parts: Partial<typeof app.deps> = {}): TestClient {
  const client = new TestClient(createApp({ ...app.deps, ...parts }, SHARE_PAGES), env.publicUrl);
  for (const [name, value] of user?.cookies ?? []) client.cookies.set(name, value);
  return client;
}

const pathOf = ({ shareUrl = '' }: Poll) => new URL(shareUrl).pathname;
const apiPathOf = (poll: Poll) => pathOf(poll).replace('/s/', '/api/share/');
const randomPath = () => `/s/${randomBytes(16).toString('base64url')}`;

function decodeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The data of the poll in a page. */
function dataOf(html: string): unknown {
  const [, data = ''] = /data-poll="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(decodeHtml(data));
}

/** The response without the values that differ between any two requests. */
async function comparable(response: Response) {
  const headers = Object.fromEntries(response.headers);
  for (const name of ['date', 'x-request-id']) delete headers[name];
  return {
    status: response.status,
    headers,
    body: (await response.text()).replace(/"requestId":"[^"]*"/, ''),
  };
}

describe('the page for a visitor', () => {
  test('has the question, both images and the options, but no results', async () => {
    const poll = await openPoll(app, await app.signUp({ username: 'jonas_k' }), {
      question: 'Sand or summit?',
      option1Caption: 'Beach',
      responsesWanted: '77',
    });
    for (let voter = 0; voter < 3; voter += 1) await postVote(await app.signUp(), poll.id, 2);
    const response = await browser().get(pathOf(poll));
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const html = await response.text();
    expect(html).toContain('<h1>Sand or summit?</h1>');
    for (const part of [
      poll.option1Image,
      poll.option2Image,
      '<button>Beach',
      'alt="Option B"',
      // The link to log in leads back to this page.
      '%2Fs%2F',
      'jonas_k',
    ])
      expect(html).toContain(part);
    expect(decodeHtml(html)).toContain('"results":null');
    expect(html).not.toMatch(/votesCount|responsesWanted|\b77\b|\bvotes\b/);
  });

  test('has metadata for link previews', async () => {
    const poll = await openPoll(app, await app.signUp(), {
      question: 'Tea?',
      option1Caption: 'Yes',
      option2Caption: 'No',
    });
    const html = await (await browser().get(pathOf(poll))).text();
    for (const tag of [
      '<title>Tea? · This or That?</title>',
      `<link rel="canonical" href="${poll.shareUrl}" />`,
      '<meta property="og:title" content="Tea?" />',
      `<meta property="og:url" content="${poll.shareUrl}" />`,
      `<meta property="og:image" content="${poll.shareUrl}/card.jpg" />`,
      '<meta name="twitter:card" content="summary_large_image" />',
      '<meta name="description" content="Yes or No? Pick one.',
    ])
      expect(html).toContain(tag);
  });

  test.each([
    `"><script>alert(1)</script>`,
    `'onload='alert(1)`,
    '[[data]] [[caption1]] $& $1',
    '</title></head><body onload=alert(1)>',
    '&lt;b&gt; &amp; %00 \u200fשלום',
  ])('escapes the text %j', async (question) => {
    const poll = await openPoll(app, await app.signUp(), {
      question,
      option1Caption: question,
      option2Caption: '[[question]]',
    });
    const html = await (await browser().get(pathOf(poll))).text();
    expect(html).not.toMatch(/<script|<body|<b>|<\/title>.*<\/title>/s);
    const texts = html.replaceAll(/<[^>]*>/g, '\n');
    expect(decodeHtml(texts)).toContain(question);
    expect(sharedPollSchema.parse(dataOf(html)).question).toBe(question);
    expect(decodeHtml(/property="og:title" content="([^"]*)"/.exec(html)?.[1] ?? '')).toBe(question);
  });

  test('is not indexed by search engines unless configured', async () => {
    const poll = await openPoll(app, await app.signUp());
    const response = await browser().get(pathOf(poll));
    expect(response.headers.get('X-Robots-Tag')).toBe('noindex');
    expect(await response.text()).toContain('<meta name="robots" content="noindex" />');

    const client = browser(undefined, { env: { ...env, arePollsIndexable: true } });
    const indexable = await client.get(pathOf(poll));
    expect(indexable.headers.get('X-Robots-Tag')).toBeNull();
    expect(await indexable.text()).not.toContain('noindex');
    const missing = await client.get(randomPath());
    expect(missing.headers.get('X-Robots-Tag')).toBe('noindex');
  });

  test('of a closed poll has its results, and no buttons to vote', async () => {
    const poll = await openPoll(app, await app.signUp(), { option1Caption: 'Beach' });
    await postVote(await app.signUp(), poll.id, 2);
    await app.db.sql`update polls set closes_at = now() where id = ${poll.id}`;
    const html = await (await browser().get(pathOf(poll))).text();
    expect(html).not.toContain('<button>');
    expect(html).toContain('The crowd has decided.');
    expect(html).toContain('&quot;results&quot;:{&quot;option1&quot;:0,&quot;option2&quot;:1}');
  });

  test('of a poll that has ended without a vote does not say that the crowd has decided', async () => {
    const maker = await app.signUp();
    const poll = await openPoll(app, maker);
    expect((await postClose(maker, poll.id)).status).toBe(200);
    const html = await (await browser().get(pathOf(poll))).text();
    expect(html).toContain('<p>No votes came in.</p>');
    expect(html).toContain('<meta name="description" content="No votes came in before it closed." />');
    expect(html).not.toContain('decided');
  });

  test('says whether the maker has closed the poll early', async () => {
    const poll = await openPoll(app, await app.signUp());
    expect(dataOf(await (await browser().get(pathOf(poll))).text())).not.toHaveProperty('closedEarly');
    await app.db.sql`update polls set closes_at = now(), closed_at = now() where id = ${poll.id}`;
    const data = dataOf(await (await browser().get(pathOf(poll))).text());
    expect(data).toMatchObject({ status: 'expired', closedEarly: true });
  });
});

test('a logged-in user gets the app without content, with the id of the poll', async () => {
  const poll = await openPoll(app, await app.signUp(), { question: 'Tea?' });
  const html = await (await browser(await app.signUp()).get(pathOf(poll))).text();
  expect(html).not.toContain('<h1>');
  expect(html).toContain(poll.id);
});

test('the API call returns the same data as the page', async () => {
  const poll = await openPoll(app, await app.signUp());
  await postVote(await app.signUp(), poll.id, 2);
  const response = await app.visitor().get(apiPathOf(poll));
  const body = await response.json();
  expect(sharedPollSchema.parse(body)).toEqual(body);
  expect(dataOf(await (await browser().get(pathOf(poll))).text())).toEqual(body);
  expect(body).toMatchObject({ id: poll.id, status: 'active', results: null, shareUrl: poll.shareUrl });
});

test('every response with a poll has its share link', async () => {
  const maker = await app.signUp();
  const poll = await openPoll(app, maker, { question: 'Shared everywhere?' });
  const voter = await app.signUp();
  const deck = await (await voter.get('/api/explore?limit=48')).json();
  const voteBody = await (await postVote(voter, poll.id, 1)).json();
  const feed = await (await voter.get('/api/questions')).json();
  const trending = await (await voter.get('/api/trending?limit=20')).json();
  const ownPolls = await (await maker.get('/api/user/questions')).json();
  const singlePoll = await (await voter.get(`/api/questions/${poll.id}`)).json();
  const found = await (await voter.get('/api/search?q=everywhere')).json();
  const forAdmins = await (await admin.get('/api/admin/polls?search=everywhere')).json();
  const changeBody = await (await putVote(voter, poll.id, 2)).json();
  const closingBody = await (await postClose(maker, poll.id)).json();
  const lists = [deck.data, feed.data, trending, ownPolls, found.data, forAdmins.polls];
  const changed = [voteBody, changeBody, closingBody].map((body) => body.poll);
  const polls = [...lists.flat(), singlePoll, ...changed].filter(({ id }) => id === poll.id);
  expect(polls).toHaveLength(lists.length + 1 + changed.length);
  expect(new Set(polls.map(({ shareUrl }) => shareUrl))).toEqual(new Set([poll.shareUrl]));
  expect(poll.shareUrl).toMatch(new RegExp(`^${env.publicUrl}/s/[\\w-]{22}$`));
});

describe('a poll that its viewer must not see', () => {
  type CreatePoll = () => Promise<{ poll: Poll; viewer?: TestUser }>;

  test.each<[string, CreatePoll]>([
    [
      'deleted',
      async () => {
        const poll = await openPoll(app, await app.signUp());
        await admin.delete(`/api/admin/polls/${poll.id}`);
        return { poll };
      },
    ],
    ['hidden by reports', async () => ({ poll: (await reportedPoll(app, 5)).poll })],
    [
      'removed',
      async () => {
        const { poll } = await reportedPoll(app, 1);
        await decide(admin, poll.id, 'remove');
        return { poll };
      },
    ],
    [
      'inactive',
      async () => {
        const poll = await openPoll(app, await app.signUp());
        await admin.post(`/api/admin/polls/${poll.id}/deactivate`);
        return { poll };
      },
    ],
    [
      'of a suspended maker',
      async () => {
        const maker = await app.signUp();
        const poll = await openPoll(app, maker);
        await admin.post(`/api/admin/users/${maker.user.id}/suspend`);
        return { poll };
      },
    ],
    [
      'of a maker whom the viewer has blocked',
      async () => {
        const maker = await app.signUp();
        const poll = await openPoll(app, maker);
        const viewer = await app.signUp();
        await putBlock(viewer, maker.user.username);
        return { poll, viewer };
      },
    ],
    [
      'that the viewer has reported',
      async () => {
        const poll = await openPoll(app, await app.signUp());
        const viewer = await app.signUp();
        await postReport(viewer, poll.id);
        return { poll, viewer };
      },
    ],
  ])('(%s) gets the same response as an unknown poll', async (_case, createPoll) => {
    const { poll, viewer } = await createPoll();
    const path = pathOf(poll);
    const unknownPath = randomPath();
    const client = browser(viewer);
    const page = await comparable(await client.get(path));
    expect(page.status).toBe(404);
    expect(page.body).toContain('This poll is gone');
    expect(page).toEqual(await comparable(await client.get(unknownPath)));
    expect(page).toEqual(await comparable(await browser().get('/s/no-slug')));
    const call = await comparable(await client.get(path.replace('/s/', '/api/share/')));
    expect(call.status).toBe(404);
    expect(call).toEqual(await comparable(await client.get(unknownPath.replace('/s/', '/api/share/'))));
    if (viewer === undefined) {
      const card = await comparable(await client.get(`${path}/card.jpg`));
      expect(card.status).toBe(404);
      expect(card).toEqual(await comparable(await client.get(`${unknownPath}/card.jpg`)));
    }
  });

  test('(hidden by reports) is still shown to its maker and to administrators', async () => {
    const { maker, poll } = await reportedPoll(app, 5);
    for (const viewer of [maker, admin]) expect((await viewer.get(apiPathOf(poll))).status).toBe(200);
  });
});

test('a browser gets an HTML page when it is rate-limited or the database is unavailable', async () => {
  const poll = await openPoll(app, await app.signUp());
  const { limits } = limitedClient(app, await app.signUp());
  await useUp(limits.sharedPollsOfClient, '127.0.0.1');
  const limited = await browser(undefined, { limits }).get(pathOf(poll));
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await limited.text()).toContain('data-poll=""');

  const orm = new Proxy(app.db.orm, {
    get() {
      throw Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' });
    },
  });
  const unavailable = await browser(undefined, { db: { ...app.db, orm } }).get(pathOf(poll));
  expect(unavailable.status).toBe(503);
  expect(unavailable.headers.get('Content-Type')).toContain('text/html');
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const ENDPOINT = 'https://plausible.example.org/api/event';
let endpoint: string | null;
let sentEvents: { url: string; body: unknown }[];
let isOffline: boolean;
let lostRequests: number;

beforeEach(() => {
  vi.resetModules();
  endpoint = ENDPOINT;
  sentEvents = [];
  isOffline = false;
  lostRequests = 0;
  vi.stubGlobal('document', { readyState: 'complete' });
  vi.stubGlobal('location', { origin: 'https://polls.example.org', hostname: 'polls.example.org' });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    if (isOffline) {
      lostRequests += 1;
      throw new TypeError('Failed to fetch');
    }
    if (url === '/api/analytics') return Response.json({ endpoint });
    sentEvents.push({ url, body: JSON.parse(String(init.body)) });
    return new Response(null, { status: 202 });
  });
});
afterEach(() => vi.unstubAllGlobals());

async function trackOnce(navigator: object = {}) {
  vi.stubGlobal('navigator', navigator);
  const { track } = await import('./analytics.ts');
  track({ name: 'View Poll', path: '/poll/1', props: { category: 'Engagement' } });
  return track;
}

/** Waits longer than the stubbed requests of an event take. */
const waitForRequests = () => new Promise((resolve) => setTimeout(resolve, 20));

test('an event is sent with the path of the page to the configured endpoint', async () => {
  await trackOnce();
  await vi.waitFor(() => expect(sentEvents).toHaveLength(1));
  expect(sentEvents).toEqual([
    {
      url: ENDPOINT,
      body: {
        name: 'View Poll',
        url: 'https://polls.example.org/poll/1',
        domain: 'polls.example.org',
        props: { category: 'Engagement' },
      },
    },
  ]);
});

test.each([{ doNotTrack: '1' }, { globalPrivacyControl: true }])(
  'no event is sent if the browser declines tracking with %o',
  async (navigator) => {
    await trackOnce(navigator);
    await waitForRequests();
    expect(sentEvents).toEqual([]);
  },
);

test('no event is sent without a configured endpoint', async () => {
  endpoint = null;
  await trackOnce();
  await waitForRequests();
  expect(sentEvents).toEqual([]);
});

test('an event is dropped while offline, and the next event requests the endpoint again', async () => {
  isOffline = true;
  const track = await trackOnce();
  await vi.waitFor(() => expect(lostRequests).toBe(1));
  await waitForRequests();
  isOffline = false;
  track({ name: 'pageview', path: '/home' });
  await vi.waitFor(() => expect(sentEvents).toHaveLength(1));
  await waitForRequests();
  expect(sentEvents).toMatchObject([{ body: { name: 'pageview' } }]);
});

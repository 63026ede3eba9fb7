import type { Page, Route } from '@playwright/test';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import { newName } from './people.ts';
import { postPoll, register } from './shortcuts.ts';

export const FEED = '**/api/questions?*';
export const TRENDING = '**/api/trending?*';

/** A poll like `poll`, which this person sees as somebody else's. */
export function numbered(poll: Poll, number: number, changes: Partial<Poll> = {}): Poll {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return { ...poll, id, question: `Number ${number}?`, isMine: false, results: null, ...changes };
}

export function pageOf(data: Poll[], nextCursor: string | null = null): FeedPage {
  const pagination = { limit: FEED_PAGE_SIZE, offset: 0, hasMore: nextCursor !== null, nextCursor };
  return { data, pagination };
}

export const breaks = (route: Route) =>
  route.fulfill({ status: 500, json: { message: 'broken', code: 'internal', requestId: '1' } });
export const gives = (json: Poll[] | FeedPage) => (route: Route) => route.fulfill({ json });

/** Any poll, to make others of. */
export async function somePoll(page: Page): Promise<Poll> {
  await register(page, newName('paula'));
  return postPoll(page, 'Some or other?');
}

import type { Page, Route } from '@playwright/test';
import { FEED_PAGE_SIZE } from '#shared/polls/constants.ts';
import type { FeedPage, Poll } from '#shared/polls/schema.ts';
import { postPoll, register } from './shortcuts.ts';
import { newName } from './user-actions.ts';

export const FEED_URL = '**/api/questions?*';
export const TRENDING_URL = '**/api/trending?*';

/** A copy of `poll` with a new id and question, as seen by a user who neither made it nor voted on it. */
export function copyOfPoll(poll: Poll, number: number, changes: Partial<Poll> = {}): Poll {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return { ...poll, id, question: `Number ${number}?`, isMine: false, results: null, ...changes };
}

export function feedPage(data: Poll[], nextCursor: string | null = null): FeedPage {
  const pagination = { limit: FEED_PAGE_SIZE, offset: 0, hasMore: nextCursor !== null, nextCursor };
  return { data, pagination };
}

export const respondWithError = (route: Route) =>
  route.fulfill({ status: 500, json: { message: 'broken', code: 'internal', requestId: '1' } });
export const respondWith = (json: Poll[] | FeedPage) => (route: Route) => route.fulfill({ json });

/** Signs up a user, who creates a poll to be copied with `copyOfPoll`. */
export async function createTemplatePoll(page: Page): Promise<Poll> {
  await register(page, newName('paula'));
  return postPoll(page, 'Some or other?');
}

import { expect, type Page } from '@playwright/test';
import { paths } from '#app/paths.ts';
import type { Poll } from '#shared/polls/schema.ts';

export type Screen = {
  path: string;
  title: string;
  heading: string | RegExp;
  /** Where it leads on to at once. */
  leadsTo?: string;
  /** Text that is there once all of it is, where the heading comes before. */
  last?: RegExp;
};

/** Below a card, after the last one, or below the first poll of an account that is as new as this server. */
const DECK = /^(Skip|You have seen them all|No more on this device| ?Back to the deck)$/;

/** Above what a search has found, or in its place. */
const FOUND = /^(\d+ polls?\b|Nothing found$|Search needs a connection$)/;

/** None, or the question of one. */
const OWN_POLLS = /No polls created yet|\w\?$/;

export const FOR_VISITORS: readonly Screen[] = [
  { path: '/auth', title: 'Log In', heading: /This.*That/ },
  { path: '/signup', title: 'Sign Up', heading: /This.*That/, leadsTo: '/auth?tab=signup' },
];

/** Whoever is not logged in is led to /auth from these. */
export const FOR_USERS: readonly Screen[] = [
  { path: '/', title: 'Points', heading: 'Your points' },
  { path: '/points', title: 'Points', heading: 'Tips' },
  { path: '/home', title: 'Polls', heading: 'Latest Polls' },
  { path: '/home?tab=refer', title: 'Refer & Earn', heading: 'Bring a friend' },
  { path: '/explore', title: 'Explore', heading: 'Explore', last: DECK },
  { path: '/explore?view=search', title: 'Search', heading: 'Explore', last: FOUND },
  { path: '/referrals', title: 'Refer & Earn', heading: 'Bring a friend' },
  { path: '/profile', title: 'Profile', heading: OWN_POLLS },
  { path: '/profile?tab=activity', title: 'Profile', heading: 'Balance' },
  { path: '/my-polls', title: 'My Polls', heading: OWN_POLLS },
  { path: '/settings', title: 'Settings', heading: 'Account Information' },
  { path: '/notifications', title: 'Notifications', heading: /^(No Notifications Yet|Today|Yesterday)$/ },
  { path: '/diagnostic', title: 'Diagnostic', heading: 'Service worker' },
  { path: '/outbox', title: 'Outbox', heading: 'Nothing is waiting' },
];

/** They are the same for everybody. */
export const FOR_ALL: readonly Screen[] = [
  { path: '/verify-email', title: 'Verify email', heading: 'Email not verified' },
  { path: '/reset-password', title: 'Reset password', heading: 'This link does not work' },
  { path: '/reset-password?token=x', title: 'Reset password', heading: 'Choose a new password' },
  { path: '/reset-password?token=x&first', title: 'Set password', heading: 'Choose a password' },
  { path: '/undo-email-change', title: 'Undo email change', heading: 'This link does not work' },
  { path: '/undo-email-change?token=x', title: 'Undo email change', heading: 'Keep your email?' },
  { path: '/undo-passkeys', title: 'Undo passkey changes', heading: 'This link does not work' },
  { path: '/undo-passkeys?token=x', title: 'Undo passkey changes', heading: 'This was not you?' },
  { path: '/unsubscribe', title: 'Unsubscribe', heading: 'This link does not work' },
  { path: '/unsubscribe?token=x', title: 'Unsubscribe', heading: 'No more weekly mail?' },
  { path: '/rules', title: 'The rules', heading: 'Rules for polls' },
  { path: '/nowhere', title: '404', heading: '404 Page Not Found' },
];

/** What a list's pager says below its rows. */
const RANGE = /^\d[\d,]* to \d[\d,]* of /;

/** Of what was done, where nothing was yet. */
const NEWS = new RegExp(`${RANGE.source}|^Nothing yet\\.$`);

const REPORTED = new RegExp(`${RANGE.source}|^Nothing reported$`);

/** Whoever is no administrator is led away from these. */
export const FOR_ADMINS: readonly Screen[] = [
  { path: '/admin', title: 'Admin', heading: 'Admin', last: RANGE },
  { path: '/admin?tab=overview', title: 'Admin', heading: 'Votes a day', last: NEWS },
  { path: '/admin?tab=polls', title: 'Admin', heading: 'Bulk image upload', last: RANGE },
  { path: '/admin?tab=reports', title: 'Admin', heading: 'Admin', last: REPORTED },
  { path: '/admin-panel', title: 'Admin', heading: 'Admin', last: RANGE },
  { path: '/admin-simple', title: 'Admin', heading: 'Admin' },
];

export function pollScreen({ id, question }: Pick<Poll, 'id' | 'question'>): Screen {
  return { path: paths.poll.href(id), title: question, heading: question };
}

/** For visitors; whoever is logged in is led to the poll's own screen. */
export function shareScreen({ shareUrl = '', question }: Pick<Poll, 'shareUrl' | 'question'>): Screen {
  return { path: new URL(shareUrl).pathname, title: question, heading: question };
}

/** Opens a screen, and waits for what is its own. */
export async function openScreen(page: Page, { path, title, heading, leadsTo = path, last }: Screen) {
  await page.goto(path);
  await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
  await expect(page).toHaveTitle(`${title} · This or That?`);
  await expect(page).toHaveURL(leadsTo);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  if (last !== undefined) await expect(page.getByText(last).last()).toBeVisible();
}

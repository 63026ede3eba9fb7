import { expect, type Page } from '@playwright/test';
import { paths } from '#app/paths.ts';
import type { Poll } from '#shared/polls/schema.ts';

export type Screen = {
  path: string;
  title: string;
  heading: string | RegExp;
  /** The path that `path` redirects to. */
  redirectsTo?: string;
  /** Text that shows that the screen is complete, where the heading appears earlier. */
  complete?: RegExp;
};

/** The text below a card, after the last card, or in the warm-up of a new account (after an icon and a space). */
export const DECK = /^(Skip|You have seen them all|No more on this device| ?Back to the deck)$/;

/** The text above the results of a search, or in their place. */
const SEARCH_RESULTS = /^(\d+ polls?\b|No polls yet$|Nothing found$|Search needs a connection$)/;

/** The text for an empty list of polls, or the question of a poll. */
const OWN_POLLS = /No polls created yet|\w\?$/;

export const VISITOR_SCREENS: readonly Screen[] = [
  { path: '/auth', title: 'Log In', heading: /This.*That/ },
  { path: '/signup', title: 'Sign Up', heading: /This.*That/, redirectsTo: '/auth?tab=signup' },
];

/** Screens that redirect visitors to /auth. */
export const USER_SCREENS: readonly Screen[] = [
  { path: '/', title: 'Points', heading: 'Your points' },
  { path: '/points', title: 'Points', heading: 'Tips' },
  { path: '/home', title: 'Polls', heading: 'Latest Polls' },
  { path: '/home?tab=refer', title: 'Refer & Earn', heading: 'Bring a friend' },
  { path: '/explore', title: 'Explore', heading: 'Explore', complete: DECK },
  { path: '/explore?view=search', title: 'Search', heading: 'Explore', complete: SEARCH_RESULTS },
  { path: '/referrals', title: 'Refer & Earn', heading: 'Bring a friend' },
  { path: '/profile', title: 'Profile', heading: OWN_POLLS },
  { path: '/profile?tab=activity', title: 'Profile', heading: 'Balance' },
  { path: '/my-polls', title: 'My Polls', heading: OWN_POLLS },
  { path: '/settings', title: 'Settings', heading: 'Account Information' },
  { path: '/notifications', title: 'Notifications', heading: /^(No Notifications Yet|Today|Yesterday)$/ },
  { path: '/diagnostic', title: 'Diagnostic', heading: 'Service worker' },
  { path: '/outbox', title: 'Outbox', heading: 'Nothing is waiting' },
];

/** Screens that look the same to visitors and users. */
export const PUBLIC_SCREENS: readonly Screen[] = [
  { path: '/verify-email', title: 'Verify email', heading: 'Email not verified' },
  { path: '/reset-password', title: 'Reset password', heading: 'This link does not work' },
  { path: '/reset-password?token=x', title: 'Reset password', heading: 'Choose a new password' },
  { path: '/reset-password?token=x&first', title: 'Set password', heading: 'Choose a password' },
  { path: '/undo-email-change', title: 'Undo email change', heading: 'This link does not work' },
  { path: '/undo-email-change?token=x', title: 'Undo email change', heading: 'Undo the email change?' },
  { path: '/undo-passkeys', title: 'Undo passkey changes', heading: 'This link does not work' },
  { path: '/undo-passkeys?token=x', title: 'Undo passkey changes', heading: 'Not you?' },
  { path: '/unsubscribe', title: 'Unsubscribe', heading: 'This link does not work' },
  { path: '/unsubscribe?token=x', title: 'Unsubscribe', heading: 'Unsubscribe from the weekly email?' },
  { path: '/rules', title: 'The rules', heading: 'Rules for polls' },
  { path: '/nowhere', title: '404', heading: '404 Page Not Found' },
];

/** The text of the pager below the rows of a list. */
const PAGER = /^\d[\d,]* to \d[\d,]* of /;

/** The pager of the audit log, or the text for an empty log. */
const AUDIT_LOG = new RegExp(`${PAGER.source}|^Nothing yet\\.$`);

const REPORTS = new RegExp(`${PAGER.source}|^Nothing reported$`);

/** Screens that redirect users who are not administrators. */
export const ADMIN_SCREENS: readonly Screen[] = [
  { path: '/admin', title: 'Admin', heading: 'Admin', complete: PAGER },
  { path: '/admin?tab=overview', title: 'Admin', heading: 'Votes per day', complete: AUDIT_LOG },
  { path: '/admin?tab=polls', title: 'Admin', heading: 'Bulk image upload', complete: PAGER },
  { path: '/admin?tab=reports', title: 'Admin', heading: 'Admin', complete: REPORTS },
  { path: '/admin-panel', title: 'Admin', heading: 'Admin', complete: PAGER },
  { path: '/admin-simple', title: 'Admin', heading: 'Admin' },
];

export function pollScreen({ id, question }: Pick<Poll, 'id' | 'question'>): Screen {
  return { path: paths.poll.href(id), title: question, heading: question };
}

/** The screen of a share link, for visitors; users are redirected to the poll's own screen. */
export function shareScreen({ shareUrl = '', question }: Pick<Poll, 'shareUrl' | 'question'>): Screen {
  return { path: new URL(shareUrl).pathname, title: question, heading: question };
}

/** Opens a screen and waits until it is complete. */
export async function openScreen(page: Page, { path, title, heading, redirectsTo = path, complete }: Screen) {
  await page.goto(path);
  await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
  await expect(page).toHaveTitle(`${title} · This or That?`);
  await expect(page).toHaveURL(redirectsTo);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  if (complete !== undefined) await expect(page.getByText(complete).last()).toBeVisible();
}

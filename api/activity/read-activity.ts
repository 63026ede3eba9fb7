import type * as z from 'zod/mini';
import type { Handle } from '#api/db/client.ts';
import { toIsoDate } from '#api/db/timestamps.ts';
import { invalidCursor } from '#api/polls/feed-cursor.ts';
import type { PollViewer } from '#api/polls/poll-view.ts';
import type { ActivityEntry, ActivityPage, activityQuerySchema } from '#shared/activity/schema.ts';
import { listEntries } from './queries.ts';

/** The id of the last entry of a page, which is its oldest, and the balance before that entry. */
type ActivityCursor = { id: number; balance: number };

const CURSOR_PATTERN = /^(\d{1,15})\|(-?\d{1,15})$/;

/** Encodes a cursor as base64url, opaque to clients. */
function encodeCursor({ id, balance }: ActivityCursor): string {
  return Buffer.from(`${id}|${balance}`).toString('base64url');
}

/** Decodes the result of `encodeCursor`. Throws `invalid_input` for any other text. */
function decodeCursor(text: string): ActivityCursor {
  const match = CURSOR_PATTERN.exec(Buffer.from(text, 'base64url').toString('utf8'));
  if (match === null) throw invalidCursor();
  return { id: Number(match[1]), balance: Number(match[2]) };
}

/**
 * A page of a user's ledger, newest entries first, each with the balance after it. The cursor contains the balance, so that
 * later pages need not sum up the newer entries. Throws `invalid_input` for an invalid cursor.
 */
export async function readActivity(
  handle: Handle,
  viewer: PollViewer,
  { limit, cursor }: z.output<typeof activityQuerySchema>,
): Promise<ActivityPage> {
  const previousPage = cursor === undefined ? null : decodeCursor(cursor);
  const entries = await listEntries(handle, viewer, previousPage?.id ?? null, limit + 1);
  let balance = previousPage?.balance ?? entries[0]?.currentBalance ?? 0;
  const data = entries.slice(0, limit).map(({ source, friend, currentBalance, createdAt, ...entry }) => {
    const view = { ...entry, balance, friend: toFriend(source, friend), createdAt: toIsoDate(createdAt) };
    balance -= entry.delta;
    return view;
  });
  const last = data.at(-1);
  const hasMore = entries.length > limit && last !== undefined;
  return { data, nextCursor: hasMore ? encodeCursor({ id: last.id, balance }) : null };
}

/** The friend of a referral, whose source is `referral:<user id>:signup` or `…:verified`; null for other entries. */
function toFriend(source: string, username: string | null): ActivityEntry['friend'] {
  const [kind, , event] = source.split(':');
  if (kind !== 'referral') return null;
  return {
    event: event === 'verified' ? 'verified' : 'joined',
    user: username === null ? null : { username },
  };
}

import type { Handle } from '#api/db/client.ts';
import { SEARCHED_TEXT } from '#api/db/schema/polls.ts';
import {
  type Condition,
  containing,
  containingIndexed,
  type Fragment,
  type SearchSource,
} from '#api/db/search-ids.ts';

/**
 * Which polls are searched: all of them (`any`), those of the feed (`active`), or those that take votes (`open`). The results of
 * `open` are sorted by their end, the soonest first; all others by creation, the newest first.
 */
type SearchScope = 'any' | 'active' | 'open';

const everyRow: Condition = ({ sql }) => sql`true`;

/**
 * The search for polls whose question, caption or maker's name contains `text`, for `searchIds`. An empty text matches every
 * poll. The pieces are tagged SQL, of which `searchIds` builds its query.
 */
export function pollSearch(text: string, scope: SearchScope): SearchSource {
  const contains = text === '' ? everyRow : containing(text);
  const containsIndexed = text === '' ? everyRow : containingIndexed(text);
  const searched = ({ sql }: Handle): Fragment => sql`${sql.unsafe(SEARCHED_TEXT)}`;
  const isAscending = scope === 'open';
  const rank = ({ sql }: Handle) => (isAscending ? sql`polls.closes_at` : sql`polls.created_at`);
  const isInScope = ({ sql }: Handle) => {
    if (scope === 'any') return sql`true`;
    if (scope === 'active') return sql`polls.active`;
    return sql`polls.active and polls.closes_at > now() and polls.votes1 + polls.votes2 < polls.responses_wanted`;
  };
  const nameContains = (handle: Handle) => contains(handle, handle.sql`makers.username`);
  const searchRows = (handle: Handle, rows: number, isByMaker: Fragment): Fragment => handle.sql`
    select id, rank from (
      select id, ${rank(handle)} as rank, ${searched(handle)} as searched, user_id from polls
      where ${isInScope(handle)}
      order by ${isAscending ? handle.sql`closes_at, id` : handle.sql`created_at desc nulls last, id desc nulls last`}
      limit ${rows}
    ) first where ${contains(handle, handle.sql`searched`)} or ${isByMaker}`;
  return {
    isAscending,
    // For few rows each maker's name is looked up separately; for many, all makers whose names match are read first.
    searchFirst: (handle, rows) => {
      const name: Fragment = handle.sql`(select username from users where users.id = first.user_id)`;
      return searchRows(handle, rows, contains(handle, name));
    },
    searchInOrder: (handle, rows) => {
      const makers: Fragment = handle.sql`select makers.id from users makers where ${nameContains(handle)}`;
      return searchRows(handle, rows, handle.sql`user_id in (${makers})`);
    },
    searchByIndex: (handle) => handle.sql`
      select id, ${rank(handle)} as rank from polls
      where ${isInScope(handle)} and ${containsIndexed(handle, searched(handle))}
      union
      select polls.id, ${rank(handle)} from users makers join polls on polls.user_id = makers.id
      where ${isInScope(handle)} and ${nameContains(handle)}`,
  };
}

import { useLiveQuery } from 'dexie-react-hooks';
import { useEffect, useState } from 'react';
import { useServerNow } from '#app/lib/server-now.ts';
import { useUserDb } from '#app/lib/user-db.ts';
import type { Option } from '#shared/polls/schema.ts';
import type { PollView } from '#sync/client/overlay.ts';
import {
  type FeedView,
  type MineView,
  readFeed,
  readLocalPictures,
  readMine,
  readPoll,
} from '#sync/client/reads.ts';

/** The feed as this device knows it; undefined until it has been read. */
export function useFeed(): FeedView | undefined {
  const db = useUserDb();
  const now = useServerNow();
  return useLiveQuery(async () => (db === null ? undefined : readFeed(db, now)), [db, now]);
}

/** The user's own polls as this device knows them; undefined until they have been read. */
export function useMine(): MineView | undefined {
  const db = useUserDb();
  const now = useServerNow();
  return useLiveQuery(async () => (db === null ? undefined : readMine(db, now)), [db, now]);
}

/** One poll; null when this device does not know it, undefined until that is read. */
export function usePoll(id: string): PollView | null | undefined {
  const db = useUserDb();
  const now = useServerNow();
  return useLiveQuery(async () => (db === null ? undefined : readPoll(db, id, now)), [db, id, now]);
}

/** Object URLs of a waiting poll's pictures, revoked when they are no longer shown. */
export function useLocalPictures(opId: string | null): Partial<Record<Option, string>> {
  const db = useUserDb();
  const [urls, setUrls] = useState<Partial<Record<Option, string>>>({});
  useEffect(() => {
    if (db === null || opId === null) return;
    const made: string[] = [];
    let gone = false;
    readLocalPictures(db, opId)
      .then((pictures) => {
        if (gone) return;
        const next: Partial<Record<Option, string>> = {};
        for (const option of [1, 2] as const) {
          const picture = pictures[option];
          if (picture === undefined) continue;
          const url = URL.createObjectURL(new Blob([picture.bytes], { type: picture.mime }));
          made.push(url);
          next[option] = url;
        }
        setUrls(next);
      })
      .catch(() => setUrls({}));
    return () => {
      gone = true;
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [db, opId]);
  return opId === null ? {} : urls;
}

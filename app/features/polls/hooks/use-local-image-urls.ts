import { useEffect, useState } from 'react';
import { useUserDb } from '#app/lib/engine/session.ts';
import type { Option } from '#shared/polls/schema.ts';
import { readLocalImages } from '#sync/client/cache/reads.ts';

/** Object URLs of the images of a poll that has not been uploaded yet. */
export function useLocalImageUrls(opId: string | null): Partial<Record<Option, string>> {
  const db = useUserDb();
  const [urls, setUrls] = useState<Partial<Record<Option, string>>>({});
  useEffect(() => {
    if (db === null || opId === null) return;
    const created: string[] = [];
    let isCancelled = false;
    readLocalImages(db, opId)
      .then((images) => {
        if (isCancelled) return;
        const nextUrls: Partial<Record<Option, string>> = {};
        for (const option of [1, 2] as const) {
          const image = images[option];
          if (image === undefined) continue;
          const url = URL.createObjectURL(new Blob([image.bytes], { type: image.mime }));
          created.push(url);
          nextUrls[option] = url;
        }
        setUrls(nextUrls);
      })
      .catch(() => setUrls({}));
    return () => {
      isCancelled = true;
      for (const url of created) URL.revokeObjectURL(url);
    };
  }, [db, opId]);
  return opId === null ? {} : urls;
}

import { hash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { and, isNull } from 'drizzle-orm';
import type { Handle } from '#api/db/client.ts';
import { isOneOf } from '#api/db/columns.ts';
import { polls } from '#api/db/schema/polls.ts';
import type { Caller } from '#api/http/client-address.ts';
import { requestClosed } from '#api/http/limits/fair-queue.ts';
import type { ImagePipeline } from '#api/images/image-pipeline.ts';
import { type ImageStore, nameOfPath } from '#api/images/image-store.ts';
import type { PollRow } from '#api/polls/poll-view.ts';
import { replaceAtomically } from '#api/storage/durable-files.ts';
import { type OpenImage, openImage } from '#api/storage/open-image.ts';
import { CARD_DESIGN, type CardContent, composeCard } from './card-image.ts';

/** A card has about 100 kB. */
const CARDS_MAX = 2_000;
/** Above `CARDS_MAX`, the oldest are removed down to this number, so that not every new card requires a removal. */
const CARDS_AFTER_TRIM = 1_800;
const IDS_PER_QUERY = 500;
const CARD_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{12}\.jpg$/;

/** A composition and how many requests wait for it. If it still waits when all of them have disconnected, it leaves the queue. */
type Composition = {
  card: Promise<OpenImage | null>;
  requests: number;
  hasStarted(): boolean;
  leaving: AbortController;
};

export type CardStore = Awaited<ReturnType<typeof createCardStore>>;

type Options = {
  images: Pick<ImageStore, 'read' | 'incomingFolder'>;
  imagePipeline: Pick<ImagePipeline, 'compose'>;
  cardsMax?: number;
  cardsAfterTrim?: number;
};

/**
 * The store of card images in `dataDir`. A card is composed when it is first requested. Their number is bounded; a card that was
 * removed is composed again on its next request. A card that lacks a stored image is not kept, since the image may be read again.
 */
export async function createCardStore(
  dataDir: string,
  { images, imagePipeline, cardsMax = CARDS_MAX, cardsAfterTrim = CARDS_AFTER_TRIM }: Options,
) {
  const folder = join(dataDir, 'cards');
  await mkdir(folder, { recursive: true });
  const compositions = new Map<string, Composition>();
  let trimming: Promise<void> | null = null;

  async function readImage(path: string): Promise<Buffer | null> {
    const name = nameOfPath(path);
    return name === null ? null : images.read(name, 'large');
  }

  /** Returns the card if it is not kept, else null. */
  async function compose(
    path: string,
    poll: PollRow,
    caller: Caller,
    onStart: () => void,
  ): Promise<OpenImage | null> {
    const paths = { 1: poll.option1Image, 2: poll.option2Image };
    const content: CardContent = {
      question: poll.question,
      options: {
        1: { read: () => readImage(paths[1]), caption: poll.option1Caption },
        2: { read: () => readImage(paths[2]), caption: poll.option2Caption },
      },
    };
    const card = await imagePipeline.compose((createDecoder) => {
      onStart();
      return composeCard(createDecoder, content);
    }, caller);
    if (card.withoutImage.some((option) => nameOfPath(paths[option]) !== null)) return inMemory(card.jpeg);
    await replaceAtomically(path, card.jpeg, images.incomingFolder);
    trimming ??= trim().finally(() => {
      trimming = null;
    });
    await trimming;
    return null;
  }

  function findComposition(path: string): Composition | undefined {
    const composition = compositions.get(path);
    return composition?.leaving.signal.aborted ? undefined : composition;
  }

  function startComposition(path: string, poll: PollRow, client: string): Composition {
    const leaving = new AbortController();
    let hasStarted = false;
    const onStart = () => {
      hasStarted = true;
    };
    const card = compose(path, poll, { client, signal: leaving.signal }, onStart).finally(() => {
      if (compositions.get(path) === composition) compositions.delete(path);
    });
    const composition = { card, requests: 0, hasStarted: () => hasStarted, leaving };
    compositions.set(path, composition);
    return composition;
  }

  /** Removes the oldest cards when there are too many. */
  async function trim(): Promise<void> {
    const names = (await readdir(folder)).filter((name) => CARD_FILE.test(name));
    if (names.length <= cardsMax) return;
    const aged = await Promise.all(
      names.map(async (name) => ({
        name,
        // Another process may have removed the card.
        writtenMs: await stat(join(folder, name)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      })),
    );
    aged.sort((a, b) => a.writtenMs - b.writtenMs);
    await remove(aged.slice(0, aged.length - cardsAfterTrim).map(({ name }) => name));
  }

  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(folder, name), { force: true });
  }

  return {
    folder,

    /**
     * Opens the card of a poll. Before a card is composed, `admit` is called, which may throw to prevent it. Concurrent requests
     * share one composition. Null if a new card was removed before it was opened. Throws what `admit` throws, `busy`,
     * `invalid_input` if the client has disconnected, and system errors.
     */
    async open(
      poll: PollRow,
      { client, signal }: Caller,
      admit: () => Promise<void>,
    ): Promise<OpenImage | null> {
      const path = join(folder, nameOfCard(poll));
      const existing = await openImage(path);
      if (existing !== null) return existing;
      // Outside of the shared composition, so that a refusal affects only this request. Requests that join a composition need no
      // admission.
      if (findComposition(path) === undefined) await admit();
      if (signal?.aborted) throw requestClosed(signal);
      // Nothing is awaited between these two, so that no second request composes the card.
      const composition = findComposition(path) ?? startComposition(path, poll, client);
      composition.requests += 1;
      const leave = () => {
        composition.requests -= 1;
        if (signal && composition.requests === 0 && !composition.hasStarted())
          composition.leaving.abort(requestClosed(signal));
      };
      signal?.addEventListener('abort', leave, { once: true });
      return (await composition.card) ?? openImage(path);
    },

    /** Removes the cards of deleted and removed polls, and returns their number. */
    async sweep({ orm }: Handle): Promise<number> {
      const cards = (await readdir(folder)).flatMap((name) => {
        const pollId = CARD_FILE.exec(name)?.[1];
        return pollId === undefined ? [] : [{ name, pollId }];
      });
      let swept = 0;
      for (let first = 0; first < cards.length; first += IDS_PER_QUERY) {
        const batch = cards.slice(first, first + IDS_PER_QUERY);
        const ids = batch.map(({ pollId }) => pollId);
        const rows = await orm
          .select({ id: polls.id })
          .from(polls)
          .where(and(isOneOf(polls.id, ids), isNull(polls.removedAt)));
        const existingIds = new Set(rows.map(({ id }) => id));
        const orphans = batch.filter(({ pollId }) => !existingIds.has(pollId));
        await remove(orphans.map(({ name }) => name));
        swept += orphans.length;
      }
      return swept;
    },
  };
}

/** A card that is in no file. It can be streamed any number of times. */
function inMemory(bytes: Buffer): OpenImage {
  return {
    bytes: bytes.length,
    etag: `"${hash('sha256', bytes, 'base64url')}"`,
    stream: () => new Blob([new Uint8Array(bytes)]).stream(),
    close: async () => {},
  };
}

/** The name depends on the content: another design, or a lost image replaced by its placeholder, gives another name. */
function nameOfCard(poll: PollRow): string {
  const { question, option1Image, option2Image, option1Caption, option2Caption } = poll;
  const content = JSON.stringify([
    CARD_DESIGN,
    question,
    option1Image,
    option2Image,
    option1Caption,
    option2Caption,
  ]);
  const digest = hash('sha256', content, 'base64url').slice(0, 12);
  return `${poll.id}.${digest}.jpg`;
}

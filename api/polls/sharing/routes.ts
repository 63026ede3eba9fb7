import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AppDeps } from '#api/deps.ts';
import type { AppContext, AppEnv } from '#api/http/app-env.ts';
import { before } from '#api/http/before.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { callerOf } from '#api/http/client-address.ts';
import { respondWithError } from '#api/http/error-mapping.ts';
import { noStore } from '#api/http/response-headers.ts';
import { session } from '#api/http/session/session.ts';
import type { ImageSender } from '#api/images/send-image.ts';
import { pollNotFound } from '#api/polls/poll-rows.ts';
import { readCardImage } from '#shared/polls/contract.ts';
import { slugSchema } from '#shared/polls/schema.ts';
import { findSharedPoll, toSharedPoll } from './find-shared-poll.ts';
import { renderMissingPage, renderSharePage, renderShell, type SharePages } from './share-page.ts';

const CARD_AGE_MAX_MS = 3_600_000;
const NOINDEX = { 'X-Robots-Tag': 'noindex' };

type Parts = { pages: SharePages | null; sendImage: ImageSender };

/** Serves what a share link leads to: the page of a poll, and its card image for previews of the link. */
export function shareRoutes(deps: AppDeps, { pages, sendImage }: Parts): Hono<AppEnv> {
  const { env, limits, cards } = deps;
  const robots = env.arePollsIndexable ? undefined : NOINDEX;

  const router = new CallRouter();
  router.use(before(noStore));
  router.answerWithin(limits.sharedPollsOfClient, readCardImage, async ({ c, params }) => {
    const poll = await findSharedPoll(deps, params.slug, null);
    if (poll === null) throw pollNotFound();
    // Sites that show a preview of the link load the image from their own pages.
    const headers = { ...robots, 'Cross-Origin-Resource-Policy': 'cross-origin' };
    return sendImage(c, { type: 'image/jpeg', maxAgeMs: CARD_AGE_MAX_MS, headers }, () =>
      cards.open(poll, callerOf(c), () => limits.cardsOfClient.take(c.var.client)),
    );
  });
  if (pages !== null) router.route('/', pageRoutes(deps, pages));
  return router;
}

function pageRoutes(deps: AppDeps, pages: SharePages): Hono<AppEnv> {
  const { env, limits, shareLinks } = deps;
  const { arePollsIndexable: isIndexable } = env;
  const sendPage = (
    c: AppContext,
    page: string,
    status: ContentfulStatusCode = 200,
    headers: Record<string, string> = NOINDEX,
  ) => c.html(page, status, headers);
  const missing = renderMissingPage(pages);
  const shell = renderShell(pages);

  const router = new Hono<AppEnv>();
  // Errors are sent as a page, too: the app on this page retries.
  router.onError((error, c) => {
    const { status, headers } = respondWithError(error, c);
    const retryAfter = headers.get('Retry-After');
    return sendPage(c, shell, status as ContentfulStatusCode, {
      ...NOINDEX,
      ...(retryAfter !== null && { 'Retry-After': retryAfter }),
    });
  });
  return router
    .use(before((c) => limits.sharedPollsOfClient.take(c.var.client), session(deps)))
    .get('/:slug', async (c) => {
      const slug = slugSchema.safeParse(c.req.param('slug'));
      const { user } = c.var;
      const row = slug.success ? await findSharedPoll(deps, slug.data, user) : null;
      if (row === null) return sendPage(c, missing, 404);
      const poll = toSharedPoll(shareLinks, row, Date.now());
      const page = renderSharePage(pages, poll, { isIndexable, isForUser: user !== null });
      return sendPage(c, page, 200, isIndexable ? {} : NOINDEX);
    })
    .get('*', (c) => sendPage(c, missing, 404));
}

import { renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router-dom';
import { AppErrorBoundary } from '#app/layouts/error-boundaries.tsx';
import { type ServedPoll, setPrerenderedPoll } from '#app/lib/sharing/served-poll.ts';
import { IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';
import { type PrerenderedPage, type ShareTemplate, shareMarker } from '#shared/service/rules.ts';
import { paths } from './paths.ts';
import { AppRoutes, loadScreen } from './router.tsx';

/** The title and the markup of a prerendered page. */
export type RenderedPage = { title: string; markup: string };

/** Replaced by the marker for a slug. Has only characters that a URL does not encode. */
const SLUG = 'slug-of-a-shared-poll';

/** A poll of markers, which the server replaces by the data of a real one. Its fields '' are not rendered before hydration. */
const MARKER_POLL = {
  id: '',
  question: shareMarker('question'),
  user: null,
  option1Image: `${IMAGE_PATH_PREFIX}${shareMarker('image1')}`,
  option2Image: `${IMAGE_PATH_PREFIX}${shareMarker('image2')}`,
  option1Caption: shareMarker('caption1'),
  option2Caption: shareMarker('caption2'),
  option1Preview: null,
  option2Preview: null,
  option1Size: null,
  option2Size: null,
  createdAt: '',
  closesAt: '',
  results: null,
  shareUrl: '',
} as const;

const SHARE_PAGES: Record<Exclude<ShareTemplate, 'share-shell'>, ServedPoll> = {
  share: { kind: 'poll', poll: { ...MARKER_POLL, status: 'active' } },
  'share-ended': { kind: 'poll', poll: { ...MARKER_POLL, status: 'expired' } },
  'share-no-votes': {
    kind: 'poll',
    poll: { ...MARKER_POLL, status: 'expired', results: { option1: 0, option2: 0 } },
  },
  'share-missing': { kind: 'missing' },
};

const PAGES: Record<PrerenderedPage, { address: string; title: string }> = {
  auth: { address: paths.auth.href(), title: 'Log In · This or That?' },
  'auth-signup': { address: paths.auth.href({ tab: 'signup' }), title: 'Sign Up · This or That?' },
  home: { address: paths.home.href(), title: 'Polls · This or That?' },
};

/** Renders the pages as they look before the session is known: the same tree as in main.tsx, which hydrates it. */
export async function renderPages(): Promise<Record<string, RenderedPage>> {
  await loadScreen(paths.auth.pattern);
  return Object.fromEntries(
    Object.entries(PAGES).map(([page, { address, title }]) => [page, { title, markup: render(address) }]),
  );
}

/** The markup of the pages of share links, with markers in place of the poll’s data; that of `share-shell` is empty. */
export async function renderSharePages(): Promise<Record<string, string>> {
  await loadScreen(paths.share.href(SLUG));
  const markups = Object.entries(SHARE_PAGES).map(([name, served]) => {
    setPrerenderedPoll(served);
    return [name, withoutPreloads(render(paths.share.href(SLUG))).replaceAll(SLUG, shareMarker('slug'))];
  });
  return { ...Object.fromEntries(markups), 'share-shell': '' };
}

/** Removes preloads of images, which are in the page anyway. */
function withoutPreloads(markup: string): string {
  return markup.replaceAll(/<link rel="preload"[^>]*>/g, '');
}

function render(address: string): string {
  return renderToString(
    <AppErrorBoundary>
      <StaticRouter location={address}>
        <AppRoutes />
      </StaticRouter>
    </AppErrorBoundary>,
  );
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CARD_FILE_NAME, IMAGE_PATH_PREFIX } from '#shared/polls/constants.ts';
import { captionOf, hasNoVotes } from '#shared/polls/rules.ts';
import type { SharedPoll } from '#shared/polls/schema.ts';
import { SHARE_TEMPLATES, type ShareTemplate, shareMarker } from '#shared/service/rules.ts';
import { CARD_HEIGHT_PX, CARD_WIDTH_PX } from './card-image.ts';
import { escapeHtml } from './escape-html.ts';

const SITE = 'This or That?';
const SITE_DESCRIPTION = "Two images, one tap, and everybody's answer.";
const MISSING_TITLE = `This poll is gone · ${SITE}`;

/** A prerendered page, split at its markers: every second part is the name of a text to insert. */
type Template = readonly string[];

/** The pages of share links, as the build has prerendered them. */
export type SharePages = Readonly<Record<ShareTemplate, Template>>;

/** Reads the prerendered pages from the folder of the built client; null if not built. */
export async function loadSharePages(folder: string): Promise<SharePages | null> {
  const read = async (name: ShareTemplate) =>
    [name, parseTemplate(await readFile(join(folder, `${name}.template`), 'utf8'))] as const;
  try {
    return Object.fromEntries(await Promise.all(SHARE_TEMPLATES.map(read))) as SharePages;
  } catch {
    return null;
  }
}

/** Splits a prerendered page at its markers, such as `[[data]]`. */
export function parseTemplate(text: string): Template {
  // The marker's brackets are escaped, since they mean something else in a regular expression.
  const pattern = shareMarker('(\\w+)').replaceAll(/[[\]]/g, '\\$&');
  return text.split(new RegExp(pattern));
}

/** Inserts all texts at once, so that a marker within a text is not replaced. */
function fill(template: Template, texts: Readonly<Record<string, string>>): string {
  return template.map((part, index) => (index % 2 === 0 ? part : (texts[part] ?? ''))).join('');
}

/**
 * The page of a share link. A visitor sees the options, or that the poll has ended, before any script has run. For users the page
 * has no content: the app leads them to the poll's own page.
 */
export function renderSharePage(
  pages: SharePages,
  poll: SharedPoll,
  { isIndexable, isForUser }: { isIndexable: boolean; isForUser: boolean },
): string {
  return fill(isForUser ? pages['share-shell'] : templateForVisitor(pages, poll), {
    head: headOf(poll, isIndexable),
    data: escapeHtml(JSON.stringify(poll)),
    slug: poll.shareUrl.slice(poll.shareUrl.lastIndexOf('/') + 1),
    question: escapeHtml(poll.question),
    caption1: escapeHtml(captionOf(poll, 1)),
    caption2: escapeHtml(captionOf(poll, 2)),
    image1: escapeHtml(poll.option1Image.slice(IMAGE_PATH_PREFIX.length)),
    image2: escapeHtml(poll.option2Image.slice(IMAGE_PATH_PREFIX.length)),
  });
}

function templateForVisitor(pages: SharePages, poll: SharedPoll): Template {
  const images = [poll.option1Image, poll.option2Image];
  // Placeholders have another layout, which only the app knows.
  if (!images.every((path) => path.startsWith(IMAGE_PATH_PREFIX))) return pages['share-shell'];
  if (poll.status === 'active') return pages.share;
  return hasNoVotes(poll) ? pages['share-no-votes'] : pages['share-ended'];
}

/** The 404 page, which is the same for every slug, whether or not there ever was a poll. */
export function renderMissingPage(pages: SharePages): string {
  return fill(pages['share-missing'], {
    head: `<title>${MISSING_TITLE}</title>\n    <meta name="robots" content="noindex" />`,
    data: 'null',
  });
}

/** The page without content and data, for a temporary error: the app on this page requests the poll. */
export function renderShell(pages: SharePages): string {
  return fill(pages['share-shell'], {
    head: `<title>${SITE}</title>\n    <meta name="robots" content="noindex" />`,
    data: '',
  });
}

function headOf(poll: SharedPoll, isIndexable: boolean): string {
  const title = `${poll.question} · ${SITE}`;
  const description = descriptionOf(poll);
  const image = `${poll.shareUrl}/${CARD_FILE_NAME}`;
  const named = (name: string, content: string) => `<meta name="${name}" content="${escapeHtml(content)}" />`;
  const property = (name: string, content: string) =>
    `<meta property="${name}" content="${escapeHtml(content)}" />`;
  return [
    `<title>${escapeHtml(title)}</title>`,
    named('description', description),
    `<link rel="canonical" href="${escapeHtml(poll.shareUrl)}" />`,
    ...(isIndexable ? [] : [named('robots', 'noindex')]),
    property('og:type', 'website'),
    property('og:site_name', SITE),
    property('og:title', poll.question),
    property('og:description', description),
    property('og:url', poll.shareUrl),
    property('og:image', image),
    property('og:image:type', 'image/jpeg'),
    property('og:image:width', String(CARD_WIDTH_PX)),
    property('og:image:height', String(CARD_HEIGHT_PX)),
    property('og:image:alt', `${captionOf(poll, 1)} or ${captionOf(poll, 2)}`),
    named('twitter:card', 'summary_large_image'),
    named('twitter:title', poll.question),
    named('twitter:description', description),
    named('twitter:image', image),
    named('twitter:image:alt', `${captionOf(poll, 1)} or ${captionOf(poll, 2)}`),
  ].join('\n    ');
}

function descriptionOf(poll: SharedPoll): string {
  if (poll.status !== 'active') {
    return hasNoVotes(poll)
      ? 'No votes came in before it closed.'
      : 'The crowd has decided. See what it chose.';
  }
  const { option1Caption: first, option2Caption: second } = poll;
  if (first === null || second === null) return `Pick one. ${SITE_DESCRIPTION}`;
  return `${first} or ${second}? Pick one. ${SITE_DESCRIPTION}`;
}

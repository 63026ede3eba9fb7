import { parseTemplate, type SharePages } from '#api/polls/sharing/share-page.ts';

const HEAD = '<!doctype html><html lang="en"><head>[[head]]</head>';
const CONTENT =
  '<h1>[[question]]</h1><img src="/uploads/[[image1]]?w=480" alt="[[caption1]]"><img src="/uploads/[[image2]]" alt="[[caption2]]">';

/** The pages of share links that the build makes, without their design. */
export const SHARE_PAGES: SharePages = {
  share: parseTemplate(
    `${HEAD}<div id="root" data-page="share" data-poll="[[data]]">${CONTENT}<button>[[caption1]]</button><a href="/auth?next=%2Fs%2F[[slug]]">Log in</a></div>`,
  ),
  'share-ended': parseTemplate(
    `${HEAD}<div id="root" data-page="share" data-poll="[[data]]">${CONTENT}</div>`,
  ),
  'share-no-votes': parseTemplate(
    `${HEAD}<div id="root" data-page="share" data-poll="[[data]]">${CONTENT}<p>No votes came in.</p></div>`,
  ),
  'share-missing': parseTemplate(`${HEAD}<div id="root" data-page="share" data-poll="[[data]]">404</div>`),
  'share-shell': parseTemplate(`${HEAD}<div id="root" data-poll="[[data]]"></div>`),
};

import type { Deps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import * as calls from '#shared/service/contract.ts';
import { buildDocument } from './build-document.ts';
import { renderPage } from './render-page.ts';

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
details { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; margin: .5rem 0; padding: .5rem 1rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
pre { overflow-x: auto; font-size: .85rem; }
b { display: inline-block; min-width: 4rem; }
.get { color: light-dark(#065f46, #6ee7b7); }
.post { color: light-dark(#1e40af, #93c5fd); }
.patch, .put { color: light-dark(#92400e, #fcd34d); }
.delete { color: light-dark(#991b1b, #fca5a5); }
th, td { text-align: start; vertical-align: top; padding: .25rem 1rem .25rem 0; }
td, code { overflow-wrap: anywhere; }
`;

/** Serves the OpenAPI document and its HTML page. Both are built when they are first requested, which keeps starts short. */
export function docsRoutes({ version, env }: Deps): CallRouter {
  let document: ReturnType<typeof buildDocument> | undefined;
  let page: ReturnType<typeof renderPage> | undefined;
  const getDocument = () => (document ??= buildDocument(version, env.isHttps));
  const getPage = () => (page ??= renderPage(getDocument()));
  return new CallRouter()
    .answer(calls.readOpenApiDocument, ({ c }) => c.json(getDocument()))
    .answer(calls.readDocs, async ({ c }) => c.html(await getPage()))
    .answer(calls.readDocsStyle, ({ c }) =>
      c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }),
    );
}

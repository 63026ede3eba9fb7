import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serve } from '@hono/node-server';
import type { Browser } from '@playwright/test';
import { loadStaticFiles, staticFiles } from '#api/http/static-files.ts';
import { freePort } from '#api/testing/servers/free-port.ts';
import { precompress } from '#scripts/run/precompress.ts';
import { newPhone, signUp, waitForFirstScreen } from './phone.ts';
import { withFolder } from './temporary-folder.ts';

/**
 * A page without scripts, and the files that it loads: each path on the server of the static pages, and its address in the app.
 */
type StaticPage = { html: string; files: [path: string, source: string][] };

/** Runs in the page: copies its document without scripts and without the cards below the screen. */
function copyDocument(): StaticPage {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  const originals = [...document.querySelectorAll('*')];
  const copies = [copy, ...copy.querySelectorAll('*')];
  const files: [string, string][] = [];
  for (const [index, original] of originals.entries()) {
    const element = copies[index];
    if (element === undefined) continue;
    if (original.matches('script, noscript, link[rel=modulepreload]')) element.remove();
    if (original.matches('article') && original.getBoundingClientRect().top >= innerHeight) element.remove();
    if (!copy.contains(element)) continue;
    if (original instanceof HTMLLinkElement) files.push([new URL(original.href).pathname, original.href]);
    if (original instanceof HTMLImageElement) {
      const { pathname, searchParams } = new URL(original.currentSrc);
      // Static files are found by their path without the query, so the path has to name the width.
      const path = pathname.replace('.', `-${searchParams.get('w') ?? 'full'}.`);
      files.push([path, original.currentSrc]);
      element.removeAttribute('srcset');
      element.setAttribute('src', path);
    }
  }
  return { html: `<!doctype html>${copy.outerHTML}`, files };
}

async function copyPage(browser: Browser, address: string, path: string): Promise<StaticPage> {
  const phone = await newPhone(browser);
  if (path === '/home') await signUp(phone, address, 'copy');
  const page = await phone.newPage();
  await page.goto(`${address}${path}`);
  await page
    .locator(path === '/home' ? 'article img' : 'form')
    .first()
    .waitFor();
  await waitForFirstScreen(page);
  const copy = await page.evaluate(copyDocument);
  await phone.close();
  return copy;
}

/**
 * Serves static copies of /auth and /home, as references, in the same way as the server serves its own files. They look the
 * same and have the same style sheet, font and images, but no scripts. Passes the address of the copies to `work`.
 */
export function withStaticPages<Result>(
  browser: Browser,
  address: string,
  work: (staticAddress: string) => Promise<Result>,
): Promise<Result> {
  return withFolder(async (folder) => {
    const write = async (path: string, content: string | Uint8Array) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    };
    for (const path of ['/auth', '/home']) {
      const { html, files } = await copyPage(browser, address, path);
      await write(`${path}.html`, html);
      for (const [name, source] of files) await write(name, await (await fetch(source)).bytes());
    }
    // Without this file, `loadStaticFiles` takes the folder for an app that was not built.
    await write('index.html', '');
    await precompress(folder);
    const files = await loadStaticFiles(folder);
    if (files === null) throw new Error('The static pages have no index.html');
    const respondWithFile = staticFiles(files);
    const respond = (request: Request) => {
      const response = respondWithFile(request) ?? new Response(null, { status: 404 });
      // With this header the browser uses a separate process for the page, as for the app's pages.
      response.headers.set('Cross-Origin-Opener-Policy', 'same-origin');
      return response;
    };
    const port = await freePort();
    const server = serve({ fetch: respond, port });
    try {
      return await work(`http://localhost:${port}`);
    } finally {
      server.close();
    }
  });
}

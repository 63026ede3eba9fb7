import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serve } from '@hono/node-server';
import type { Browser } from '@playwright/test';
import { Hono } from 'hono';
import type { AppEnv } from '#api/http/app-env.ts';
import { loadStaticFiles, staticFiles } from '#api/http/static-files.ts';
import { freePort } from '#scripts/run/free-port.ts';
import { precompress } from '#scripts/run/precompress.ts';
import { newPhone, showsFirstScreen, signUp } from './phone.ts';

/** A page without scripts, and the files that it loads: their paths on the twin's server and on the app's. */
type Snapshot = { html: string; files: [path: string, source: string][] };

/** Runs in the page: its document without scripts, and without the cards below the screen. */
function takeSnapshot(): Snapshot {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  const originals = [...document.querySelectorAll('*')];
  const copies = [copy, ...copy.querySelectorAll('*')];
  const files: [string, string][] = [];
  for (const [index, original] of originals.entries()) {
    const twin = copies[index];
    if (twin === undefined) continue;
    if (original.matches('script, noscript, link[rel=modulepreload]')) twin.remove();
    if (original.matches('article') && original.getBoundingClientRect().top >= innerHeight) twin.remove();
    if (!twin.isConnected && !copy.contains(twin)) continue;
    if (original instanceof HTMLLinkElement) files.push([new URL(original.href).pathname, original.href]);
    if (original instanceof HTMLImageElement) {
      const { pathname, searchParams } = new URL(original.currentSrc);
      const path = pathname.replace('.', `-${searchParams.get('w') ?? 'full'}.`);
      files.push([path, original.currentSrc]);
      twin.removeAttribute('srcset');
      twin.setAttribute('src', path);
    }
  }
  return { html: `<!doctype html>${copy.outerHTML}`, files };
}

async function snapshotOf(browser: Browser, address: string, path: string): Promise<Snapshot> {
  const phone = await newPhone(browser);
  if (path === '/home') await signUp(phone, address, 'twin');
  const page = await phone.newPage();
  await page.goto(`${address}${path}`);
  await page
    .locator(path === '/home' ? 'article img' : 'form')
    .first()
    .waitFor();
  await showsFirstScreen(page);
  const snapshot = await page.evaluate(takeSnapshot);
  await phone.close();
  return snapshot;
}

/**
 * Serves static twins of /auth and /home as the product serves its own files: pages that look the same, with the same
 * style sheet, font and images, but without scripts, and are opened in a process of their own. Passes the address to `work`.
 */
export async function withTwin<Result>(
  browser: Browser,
  address: string,
  work: (twin: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'this-or-that-bench-'));
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const path of ['/auth', '/home']) {
    const { html, files } = await snapshotOf(browser, address, path);
    await write(`${path}.html`, html);
    for (const [name, source] of files) await write(name, await (await fetch(source)).bytes());
  }
  await write('index.html', '');
  await precompress(folder);
  const files = await loadStaticFiles(folder);
  if (files === null) throw new Error('The twin has no index.html.');
  const app = new Hono<AppEnv>()
    .use(async (c, next) => {
      await next();
      // The browser starts a process for such a page, as for one of the product.
      c.header('Cross-Origin-Opener-Policy', 'same-origin');
    })
    .use(staticFiles(files, { isStopping: false }));
  const port = await freePort();
  const server = serve({ fetch: app.fetch, port });
  try {
    return await work(`http://localhost:${port}`);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

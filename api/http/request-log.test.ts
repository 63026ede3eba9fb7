import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { AppEnv } from './app-env.ts';
import { createLog } from './logger.ts';
import { requestLog } from './request-log.ts';

test('at the usual level the log has the calls and the failures, and not each file that was served', async () => {
  const lines: string[] = [];
  const app = new Hono<AppEnv>()
    .use(requestLog(createLog('info', { write: (line) => lines.push(line) })))
    .get('/api/health', (c) => c.json({ ok: true }))
    .get('/assets/index.js', (c) => c.text(''));
  for (const path of ['/api/health?token=secret', '/assets/index.js', '/assets/gone.js']) {
    await app.request(path);
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { path: '/api/health', status: 200 },
    { path: '/assets/gone.js', status: 404 },
  ]);
  expect(lines.join()).not.toContain('secret');
});

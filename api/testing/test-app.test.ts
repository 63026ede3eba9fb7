import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serveLive } from './servers/live-server.ts';
import { createTestApp, type TestApp } from './test-app.ts';

let usedBefore: { app: TestApp; address: string };

test('an app that is created inside a test works', async () => {
  const app = await createTestApp();
  usedBefore = { app, address: await serveLive(app) };
  expect((await fetch(`${usedBefore.address}/api/health`)).status).toBe(200);
  expect(existsSync(app.deps.env.dataDir)).toBe(true);
});

test('after that test, its database, folder and server no longer exist', async () => {
  const { app, address } = usedBefore;
  expect(existsSync(app.deps.env.dataDir)).toBe(false);
  await expect(app.db.sql`select 1`).rejects.toThrow();
  await expect(fetch(address)).rejects.toThrow();
});

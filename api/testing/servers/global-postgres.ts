import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { migratePostgres } from '#api/db/migrate.ts';
import { provideSamples } from '#api/testing/samples.ts';
import { startPostgres } from './postgres-server.ts';

/**
 * Creates one migrated database, of which tests use copies: on the server at `TEST_DATABASE_URL` (whose user may
 * create databases), or else on a server that lives as long as the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await findServer();
  const template = `template_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${template}`);
  const templateUrl = new URL(server.url);
  templateUrl.pathname = `/${template}`;
  await migratePostgres(templateUrl.href);
  project.provide('testDatabase', { kind: 'postgres', adminUrl: server.url, template });
  const removeSamples = await provideSamples(project);

  return async () => {
    await removeSamples();
    await admin.unsafe(`drop database ${template} with (force)`);
    await admin.end();
    await server.stop();
  };
}

async function findServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  return url === undefined || url === '' ? startPostgres() : { url, stop: async () => {} };
}

import { expect, test } from 'vitest';
import { type Facts, reportSections, reportText } from './report.ts';

const FACTS: Facts = {
  appVersion: '1.2.3',
  script: 'first-abc.js',
  serverVersion: undefined,
  connection: { phase: 'disconnected', attempt: 2 },
  isOnline: true,
  worker: 'active',
  isControlled: false,
  storage: { usedBytes: 2_340_000, quotaBytes: 10_000_000_000, isPersisted: true },
  queue: ['queued', 'rejected', 'queued'],
  browser: 'Browser 1',
  screen: '375 × 812',
};

test('the report lists each fact, with "unknown" for a missing one', () => {
  expect(reportText(reportSections(FACTS), new Date('2026-11-19T08:00:00Z'))).toBe(
    `This or That? 2026-11-19T08:00:00.000Z
Build
  App: 1.2.3
  Server: unknown
  Script: first-abc.js
Connection
  Server: disconnected, attempt 2
  Browser says online: yes
Service worker
  State: active
  Serves this page: no
Storage
  Used: 2.3 MB
  Quota: 10 GB
  Persisted: yes
Queue
  Waiting to be sent: 2
  Being sent: 0
  Waiting for a login: 0
  Refused: 1
  Needs attention: 0
Device
  Screen: 375 × 812
  Browser: Browser 1`,
  );
});

test('a queue or storage that has not been read is shown as unknown, not as empty', () => {
  const sections = reportSections({ ...FACTS, queue: undefined, storage: undefined });
  const valuesOf = (name: string) => Object.values(sections.find(({ title }) => title === name)?.lines ?? {});
  expect(valuesOf('Queue')).toEqual(Array(5).fill('unknown'));
  expect(valuesOf('Storage')).toEqual(Array(3).fill('unknown'));
});

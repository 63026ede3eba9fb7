import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { slugSchema } from '#shared/polls/schema.ts';
import { createShareLinks } from './share-links.ts';

const ORIGIN = 'https://polls.example.org';
const links = createShareLinks(randomUUID(), ORIGIN);

test('a slug identifies one poll, and no two polls have the same slug', () => {
  const ids = Array.from({ length: 1_000 }, () => randomUUID());
  const slugs = ids.map((id) => links.slugOf(id));
  expect(new Set(slugs).size).toBe(ids.length);
  expect(slugs.every((slug) => slugSchema.safeParse(slug).success)).toBe(true);
  expect(slugs.map((slug) => links.pollIdOf(slug))).toEqual(ids);
  expect(links.urlOf(ids[0] ?? '')).toBe(`${ORIGIN}/s/${slugs[0]}`);
});

test('slugs of consecutive ids are not similar, and depend on the key', () => {
  const ids = ['019352aa-0000-7000-8000-000000000001', '019352aa-0000-7000-8000-000000000002'];
  const [first = '', second = ''] = ids.map((id) => links.slugOf(id));
  const equalLetters = [...first].filter((letter, index) => letter === second[index]).length;
  expect(equalLetters).toBeLessThan(first.length / 2);
  const otherLinks = createShareLinks(randomUUID(), ORIGIN);
  expect(otherLinks.slugOf(ids[0] ?? '')).not.toBe(first);
  expect(otherLinks.pollIdOf(first)).not.toBe(ids[0]);
});

test('a slug with another encoding of the same bytes is not found', () => {
  const slug = links.slugOf(randomUUID());
  // Four bits of the last letter are unused, so the next letter encodes the same bytes.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(slug.at(-1) ?? '');
  const equivalent = `${slug.slice(0, -1)}${alphabet[last + 1]}`;
  expect(Buffer.from(equivalent, 'base64url')).toEqual(Buffer.from(slug, 'base64url'));
  expect(links.pollIdOf(equivalent)).toBeNull();
});

test('an invalid id or slug does not affect later ones', () => {
  const id = randomUUID();
  const slug = links.slugOf(id);
  expect(() => links.slugOf(id.slice(2))).toThrow('A share link needs a UUID.');
  expect(links.pollIdOf(slug.slice(2))).toBeNull();
  expect(links.slugOf(id)).toBe(slug);
  expect(links.pollIdOf(slug)).toBe(id);
});

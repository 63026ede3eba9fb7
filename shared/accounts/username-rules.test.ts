import { expect, test } from 'vitest';
import { isReservedUsername } from './username-rules.ts';

test.each([
  ...['admin', 'Administrator', 'admin2', 'Adm1n', 'the.admin', 'site_admins', 'admin-team', 'root'],
  ...['owner', 'OWNER_15', 'the-owner', '0wner', 'support', 'Supp0rt', 'thisorthat.support', 'help_desk'],
  ...['anonymous', 'Moderator', 'real.official', 'no-reply', 'null', '...', '_-_', '---'],
])('%s is reserved', (name) => {
  expect(isReservedUsername(name)).toBe(true);
});

test.each([
  ...['mara.lind', 'homeowner', 'adminton', 'rootbeer', 'modesta', 'theo', 'thea.1', '123', '2.0', 'user1'],
  ...['informed', 'nullo', 'sam', 'realmadrid', 'appleteam', 'site', 'systema'],
])('%s is available to everyone', (name) => {
  expect(isReservedUsername(name)).toBe(false);
});

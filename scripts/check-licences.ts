import { promisify } from 'node:util';
import { init } from 'license-checker-rseidelsohn';
import { ROOT } from './run/root.ts';

/** Licences under which a package may ship with the server and the app. */
const ALLOWED = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',

  // Fonts.
  'OFL-1.1',
  // libvips is a shared library, which operators can replace.
  'LGPL-3.0-or-later',
];

// Exits with code 1 at the first package with another licence.
const packages = await promisify(init)({
  start: ROOT,
  production: true,
  excludePrivatePackages: true,
  onlyAllow: ALLOWED.join(';'),
});
console.log(`${Object.keys(packages).length} packages have an allowed licence`);

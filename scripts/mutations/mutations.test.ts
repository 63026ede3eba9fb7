import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '#scripts/run/root.ts';
import { MUTATIONS } from './mutations.ts';

test.each(MUTATIONS)(
  'the code of $safeguard occurs exactly once in $file',
  ({ file, find, replace, history }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toContain(find);
    expect(existsSync(join(ROOT, 'e2e', 'faults', `${history}.test.ts`))).toBe(true);
  },
);

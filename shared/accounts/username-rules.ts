/** Usernames that could be mistaken for the operator or for the absence of a user, as reduced by `skeletonOf`. */
const RESERVED_USERNAMES: ReadonlySet<string> = new Set([
  ...['admin', 'administrator', 'owner', 'root', 'superuser', 'sysadmin', 'system', 'operator', 'server'],
  ...['mod', 'moderator', 'moderation', 'staff', 'team', 'official', 'support', 'help', 'helpdesk'],
  ...['service', 'abuse', 'security', 'privacy', 'legal', 'billing', 'contact', 'info', 'mailer', 'noreply'],
  ...['postmaster', 'hostmaster', 'webmaster', 'thisorthat', 'anonymous', 'deleted', 'everyone', 'nobody'],
  ...['null', 'undefined', 'unknown'],
]);
const IGNORED_PREFIX = /^(?:the|site|app|real|official|thisorthat)(?=.)/;
const IGNORED_SUFFIX = /(?:team|official|account|user|s)$/;

/** Whether a username is reserved: it looks like one of `RESERVED_USERNAMES`, or has no letter or digit. */
export function isReservedUsername(username: string): boolean {
  const skeleton = skeletonOf(username);
  if (skeleton === '') return !/[A-Za-z0-9]/.test(username);
  const candidates = [skeleton, skeleton.replace(IGNORED_PREFIX, '')];
  return candidates.some(
    (name) => RESERVED_USERNAMES.has(name) || RESERVED_USERNAMES.has(name.replace(IGNORED_SUFFIX, '')),
  );
}

const LOOKALIKE_LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
};

/** Reduces a name to the letters that it looks like: "Adm1n_2" becomes "admin". */
function skeletonOf(username: string): string {
  const plain = username
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/\d+$/, '');
  return plain.replaceAll(/\d/g, (digit) => LOOKALIKE_LETTERS[digit] ?? digit);
}

/**
 * A safeguard and how to remove it: `find` occurs exactly once in `file` and is replaced with `replace`. `history` is the name
 * of the test file in `e2e/faults/` that must fail then.
 */
export type Mutation = { safeguard: string; file: string; find: string; replace: string; history: string };

const ON_SERVER = 'server-safeguards';
const ON_DEVICE = 'device-safeguards';

export const MUTATIONS: readonly Mutation[] = [
  {
    safeguard: 'the lookup of the receipt',
    file: 'api/http/receipts.ts',
    find: '  if (receipt === null) return null;\n',
    replace: '  return null;\n',
    history: ON_SERVER,
  },
  {
    safeguard: 'the check of the expected user and epoch',
    file: 'api/http/session/session.ts',
    find: "throw new AppError('actor_mismatch');",
    replace: "c.header('X-Unchecked', '1');",
    history: ON_SERVER,
  },
  {
    safeguard: 'the savepoint of a creation',
    file: 'api/polls/creating/store-poll.ts',
    find: 'await inSavepoint(tx, async (part) => {',
    replace: 'await (async (run: (part: Transaction) => Promise<void>) => run(tx))(async (part) => {',
    history: ON_SERVER,
  },
  {
    safeguard: "the check for one's own existing vote before the rules",
    file: 'api/polls/voting/cast-vote.ts',
    find: 'if (poll !== null) return poll.vote?.option === option;',
    replace: 'if (poll !== null) return poll.vote?.option === option && poll.active;',
    history: ON_SERVER,
  },
  {
    safeguard: "the check for the poll's id before the rules",
    file: 'api/polls/creating/create-poll.ts',
    find: '?? (await settleKnownId(deps, creation, receipt));',
    replace: '?? null;',
    history: ON_SERVER,
  },
  {
    safeguard: 'the lease',
    file: 'sync/client/drain/drain.ts',
    find: "return op.state === 'sending' && !isLeaseLive(op, nowMs, goneOwners);",
    replace: "return op.state === 'sending';",
    history: ON_DEVICE,
  },
  {
    safeguard: 'the renewal of leases',
    file: 'sync/client/outbox/lease.ts',
    find: 'cancel = clock.setTimeout(() => void renew(), LEASE_RENEWAL_MS);',
    replace: '',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the check of the lease before each send',
    file: 'sync/client/outbox/lease.ts',
    find: "return row?.opId === op.opId && row.state === 'sending' && row.leaseOwner === owner;",
    replace: 'return true;',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the revision check of polls',
    file: 'sync/client/cache/cache.ts',
    find: 'if (incoming.rev < cached.rev) {',
    replace: 'if (incoming.rev < 0) {',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the revision check of the user',
    file: 'sync/client/cache/cache.ts',
    find: 'if (cached !== undefined && user.rev < cached.rev) {',
    replace: 'if (cached !== undefined && user.rev < 0) {',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the check for the echo of the key',
    file: 'sync/protocol/outcome.ts',
    find: 'if (!isFromApi) return { ...UNREACHABLE, isFailedUpload: status >= 400 };',
    replace: '',
    history: ON_DEVICE,
  },
  {
    safeguard: 'one transaction for all effects of a response',
    file: 'sync/client/drain/settle.ts',
    find: "return db.transaction('rw', db.tables, async () => {",
    replace: 'return (async (run: () => Promise<EngineEvent[]>) => run())(async () => {',
    history: 'killed-tab',
  },
  {
    safeguard: 'the timeout of a request',
    file: 'sync/client/device/transport.ts',
    find: '        signal: AbortSignal.timeout(timeoutMs),\n',
    replace: '',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the deletion of the old entries when a list is replaced',
    file: 'sync/client/cache/cached-lists.ts',
    find: '  await list.clear();\n',
    replace: '',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the removal of the files of a refused poll',
    file: 'api/polls/creating/store-poll.ts',
    find: 'if (outcome !== success && !isUncertain) await staged.discard();',
    replace: 'if (isUncertain) await staged.discard();',
    history: ON_SERVER,
  },
  {
    safeguard: 'the receipt in the transaction of a report',
    file: 'api/reports/perform-once.ts',
    find: 'storeUndoableOutcome(tx, receipt, success)',
    replace: 'storeUndoableOutcome(db, receipt, success)',
    history: ON_SERVER,
  },
  {
    safeguard: 'setting `hides_polls` for a user',
    file: 'api/reports/queries.ts',
    find: '.set({ hidesPolls: true })',
    replace: '.set({ hidesPolls: false })',
    history: ON_SERVER,
  },
  {
    safeguard: 'counting the changes of a vote',
    file: 'api/polls/voting/change-vote.ts',
    find: '          and changes < ',
    replace: '          and 0 * changes < ',
    history: ON_SERVER,
  },
  {
    safeguard: 'the order of ops about the same poll',
    file: 'sync/client/drain/drain.ts',
    find: 'if (other.entityId === op.entityId && other.seq < op.seq) {',
    replace: 'if (0) {',
    history: ON_DEVICE,
  },
  {
    safeguard: 'storing what an acknowledged report hides',
    file: 'sync/client/drain/settle.ts',
    find: '  await confirmVisibilityChanges(db, rows, clock.now());\n',
    replace: '',
    history: ON_DEVICE,
  },
  {
    safeguard: 'deleting what hides a poll that another device shows again',
    file: 'sync/client/outbox/hidden.ts',
    find: 'await db.hidden.bulkDelete(olderEntries.flatMap(({ key }) => (shownKeys.has(key) ? [key] : [])));',
    replace: '',
    history: ON_DEVICE,
  },
  {
    safeguard: 'the check of when a list was requested',
    file: 'sync/client/outbox/hidden.ts',
    find: 'entry.isHidden && isReflectedByRead(entry, startedAt)',
    replace: 'entry.isHidden',
    history: ON_DEVICE,
  },
];

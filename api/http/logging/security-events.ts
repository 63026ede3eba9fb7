import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { AppContext } from '#api/http/app-env.ts';
import { loggedNetwork } from '#api/http/client-address.ts';
import type { Call } from '#shared/contract.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { loggedPath, logOf } from './log.ts';

const NAME_DIGEST_LENGTH = 16;

/** An event that may be worth an alert. docs/operating.md lists them all. */
type SecurityEvent = {
  event: string;
  /** `ok` by default, else the error code of the response. */
  outcome?: 'ok' | ErrorCode;
  /** The id of the account concerned; in a request, by default its user. */
  userId?: number | undefined;
  /** A typed username or email; its digest is logged. */
  name?: string | undefined;
  /** The call, for events that several calls can cause. */
  action?: string | undefined;
  /** The id of the user, poll or other object that an administrator's action is about. */
  target?: string | undefined;
};

/** Logs a security event: `ok` at `info`, every error code at `warn`. */
export function logSecurityEvent(
  log: Logger,
  { event, outcome = 'ok', name, client, ...fields }: SecurityEvent & { client?: string },
): void {
  const level = outcome === 'ok' ? 'info' : 'warn';
  const digest = name === undefined ? {} : { name: digestOf(name) };
  const network = client === undefined ? {} : { network: loggedNetwork(client) };
  log[level]({ event, outcome, ...fields, ...digest, ...network }, 'security event');
}

/** Logs a security event of a request, with its id, user and network. */
export function reportSecurityEvent(c: AppContext, event: SecurityEvent): void {
  const { client, subjectId, user } = c.var;
  logSecurityEvent(logOf(c), { client, userId: subjectId ?? user?.id, ...event });
}

/** Reports the outcome of a call that has a `securityEvent` or is an action of an administrator; does nothing for others. */
export function reportCall(c: AppContext, call: Call, outcome: 'ok' | ErrorCode, json?: unknown): void {
  if (call.securityEvent !== undefined) {
    reportSecurityEvent(c, { event: call.securityEvent, outcome, name: nameIn(json) });
  } else if (isAdminAction(call)) {
    const target = Object.values(c.req.param())[0];
    reportSecurityEvent(c, { event: 'admin', outcome, action: `${call.method} ${call.path}`, target });
  }
}

/** Reports the refusals in `REFUSALS` (exceeded limits, full queues, missing rights), unless `reportCall` reports them. */
export function reportRefusal(c: AppContext, outcome: ErrorCode): void {
  const { call } = c.var;
  const event = REFUSALS[outcome];
  if (event === undefined || call?.securityEvent !== undefined || (call && isAdminAction(call))) return;
  reportSecurityEvent(c, {
    event,
    outcome,
    action: `${c.req.method} ${call?.path ?? loggedPath(c.req.path)}`,
  });
}

const REFUSALS: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'limit',
  vote_limit: 'limit',
  busy: 'limit',
  not_admin: 'denied',
  passkey_needed: 'denied',
  bad_origin: 'denied',
};

function isAdminAction({ access, method }: Call): boolean {
  return access === 'admin' && method !== 'GET';
}

/** The username or email that a login or a similar request contains; undefined if it has none. */
function nameIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { username, email } = json as { username?: unknown; email?: unknown };
  const name = username ?? email;
  return typeof name === 'string' ? name : undefined;
}

/** The same as `printf %s NAME | sha256sum | cut -c1-16` with the name in lower case. */
function digestOf(name: string): string {
  return hash('sha256', name.toLowerCase(), 'hex').slice(0, NAME_DIGEST_LENGTH);
}

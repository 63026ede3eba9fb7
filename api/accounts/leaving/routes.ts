import type { Deps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import { callerOf } from '#api/http/client-address.ts';
import { countingSuccesses } from '#api/http/limits/attempts.ts';
import { sessionUserOf } from '#api/http/session/session.ts';
import { requireUserRow, toOwnUser } from '#api/http/session/session-user.ts';
import { userChanged } from '#api/live/live-events.ts';
import * as calls from '#shared/accounts/contract.ts';
import { openExport, readExport, requestExport } from './data-export.ts';
import { cancelDeletion, requestDeletion } from './request-deletion.ts';

/** The calls for data exports and for deleting one's own account. */
export function leavingRoutes(deps: Deps): CallRouter {
  return new CallRouter()
    .answer(calls.requestDeletion, async ({ c, user, json }) =>
      toOwnUser(
        await countingSuccesses(deps.limits.credentialChangesOfUser, user.id, () =>
          requestDeletion(deps, user, {
            ...json,
            sessionToken: sessionUserOf(c, user).sessionToken,
            caller: callerOf(c),
          }),
        ),
      ),
    )
    .answer(calls.cancelDeletion, async ({ user }) => {
      await cancelDeletion(deps.db, user.id);
      const current = await requireUserRow(deps.db, user.id);
      deps.live.publish(userChanged(user.id, current));
      return toOwnUser(current);
    })
    .answer(calls.requestExport, ({ user }) => requestExport(deps, user.id))
    .answer(calls.readExport, ({ user }) => readExport(deps.db, user.id))
    .answer(calls.downloadExport, async ({ c, user }) => {
      const file = await openExport(deps, user.id);
      const headers = {
        'Content-Type': 'application/zip',
        'Content-Length': String(file.bytes),
        'Content-Disposition': 'attachment; filename="this-or-that.zip"',
      };
      if (c.req.method !== 'HEAD') return c.body(file.stream(), 200, headers);
      await file.close();
      return c.body(null, 200, headers);
    });
}

import type { Deps } from '#api/deps.ts';
import { CallRouter } from '#api/http/call-router.ts';
import * as calls from '#shared/activity/contract.ts';
import { readActivity } from './read-activity.ts';

export function activityRoutes({ db }: Deps): CallRouter {
  return new CallRouter().answer(calls.readActivity, ({ user, query }) => readActivity(db, user, query));
}

import { vi } from 'vitest';
import { AppError } from '#api/errors.ts';
import { atJobLimit, postBulkUpload, signUpAdmin, twoImages } from '#api/testing/admins.ts';
import { createErrorTests, type ErrorsOfCalls, nameOf } from '#api/testing/documented-errors.ts';
import { closedPoll, makePoll, openPoll, postPoll, postVote } from '#api/testing/poll-factory.ts';
import { atBlockLimit } from '#api/testing/reports.ts';
import { limitedClient, type TestUser, useUp } from '#api/testing/test-app.ts';
import * as admin from '#shared/admin/contract.ts';
import type { Call } from '#shared/contract.ts';
import { VOTE_CHANGES_MAX } from '#shared/polls/constants.ts';
import * as polls from '#shared/polls/contract.ts';
import * as reports from '#shared/reports/contract.ts';
import * as service from '#shared/service/contract.ts';
import { GROUPS } from './build-document.ts';

const { app, user, administrator, poll, send, testErrors } = await createErrorTests();
const { username } = user.user;

const changeVote = (option: number, id = poll.id) => send(user, polls.changeVote, { id, json: { option } });
function failingCard(call: Call, error: Error) {
  vi.spyOn(app.deps.cards, 'open').mockRejectedValueOnce(error);
  return send(user, call, { id: app.deps.shareLinks.slugOf(poll.id) });
}
const toOwnAccount = (call: Call) => send(administrator, call, { id: String(administrator.user.id) });

/** Sends decisions about a poll with one report; returns the last response. */
async function decide(call: Call, maker: TestUser, ...decisions: readonly object[]) {
  const { id } = await openPoll(app, maker);
  let response = await send(user, reports.reportPoll, { id, json: { reason: 'spam' } });
  for (const json of decisions) response = await send(administrator, call, { id, json });
  return response;
}

/** Starts a repair of images; returns the id of its job. */
async function startRepair(): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  return (await (await send(administrator, admin.repairImages, { headers })).json()).jobId;
}

/** Provokes the errors that a call lists itself. */
const OWN_ERRORS: ErrorsOfCalls = {
  [nameOf(polls.createPoll)]: {
    insufficient_points: () => postPoll(user, { responsesWanted: '500' }),
    id_taken: () => postPoll(user, { id: poll.id }),
  },
  [nameOf(polls.castVote)]: {
    async own_poll() {
      const maker = await app.signUp();
      return postVote(maker, (await makePoll(maker)).id, 1);
    },
    async already_voted() {
      await postVote(user, poll.id, 1);
      return postVote(user, poll.id, 2);
    },
    poll_closed: async () => postVote(await app.signUp(), await closedPoll(app, user), 1),
    vote_limit: async () => {
      const voter = await app.signUp();
      const { client, limits } = limitedClient(app, voter);
      await useUp(limits.votesOfUnverified, voter.user.id);
      return postVote(client, (await openPoll(app, await app.signUp())).id, 1);
    },
  },
  [nameOf(polls.changeVote)]: {
    not_voted: async () => changeVote(1, (await openPoll(app, await app.signUp())).id),
    poll_closed: async () => changeVote(2, await closedPoll(app, user)),
    async change_limit() {
      await postVote(user, poll.id, 1);
      for (let index = 0; index < VOTE_CHANGES_MAX; index += 1) await changeVote(index % 2 === 0 ? 2 : 1);
      return changeVote(VOTE_CHANGES_MAX % 2 === 0 ? 2 : 1);
    },
  },
  [nameOf(polls.closePoll)]: {
    not_yours: (call) => send(user, call),
    async poll_closed(call) {
      const { id } = await openPoll(app, user);
      await send(user, call, { id });
      return send(user, call, { id });
    },
  },
  [nameOf(polls.deleteOwnPoll)]: { not_yours: (call) => send(user, call) },
  [nameOf(polls.readVotesByHour)]: { not_yours: (call) => send(user, call) },
  [nameOf(polls.readResultsCsv)]: { not_yours: (call) => send(user, call) },
  [nameOf(polls.readCardImage)]: {
    busy: (call) => failingCard(call, new AppError('busy')),
    unavailable: (call) =>
      failingCard(call, Object.assign(new Error('storage unavailable'), { code: 'ECONNREFUSED' })),
  },
  [nameOf(reports.reportPoll)]: {
    async own_poll(call) {
      const ownPoll = await openPoll(app, user);
      return send(user, call, { id: ownPoll.id, json: { reason: 'spam' } });
    },
  },
  [nameOf(reports.blockUser)]: {
    own_account: (call) => send(user, call, { id: username }),
    block_limit: async (call) => send(await atBlockLimit(app), call, { id: username }),
  },
  [nameOf(admin.decideReport)]: {
    protected_account: async (call) => decide(call, await signUpAdmin(app), { action: 'suspend' }),
    too_late: async (call) => decide(call, await app.signUp(), { action: 'suspend' }, { action: 'undo' }),
    already_decided: async (call) =>
      decide(call, await app.signUp(), { action: 'remove' }, { action: 'keep' }),
    reports_changed: async (call) => decide(call, await app.signUp(), { action: 'keep', reports: 0 }),
  },
  [nameOf(polls.readImage)]: {
    not_found: (call) => send(user, call, { id: 'x.webp' }),
    async unavailable(call) {
      vi.spyOn(app.deps.images, 'open').mockRejectedValueOnce(new AppError('unavailable'));
      return send(user, call, { id: 'x.webp' });
    },
  },
  [nameOf(admin.deleteUser)]: { protected_account: toOwnAccount },
  [nameOf(admin.suspendUser)]: { protected_account: toOwnAccount },
  [nameOf(admin.unsuspendUser)]: { protected_account: toOwnAccount },
  [nameOf(admin.uploadPolls)]: {
    job_limit: () =>
      atJobLimit(app, administrator, async () => postBulkUpload(administrator, await twoImages())),
    id_taken: async () =>
      postBulkUpload(administrator, await twoImages(), { fields: { id: await startRepair() } }),
  },
  [nameOf(admin.generatePolls)]: {
    not_found: (call) => send(administrator, call, { json: { count: 1, userId: 99_999 } }),
    id_taken: async (call) => send(administrator, call, { json: { count: 1, id: await startRepair() } }),
    job_limit: (call) =>
      atJobLimit(app, administrator, () => send(administrator, call, { json: { count: 1 } })),
  },
  [nameOf(admin.repairImages)]: {
    job_limit: (call) => atJobLimit(app, administrator, () => send(administrator, call)),
  },
  [nameOf(service.readReadiness)]: {
    async unavailable(call) {
      app.deps.lifecycle.isStopping = true;
      const response = await send(user, call);
      app.deps.lifecycle.isStopping = false;
      return response;
    },
  },
};

/** Sends a poll while the images cannot be decoded. */
async function postUndecoded(code: 'busy' | 'undecodable') {
  vi.spyOn(app.deps.imagePipeline, 'process').mockRejectedValue(new AppError(code));
  return postPoll(user);
}
/** Sends a bulk upload whose job fails. */
async function uploadWithFailure(code: 'busy' | 'undecodable') {
  const row = await app.deps.jobs.waitForEnd(await startRepair(), AbortSignal.timeout(10_000));
  vi.spyOn(app.deps.jobs, 'waitForEnd').mockResolvedValueOnce({ ...row, state: 'failed', code });
  return postBulkUpload(administrator, await twoImages());
}

/** Provokes the errors that calls with images have without listing them. */
const IMAGE_ERRORS: ErrorsOfCalls = {
  [nameOf(polls.createPoll)]: {
    busy: () => postUndecoded('busy'),
    undecodable: () => postUndecoded('undecodable'),
  },
  [nameOf(admin.uploadPolls)]: {
    busy: () => uploadWithFailure('busy'),
    undecodable: () => uploadWithFailure('undecodable'),
  },
};

const { Accounts, ...otherGroups } = GROUPS;
testErrors(
  Object.values(otherGroups).flatMap((calls) => Object.values(calls)),
  OWN_ERRORS,
  IMAGE_ERRORS,
);

import type { User } from '#shared/accounts/schema.ts';
import type { ActivityEntry } from '#shared/activity/schema.ts';
import type { Notification } from '#shared/notifications/schema.ts';
import type { Poll } from '#shared/polls/schema.ts';
import type { PollDraft } from '#sync/client/outbox/poll-draft.ts';

export const POLL_ID = '019352aa-0000-7000-8000-000000000001';
export const OTHER_POLL_ID = '019352aa-0000-7000-8000-000000000002';

export function samplePoll(changes: Partial<Poll> = {}): Poll {
  return {
    id: POLL_ID,
    question: 'First cup of the day?',
    user: { username: 'mara.lind' },
    option1Image: '/uploads/a.webp',
    option2Image: '/uploads/b.webp',
    option1Caption: 'Coffee',
    option2Caption: 'Green tea',
    option1Preview: null,
    option2Preview: null,
    option1Size: { width: 1080, height: 720 },
    option2Size: { width: 1080, height: 720 },
    votesCount: 12,
    commentCount: 0,
    createdAt: '2023-11-14T20:00:00.000Z',
    closesAt: '2023-11-17T20:00:00.000Z',
    duration: 3,
    active: true,
    responsesWanted: 20,
    status: 'active',
    votes: [],
    results: null,
    isMine: false,
    isSample: false,
    rev: 5,
    shareUrl: 'https://polls.example/s/x7Kp2mQvT9dGh0aZ_b-Xyw',
    ...changes,
  };
}

export function sampleUser(changes: Partial<User> = {}): User {
  return {
    id: 100,
    username: 'nina.k',
    email: 'nina@example.org',
    points: 10,
    referralCode: 'NK7F2Q',
    isAdmin: false,
    isSuspended: false,
    isVerified: false,
    createdAt: '2023-11-01T08:00:00.000Z',
    rev: 1,
    ...changes,
  };
}

export function sampleActivity(changes: Partial<ActivityEntry> = {}): ActivityEntry {
  return {
    id: 1,
    delta: 1,
    balance: 11,
    reason: 'vote',
    poll: null,
    friend: null,
    createdAt: '2023-11-14T20:00:00.000Z',
    ...changes,
  };
}

export function sampleNotification(changes: Partial<Notification> = {}): Notification {
  return {
    id: 1,
    kind: 'removed',
    poll: null,
    user: null,
    rule: 'spam',
    verdict: null,
    createdAt: '2023-11-14T20:00:00.000Z',
    readAt: null,
    ...changes,
  };
}

/** A valid draft with two different images. */
export function sampleDraft(changes: Partial<PollDraft> = {}): PollDraft {
  const image = (byte: number) => ({
    bytes: new Uint8Array([byte]).buffer,
    mime: 'image/webp',
    width: 4,
    height: 3,
  });
  return {
    question: 'Sand or summit?',
    option1Caption: '',
    option2Caption: '',
    durationDays: 3,
    responsesWanted: 10,
    images: [image(1), image(2)],
    ...changes,
  };
}

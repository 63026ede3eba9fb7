import {
  type CreatePollPayload,
  createPollPayloadSchema,
  type Op,
  type QueuedRequest,
  type VotePayload,
  votePayloadSchema,
} from './op.ts';

/** The request of a vote. */
export function voteRequest({ pollId, option }: VotePayload): QueuedRequest {
  return { path: `/api/questions/${pollId}/vote`, kind: 'json', body: JSON.stringify({ option }) };
}

/** The request of a creation, without its two pictures. */
export function creationRequest(payload: CreatePollPayload): QueuedRequest {
  return {
    path: '/api/questions',
    kind: 'form',
    fields: pollFields(payload),
  };
}

/** The text fields of a creation's form. */
export function pollFields(payload: CreatePollPayload): [name: string, value: string][] {
  return [
    ['id', payload.pollId],
    ['question', payload.question],
    ['option1Caption', payload.option1Caption],
    ['option2Caption', payload.option2Caption],
    ['duration', String(payload.durationDays)],
    ['responsesWanted', String(payload.responsesWanted)],
  ];
}

/** The request of a stored op. Throws when it has none and its payload cannot be read. */
export function requestOfOp({
  type,
  payload,
  request,
}: Pick<Op, 'type' | 'payload' | 'request'>): QueuedRequest {
  if (request !== undefined) return request;
  // Ops of the first release say all of it with their payload.
  return type === 'vote'
    ? voteRequest(votePayloadSchema.parse(payload))
    : creationRequest(createPollPayloadSchema.parse(payload));
}

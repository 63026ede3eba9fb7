import * as z from 'zod/mini';
import { OPERATION_DEFAULTS, type Operation } from './operation.ts';

/** Used in place of an operation that only a newer version of the app knows. */
export const unknownOperation: Operation<unknown> = {
  ...OPERATION_DEFAULTS,
  schemaVersion: 0,
  payloadSchema: z.unknown(),
  request() {
    throw new Error('Update the app to send this');
  },
  texts: {
    noun: 'change',
    waiting: () => 'Made in a newer version of the app, which will send it',
    unsent: 'Not sent',
    refused: 'Not accepted',
    reason: () => null,
  },
};

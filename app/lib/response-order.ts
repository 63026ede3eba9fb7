import { useState } from 'react';

/**
 * The order of the responses to requests that may overlap, such as repeated reads of a list: a response that arrives after the
 * one to a later request is outdated.
 */
export function createResponseOrder() {
  let lastSent = 0;
  let lastAccepted = 0;
  return {
    /** To be called when a request is sent. */
    send() {
      lastSent += 1;
      const number = lastSent;
      return {
        isOutdated: () => number < lastAccepted,
        /** To be called with a response that is shown: it replaces those to earlier requests. */
        accept: () => {
          lastAccepted = number;
        },
      };
    },
    /** To be called after a change: the responses to all requests sent so far may not contain it. */
    discardRunning() {
      lastSent += 1;
      lastAccepted = lastSent;
    },
  };
}

export function useResponseOrder() {
  return useState(createResponseOrder)[0];
}

import { expect } from '@playwright/test';
import type { StartedServer } from '#scripts/run/started-server.ts';
import type { Option } from '#shared/polls/schema.ts';
import { withNewUser } from './shortcuts.ts';
import { newName } from './user-actions.ts';

/** Registers `count` users through the API, who vote on a poll. */
export async function voteAsNewUsers(
  server: StartedServer,
  pollId: string,
  count: number,
  option: Option,
): Promise<void> {
  for (let voter = 0; voter < count; voter += 1) {
    await withNewUser(server, newName('crowd'), async (_, device) => {
      const response = await device.post(`/api/questions/${pollId}/vote`, { data: { option } });
      expect(response.status()).toBe(200);
    });
  }
}

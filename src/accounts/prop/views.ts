import type { components } from '../../contract/types.ts';
import type { PropAccount } from './queries.ts';

/** A prop account as its user and operators see it. */
export const shownAccount = (account: PropAccount): components['schemas']['PropAccount'] => {
  const { owner: _, user_id: __, intent_id: ___, age_ms: ____, ...members } = account;
  return members;
};

import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';

export const listRules: Handler<'listRules'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const listSupportedPairs: Handler<'listSupportedPairs'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

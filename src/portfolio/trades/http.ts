import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';

export const validateTrade: Handler<'validateTrade'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

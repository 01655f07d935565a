import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';

export const listPayouts: Handler<'listPayouts'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const getPendingPayout: Handler<'getPendingPayout'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

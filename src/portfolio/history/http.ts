import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';

export const listClosedPositions: Handler<'listClosedPositions'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const listFilledOrders: Handler<'listFilledOrders'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

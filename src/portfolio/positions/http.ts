import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';

export const listNetvenuePositions: Handler<'listNetvenuePositions'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const listExvenuePositions: Handler<'listExvenuePositions'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

import type { Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';

export const getBalance: Handler<'getBalance'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const getExchangeBalance: Handler<'getExchangeBalance'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const getSpotBalance: Handler<'getSpotBalance'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

export const getLeverageLimits: Handler<'getLeverageLimits'> = async () => {
  throw new Refusal('VENUE_UNREADABLE');
};

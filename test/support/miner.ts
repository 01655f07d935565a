import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';

export const UUID = '0190a1b2-0000-7000-8000-000000000001';
export const MINER = 'http://miner.test';
const access = {
  minerUrl: `${MINER}/behind/a/path/`,
  minerKey: 'miner-key',
  validatorUrl: 'http://validator.test',
  validatorKey: 'validator-key',
  entityHotkey: '5Entity',
};
export const venue = netvenue(access);
export const signal: Signal = {
  order_uuid: UUID,
  subaccount_id: 3,
  execution_type: 'MARKET',
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  leverage: 0.1,
};

/** The full format of a rejection by the validator. */
export const no = (error_message: string) => ({
  success: false,
  order_uuid: UUID,
  order_json: null,
  error_message,
  processing_time: 1.2,
  message: 'Order failed on Taoshi validator',
});
export const orderJson = (more = {}) =>
  JSON.stringify({ order_type: 'LONG', leverage: 0.1, value: 1000, quantity: 0.01, price: 100_000, ...more });
export const yes = (order_json: string | object | null) => ({ ...no(''), success: true, order_json });
export const miner = () => nock(MINER).post('/behind/a/path/api/submit-order');

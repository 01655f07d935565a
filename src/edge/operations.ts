import { registerNetvenueTrader } from '../accounts/http.ts';
import * as enrollments from '../enrollments/http.ts';
import * as exchangeOrders from '../orders/exvenue/http.ts';
import {
  cancelNetvenueOrder,
  closeNetvenuePosition,
  editNetvenueOrder,
  getNetvenueOrder,
  setNetvenueTpSl,
  submitNetvenueOrder,
} from '../orders/http.ts';
import { getPartnerIntent } from '../partners/http.ts';
import type { Handlers } from './handler.ts';

/** The handler of every operation of the contract. */
export const handlers: Handlers = {
  ...enrollments,
  ...exchangeOrders,
  submitNetvenueOrder,
  getNetvenueOrder,
  cancelNetvenueOrder,
  closeNetvenuePosition,
  setNetvenueTpSl,
  editNetvenueOrder,
  registerNetvenueTrader,
  getPartnerIntent,
  getHealth: async () => ({ status: 200, body: { status: 'ok' } }),
};

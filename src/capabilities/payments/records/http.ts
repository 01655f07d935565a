import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { appOf, type Principal } from '../../../kernel/principal.ts';
import * as records from './queries.ts';

type Deps = { db: Db };

/** The app whose money is listed; null for an operator, who sees that of every app. */
const ownerOf = (principal: Principal) => (principal.kind === 'admin' ? null : appOf(principal).owner);

const cursorOf = ({ id }: { id: string }) => id;

/** Handles `GET /v2/finance/payments`: list payments. */
export const listPaymentRecords: Handler<'listPaymentRecords', Deps> = ({ deps: { db }, principal, query }) => {
  const owner = ownerOf(principal);
  const isKnown = (id: string) => records.hasPayment(db, owner, id);
  return listPage(query, { path: '/v2/finance/payments', cursorOf, isKnown }, (page) =>
    records.listPayments(db, owner, page),
  );
};

/** Handles `GET /v2/finance/payouts`: list payouts. */
export const listPayoutRecords: Handler<'listPayoutRecords', Deps> = ({ deps: { db }, principal, query }) => {
  const owner = ownerOf(principal);
  const isKnown = (id: string) => records.hasPayout(db, owner, id);
  return listPage(query, { path: '/v2/finance/payouts', cursorOf, isKnown }, (page) =>
    records.listPayouts(db, owner, page),
  );
};

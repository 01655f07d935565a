import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { requirePeriod } from '../../../kernel/period.ts';
import { isOrder, listOrdersBy, type OrderOfTrader } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/orders`: list the orders of a trader. */
export const listOrdersOfTrader: Handler<'listOrdersOfTrader', Deps> = ({ deps, query }) => {
  const { trader, state = 'any', from = null, to = null } = query;
  const isKnown = (id: string) => isOrder(deps.db, id);
  const shown = { path: '/v2/admin/orders', cursorOf: (row: OrderOfTrader) => row.order_id, isKnown };
  requirePeriod(query);
  return listPage(query, shown, (page) => listOrdersBy(deps.db, { trader, state, from, to, ...page }));
};

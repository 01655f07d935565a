import type { Fill, News, Order } from './world.ts';

/** Collects what happens until the running step is over, as a block of the venue does. */
export function openNews(): News {
  let tell: Parameters<News['listen']>[0] = () => {};
  let orders = new Set<Order>();
  let fills: Fill[] = [];
  const plan = () => {
    if (orders.size + fills.length > 0) return;
    queueMicrotask(() => {
      const [changed, executed] = [orders, fills];
      orders = new Set();
      fills = [];
      tell([...changed], executed);
    });
  };
  return {
    changed(order) {
      plan();
      orders.add(order);
    },
    executed(fill) {
      plan();
      fills.push(fill);
    },
    listen(listener) {
      tell = listener;
    },
  };
}

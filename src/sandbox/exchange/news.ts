import type { Fill, News, Order } from './world.ts';

/** Collects what happens until the running step is over, as a block of the venue does. */
export function openNews(): News {
  let listener: Parameters<News['listen']>[0] = () => {};
  let orders = new Set<Order>();
  let fills: Fill[] = [];
  const plan = () => {
    if (orders.size + fills.length > 0) return;
    queueMicrotask(() => {
      const [changed, executed] = [orders, fills];
      orders = new Set();
      fills = [];
      listener([...changed], executed);
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
    listen(next) {
      listener = next;
    },
  };
}

-- What the venue repeated of an order that only waits there was kept as executed. Without a price nothing was.
update orders
set executed = null
where venue = 'netvenue'
  and lifecycle in ('resting', 'cancelled')
  and executed ->> 'price' is null
  and executed is not null;

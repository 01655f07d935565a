insert into own_networks (setting, network)
select 'PROCESSOR_SECRET_KEY', id || case when is_live then ' live' else ' test' end
from processor_accounts
order by known_since desc
limit 1;

comment on table own_networks is
  'The network of the exchange, the chain of the registrar and the account at the processor, with its mode, in which the orders, purchases and '
  'payments of this database are.';
comment on table processor_accounts is 'Of the previous release alone, until the next one: its rows are in own_networks.';

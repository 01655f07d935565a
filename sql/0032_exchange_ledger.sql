alter table signing_keys
  add column valid_until timestamptz,
  add column rejected_at timestamptz;

comment on column signing_keys.valid_until is 'When the exchange ends the agent, as it said at enrollment; null for the wallet''s own key and for an agent without an end.';
comment on column signing_keys.rejected_at is 'When the exchange rejected the agent in an action. The key signs nothing more until it is enrolled again.';

create table exchange_fills (
  ex_wallet text not null constraint exchange_fills_wallet_lower check (ex_wallet = lower(ex_wallet)),
  trade_id bigint not null,
  oid text not null,
  coin text not null,
  side text not null constraint exchange_fills_side_known check (side in ('buy', 'sell')),
  price numeric not null,
  size numeric not null,
  start_position numeric not null,
  closed_pnl numeric not null,
  fee numeric not null,
  fee_token text not null,
  is_liquidation boolean not null,
  filled_at timestamptz not null,
  primary key (ex_wallet, oid, trade_id)
);

comment on table exchange_fills is 'Executions of exchange wallets that had resting orders of ours, as the exchange listed them: each once, whoever placed its order.';
comment on column exchange_fills.oid is 'The exchange''s number of the order that was executed.';
comment on column exchange_fills.start_position is 'The signed position before the execution, as the exchange reports it. Executions of a coin are chained by it.';

create table exchange_cursors (
  ex_wallet text primary key,
  read_to timestamptz not null,
  read_at timestamptz not null default now()
);

comment on table exchange_cursors is 'How far the executions of exchange wallets are in exchange_fills.';
comment on column exchange_cursors.read_to is 'The time of the newest execution, at first of the oldest order that rested. Later executions are read from here on.';
comment on column exchange_cursors.read_at is 'When the wallet was last looked at.';

create table statement_lines (
  id text primary key,
  owner text not null,
  kind text not null,
  what text not null,
  at timestamptz not null,
  venue text,
  account text,
  user_id text,
  reference text not null,
  pair text,
  side text,
  quantity numeric,
  price numeric,
  amount numeric,
  currency text,
  progress numeric not null default 0,
  constraint statement_lines_known check (
    kind = 'fill' and what = 'executed' or kind = 'fee' and what = 'trading'
    or kind = 'payment' and what in ('received', 'refunded', 'disputed', 'won_back', 'registration')
    or kind = 'payout' and what in ('transferred', 'reversed')
  ),
  constraint statement_lines_fill_has_a_size check (kind <> 'fill' or quantity > 0 or quantity is null)
);

comment on table statement_lines is
  'What moved money or a position of a partner or an app: one line each, written in the transaction that makes it true and never changed.';
comment on column statement_lines.owner is 'The partner or app.';
comment on column statement_lines.account is 'The trader as in Trader-ID of v1, or the prop account.';
comment on column statement_lines.reference is 'The order, verb, payment, payout, registration or execution.';
comment on column statement_lines.amount is
  'Of payments and payouts: cents, positive what the platform received. Of a fee: what was charged, negative a rebate. Of a registration: what '
  'was paid; null: unknown.';
comment on column statement_lines.progress is
  'Of a fill: the filled size of the order after it, if the venue executes it in parts. A fill or fee is stated once: its id is made of what it '
  'states (statement_id).';

create index statement_lines_by_time on statement_lines (owner, at);

create table wanted_exits (
  venue text not null,
  trader text not null,
  pair text not null,
  owner text not null,
  wanted jsonb not null default '[]',
  wanted_at timestamptz not null default now(),
  decided_by bigint not null default 0,
  version integer not null default 0,
  is_changed boolean not null default true,
  due_at timestamptz,
  compared_at timestamptz,
  missing_since timestamptz,
  told_at timestamptz,
  seen jsonb not null default '{}',
  repairs integer not null default 0,
  repaired_by uuid,
  primary key (venue, trader, pair)
);

comment on table wanted_exits is
  'The take-profits and stop-losses that the newest accepted commands want of a trader''s position in a pair, and whether the venue has them.';
comment on column wanted_exits.wanted is
  'One entry for each order whose exits they are: order_uuid, take_profit, stop_loss, trailing_stop, size; version (the position of its command '
  'among all intents); waits (the order is not filled yet).';
comment on column wanted_exits.wanted_at is 'When a command or a fill last changed what is wanted.';
comment on column wanted_exits.decided_by is
  'The position of the newest command that replaced the exits of the whole position: an earlier one adds none any more.';
comment on column wanted_exits.version is 'Incremented by every command and every comparison. A comparison that was overtaken records nothing.';
comment on column wanted_exits.is_changed is
  'Whether something ended since the last comparison that may have changed what lives. Such rows come first.';
comment on column wanted_exits.due_at is 'When the next comparison is due. Null while nothing is wanted.';
comment on column wanted_exits.missing_since is 'Since when complete reads have lacked wanted exits of an open position.';
comment on column wanted_exits.told_at is 'When position.unprotected was emitted; null unless the position is told to be unprotected now.';
comment on column wanted_exits.seen is
  'What the last comparison showed: side, size, live, reason, message, repair; ended: when exits ended, by their names (epoch ms); '
  'unseen_since: since when nothing has shown the position (epoch s).';
comment on column wanted_exits.repaired_by is 'The newest intent that was to put the missing exits back.';

create index wanted_exits_due on wanted_exits (venue, is_changed desc, due_at) where due_at is not null;
create index wanted_exits_missing on wanted_exits (venue, missing_since) where missing_since is not null;

-- Compares orders that venues show with the intents here. `shown`: their ids; `made`: those of them that this service must have made and not
-- pruned yet. An intent is committed before its order leaves, and its sending time too; so an order without either proves that this database
-- is behind. It is kept, `most` at most, and a retry under its id is looked for and never sent. Returns what is new. Commits that run
-- beside it change nothing: the venue showed the order before.
create or replace function record_restore_evidence(shown uuid[], made uuid[], most integer) returns table (id uuid, kind text)
language sql as $$
  with proof as (
    select i.id, 'unsent' as kind
    from intents i
    where i.id = any(shown) and i.sending_at is null and i.presumed_sent_at is null
      and i.state in ('queued', 'running', 'failed', 'expired')
    union all
    select m.id, 'unknown'
    from unnest(made) m (id)
    where not exists (select from intents i where i.id = m.id)
  ), noted as (
    insert into restore_evidence as s (id, kind)
    select p.id, p.kind
    from proof p
    where not exists (select from lost_orders l where l.id = p.id)
    order by p.id
    limit greatest(most - (select count(*) from restore_evidence), 0)
    on conflict do nothing
    returning s.id, s.kind
  ), kept as (
    insert into lost_orders (id)
    select n.id
    from noted n
    on conflict do nothing
  )
  select n.id, n.kind
  from noted n
$$;

-- accept_intents for items that may repeat an id or key, of this batch or an earlier one. Same items, verdicts and locks, but one item
-- after the other. Keys that pass to a new intent have done so.
create or replace function accept_one_by_one(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  item record;
  earlier record;
  at_head boolean;
  has_exits boolean := false;
  jobs graphile_worker.job_spec[] := '{}';
  accepted uuid[] := '{}';
begin
  for item in
    select i.*, is_exit(i.kind, i.is_exit) as exits, decode(i.digest, 'hex') as request_digest
    from jsonb_to_recordset(batch) as i (
      n integer, id uuid, given_id uuid, kind text, is_exit boolean, owner text, lane text, alongside text, request jsonb, digest text,
      deadline_s double precision, request_id text, idempotency_key text, caller text
    )
    order by i.lane nulls first, i.n
  loop
    n := item.n;
    intent_id := item.id;
    verdict := 'accepted';

    if item.idempotency_key is not null then
      insert into idempotency_keys (owner, key, digest, intent_id)
      select item.owner, item.idempotency_key, item.request_digest, item.id
      where not has_stored_response(coalesce(item.caller, item.owner), item.idempotency_key)
      on conflict do nothing;
      if not found then
        select k.digest, k.intent_id into earlier
        from idempotency_keys k
        where k.owner = item.owner and k.key = item.idempotency_key;
        intent_id := coalesce(earlier.intent_id, item.id);
        verdict := case when earlier.digest = item.request_digest then 'replayed' else 'key_reused' end;
        return next;
        continue;
      end if;
    end if;

    insert into intents (id, given_id, kind, is_exit, owner, lane, alongside, request, digest, request_id, deadline_at)
    select item.id, item.given_id, item.kind, item.exits, item.owner, item.lane, item.alongside, item.request, item.request_digest, item.request_id,
      now() + make_interval(secs => item.deadline_s)
    where item.given_id is null or not is_order_id(item.owner, item.given_id)
    on conflict (id) do nothing;
    if not found then
      select i.id, i.owner, i.digest into earlier
      from intents i
      where i.owner = item.owner and i.id in (item.id, item.given_id);
      intent_id := coalesce(earlier.id, item.id);
      if earlier.digest = item.request_digest then
        verdict := 'replayed';
      else
        verdict := 'id_taken';
        delete from idempotency_keys k where k.owner = item.owner and k.key = item.idempotency_key;
      end if;
      return next;
      continue;
    end if;

    at_head := true;
    if item.lane is not null then
      insert into lanes as l (name, head)
      values (item.lane, item.id)
      on conflict (name) do update set head = coalesce(l.head, excluded.head)
      returning l.head = item.id into at_head;
    end if;
    if at_head then
      jobs := jobs || job_for(item.kind, item.id, item.exits, null);
    elsif item.alongside is not null or turns_of(item.lane, item.owner) is not null then
      perform advance_lane(item.lane, null, item.owner);
    end if;
    has_exits := has_exits or (item.exits and not at_head);
    accepted := accepted || item.id;
    return next;
  end loop;

  if cardinality(jobs) > 0 then
    perform enqueue(jobs);
  end if;
  if has_exits or exists (select from pauses) then
    perform yield_to_newcomers(accepted);
  end if;
end $$;

-- Ends a pause and brings forward the jobs of the intents that wait, those of another pause too: they wait again. Returns how many; null: there was no
-- pause. Records the operator. Locks the pause first: who found it has queued its job by then.
create or replace function end_pause(of_subject text, by_operator text, because text, noted jsonb default '{}') returns integer
language plpgsql as $$
declare
  due graphile_worker.job_spec[];
begin
  delete from pauses p where p.subject = of_subject;
  if not found then
    return null;
  end if;
  due := array(
    select slot_job(i.kind, i.id, now())
    from intents i
    join intent_kinds k on k.kind = i.kind
    where i.state = 'queued' and i.sending_at is null and of_subject in (k.upstream, i.owner)
      and exists (select from queue_jobs j where j.key = 'slot ' || i.id)
    order by i.position
  );
  perform enqueue(due);
  perform record_action(by_operator, 'end_pause', of_subject, null, null, because, noted || jsonb_build_object('queued', cardinality(due)));
  return cardinality(due);
end $$;

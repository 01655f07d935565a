-- Whether an intent reduces what its trader risks: by its kind, or because its verb says so of its request (`isExit` in src/).
create or replace function is_exit(of_kind text, said boolean) returns boolean
language sql stable as $$
  select coalesce(said, false) or exists (select from intent_kinds k where k.kind = of_kind and k.is_exit)
$$;

-- The records that an id, an e-mail address, the name of a partner or app, the hint of a key or the number of a trader names, of any kind, the newest
-- 20 of a kind, with the ids of their relatives; `is_more`: there are more of this kind. `of_owner`: only records of this partner or app, so that no
-- other's take their places. Every comparison is with an indexed column, but for names and hints, of which there are few.
create or replace function ops.find(searched text, of_owner text default null)
returns table (kind text, id text, title text, state text, owner text, created_at timestamptz, relatives jsonb, is_more boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with given as (
    select
      searched as name,
      lower(searched) as lowered,
      case when searched ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then searched::uuid end as uuid,
      case when searched ~ '^[0-9]{1,18}$' then searched::bigint end as number,
      substring(searched from '^(?:[Tt]rader[ #]*)?([0-9]{1,9})$')::integer as trader,
      case when length(searched) >= 3 then lower(searched) end as named
  ), ids as (
    select g.uuid
    from given g
    union
    select order_id_of(o.id, g.uuid)
    from given g
    cross join (select a.id from apps a union all select p.id from partners p) o
    where g.uuid is not null
  ), found as (
    (
      select 'intent' as kind, i.id::text as id, i.kind as title, i.state, i.owner, i.created_at,
        ops.subjects_of(i.id) || jsonb_build_object('request', i.request_id) as relatives
      from given g
      cross join lateral (
        select d.uuid as id
        from ids d
        union
        select r.id
        from intents r
        where r.request_id = g.name and (of_owner is null or r.owner = of_owner)
        limit 100
      ) n
      join intents i on i.id = n.id
      where of_owner is null or i.owner = of_owner
      order by i.created_at desc
      limit 21
    )
    union all (
      select 'order', o.id::text, o.venue || ' ' || o.pair, o.lifecycle, o.owner, o.created_at,
        jsonb_build_object('intent', o.id, 'trader', o.trader, 'named', o.given_id)
      from given g
      cross join lateral (
        select d.uuid as id
        from ids d
        union
        select r.id
        from orders r
        where r.exchange_number = g.name and (of_owner is null or r.owner = of_owner)
        limit 100
      ) n
      join orders o on o.id = n.id
      where of_owner is null or o.owner = of_owner
      order by o.created_at desc
      limit 21
    )
    union all (
      select 'user', u.id, u.email, case when u.verified_at is null then 'unverified' else 'verified' end, u.app_id, u.created_at,
        jsonb_build_object(
          'prop_accounts', (select jsonb_agg(a.id) from prop_accounts a where a.user_id = u.id),
          'payments', (select jsonb_agg(p.id) from payments p where p.user_id = u.id),
          'payouts', (select jsonb_agg(p.id) from payouts p where p.user_id = u.id),
          'identity_verification', (select k.session_id from kyc_cases k where k.user_id = u.id),
          'payout_accounts', (
            select jsonb_agg(c.processor_account_id order by c.created_at desc, c.id desc) from connect_accounts c where c.user_id = u.id
          )
        )
      from given g
      join users u on u.id = g.name or u.email = g.lowered
      where of_owner is null or u.app_id = of_owner
      order by u.created_at desc
      limit 21
    )
    union all
    select 'identity_verification', k.session_id, k.provider, k.status, k.owner, k.created_at, jsonb_build_object('user', k.user_id)
    from given g
    join kyc_cases k on k.session_id = g.name
    union all
    select 'payout_account', c.processor_account_id,
      concat_ws(', ', c.country, case when c.is_abroad then 'abroad: in its own currency, available a day later' end),
      case when payout_account_state(c) = 'active' then 'enabled' else 'not enabled' end, c.owner, c.created_at, jsonb_build_object('user', c.user_id)
    from given g
    join connect_accounts c on c.processor_account_id = g.name or c.id = g.name
    union all
    select 'payment', p.id, p.tier_id, payment_state(p.status, m.refunded_cents, m.disputed_cents), p.owner, p.created_at,
      jsonb_build_object(
        'user', p.user_id, 'prop_account', a.id, 'intent', p.intent_id, 'refund', p.refund_intent_id,
        'processor', p.processor_payment_intent_id
      )
    from given g
    join payments p on p.id = g.name or p.processor_payment_intent_id = g.name
    cross join lateral payment_money(p) m
    left join prop_accounts a on a.payment_id = p.id
    union all
    select l.kind, l.processor_id, l.amount_cents || ' cents ' || coalesce(p.received_currency, p.currency), l.status, p.owner, l.said_at,
      jsonb_build_object('payment', l.payment_id, 'user', p.user_id)
    from given g
    join payment_losses l on l.processor_id = g.name
    join payments p on p.id = l.payment_id
    union all
    select 'processor_event', e.id, e.type, coalesce(e.outcome, 'waiting'), p.owner, e.received_at, jsonb_build_object('payment', e.payment_id)
    from given g
    join processor_events e on e.id = g.name
    left join payments p on p.id = e.payment_id
    union all
    select 'prop_account', a.id,
      concat_ws(', ', a.tier_id, 'at the network ' || nullif(lower(concat_ws(' ', a.upstream_bucket, a.upstream_status)), '')),
      a.status, a.owner, a.created_at,
      jsonb_build_object('user', a.user_id, 'payment', a.payment_id, 'subaccount', a.synthetic_hotkey, 'intent', a.intent_id)
    from given g
    join prop_accounts a on a.id = g.name or a.synthetic_hotkey = g.name
    union all
    select 'payout', p.id, p.amount_cents || ' cents ' || p.currency, payout_state(p), p.owner, p.requested_at,
      jsonb_build_object(
        'user', p.user_id, 'prop_account', p.prop_account_id, 'processor', p.processor_transfer_id, 'arrived_as', p.arrival_id
      )
    from given g
    join payouts p on p.id = g.name or p.processor_transfer_id = g.name or p.arrival_id = g.name
    union all (
      select 'subaccount', s.synthetic_hotkey, s.asset_class, s.status, s.owner, s.created_at,
        jsonb_build_object('prop_account', a.id, 'wallet', s.ex_address, 'intent', s.intent_id, 'trader', s.synthetic_hotkey)
      from given g
      join subaccounts s on s.synthetic_hotkey = g.name or s.ex_address = g.lowered or s.subaccount_id = g.trader
      left join prop_accounts a on a.synthetic_hotkey = s.synthetic_hotkey
      where of_owner is null or s.owner = of_owner
      order by s.created_at desc
      limit 21
    )
    union all (
      select 'enrollment', e.ex_wallet, coalesce(e.label, 'wallet'), null, e.owner, e.created_at,
        jsonb_build_object('payout_wallet', e.payout_wallet)
      from given g
      join partners p on true
      join enrollments e on e.owner = p.id and e.ex_wallet = g.lowered
      where of_owner is null or e.owner = of_owner
      order by e.created_at desc
      limit 21
    )
    union all
    select 'registration', r.id::text, r.miner_slug, r.status, r.owner, r.created_at, jsonb_build_object('wallet', r.ex_address)
    from given g
    join registrations r on r.id = g.uuid
    union all (
      select 'registration', r.id::text, r.miner_slug, r.status, r.owner, r.created_at, jsonb_build_object('wallet', r.ex_address)
      from given g
      join partners p on true
      join registrations r on r.owner = p.id and r.ex_address = g.lowered
      where of_owner is null or r.owner = of_owner
      order by r.created_at desc
      limit 21
    )
    union all (
      select 'delivery', d.id, e.type, d.state, d.owner, d.created_at,
        jsonb_build_object(
          'event', d.event_id, 'endpoint', d.endpoint_id, 'intent', e.data::jsonb -> 'intent_id',
          'payment', e.data::jsonb -> 'payment_id'
        )
      from given g
      cross join lateral (
        select w.id
        from webhook_deliveries w
        where w.id = g.name
        union
        select w.id
        from webhook_deliveries w
        where w.event_id = g.name
        limit 100
      ) n
      join webhook_deliveries d on d.id = n.id
      join events e on e.id = d.event_id
      order by d.created_at desc
      limit 21
    )
    union all
    select 'event', e.id, e.type, null, e.owner, e.created_at, jsonb_build_object('owner', e.owner)
    from given g
    join events e on e.id = g.name
    union all
    select 'endpoint', w.id, split_part(w.url, '?', 1), case when w.active then 'active' else 'deactivated' end, w.owner, w.created_at,
      jsonb_build_object('owner', w.owner)
    from given g
    join webhook_endpoints w on w.id = g.name
    union all
    select 'mail', m.id::text, m.template, m.state, m.owner, m.created_at, jsonb_build_object('user', m.user_id)
    from given g
    join mails m on m.id = g.uuid
    union all
    select 'job', j.job_id::text, j.task, case when j.is_dead then 'dead' else 'queued' end, null, j.run_at,
      jsonb_build_object('intent', j.intent_id)
    from given g
    join ops.jobs j on j.job_id = g.number
    union all
    select 'app', a.id, a.name, case when a.disabled_at is null then 'active' else 'disabled' end, a.id, a.created_at,
      jsonb_build_object('entity', a.entity_hotkey)
    from given g
    join apps a on a.id = g.name or a.slug = g.name or starts_with(lower(a.name), g.named)
    union all
    select 'partner', p.id, p.name, case when p.disabled_at is null then 'active' else 'disabled' end, p.id, p.created_at, '{}'
    from given g
    join partners p on p.id = g.name or p.id = (select k.partner_id from partner_keys k where k.id = g.name) or starts_with(lower(p.name), g.named)
    union all
    select 'partner_key', k.id, concat_ws(' ', k.hint, k.label),
      case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'live' end, k.partner_id,
      k.created_at, jsonb_build_object('partner', k.partner_id)
    from given g
    join partner_keys k on k.id = g.name or k.hint = g.name
    union all
    select 'trader_key', k.id, concat_ws(' ', k.key_id, k.label), case when k.revoked_at is null then 'live' else 'revoked' end, k.owner,
      k.created_at, jsonb_build_object('user', k.user_id, 'prop_account', k.prop_account_id)
    from given g
    join trader_keys k on k.id = g.name or k.key_id = g.name
    union all (
      select 'request', r.request_id, r.method || ' ' || r.operation, concat_ws(' ', r.status, r.code), r.owner, r.at,
        jsonb_build_object('intent', r.intent_id)
      from given g
      join api_requests r on hashtextextended(r.request_id, 0) = hashtextextended(g.name, 0) and r.request_id = g.name
      where of_owner is null or r.owner = of_owner
      order by r.at desc
      limit 21
    )
    union all
    select 'operator', a.id, a.email, case when a.totp_enrolled_at is null then 'without authenticator' else 'enrolled' end, null,
      a.created_at, '{}'
    from given g
    join admins a on a.id = g.name or a.email = g.lowered
  )
  select f.kind, f.id, f.title, f.state, f.owner, f.created_at, jsonb_strip_nulls(f.relatives), f.of_kind > 20
  from (
    select f.*, row_number() over (partition by f.kind order by f.created_at desc, f.id) as position, count(*) over (partition by f.kind) as of_kind
    from found f
    where of_owner is null or f.owner = of_owner
  ) f
  where f.position <= 20
  order by f.created_at desc, f.kind
$$;
comment on function ops.find is
  'The records that an id, an e-mail address, the first letters of a partner''s or app''s name, the hint of a key or the number of a trader name: '
  'intents, orders, requests, payments, prop accounts, users, deliveries, events, endpoints, jobs, wallets, hotkeys, payouts, registrations, '
  'mails, keys, apps, partners, operators and objects of the processor. With the ids of their relatives; the newest 20 '
  'of a kind, and whether there are more.';

alter table webhook_endpoints drop constraint webhook_endpoints_app_fkey;
alter table webhook_endpoints
  add column app_id text generated always as (case when not starts_with(app, 'ptn_') then app end) stored references apps (id),
  add column partner_id text generated always as (case when starts_with(app, 'ptn_') then app end) stored references partners (id),
  add constraint webhook_endpoints_with_owner unique (id, app);

comment on table webhook_endpoints is 'Webhook endpoints of apps and partners, and the events they subscribe to.';
comment on column webhook_endpoints.app is 'The owner: an app or a partner. The column keeps its name for code of the previous version.';
comment on column webhook_endpoints.app_id is 'The owner if it is an app. Proves that it exists.';
comment on column webhook_endpoints.partner_id is 'The owner if it is a partner. Proves that it exists.';

alter table event_logs
  add column app_id text generated always as (case when not starts_with(app, 'ptn_') then app end) stored references apps (id),
  add column partner_id text generated always as (case when starts_with(app, 'ptn_') then app end) stored references partners (id);

comment on table event_logs is 'The end of the event log of each app and partner. A writer locks the row until the commit, so positions have no gaps.';
comment on column event_logs.app is 'The owner: an app or a partner.';
comment on column event_logs.app_id is 'The owner if it is an app. Proves that it exists.';
comment on column event_logs.partner_id is 'The owner if it is a partner. Proves that it exists.';

comment on table events is 'Events of an app or a partner, in commit order. Each event is written by the transaction that makes it true.';
comment on column events.app is 'The owner: an app or a partner.';
comment on column webhook_deliveries.app is 'The owner of the endpoint and of the event: an app or a partner.';

alter table partners add column contact_email text;

comment on column partners.contact_email is 'Who is told that one of its webhook endpoints was deactivated.';

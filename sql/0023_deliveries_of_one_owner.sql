-- A delivery never takes an event of one owner to an endpoint of another.
alter table webhook_deliveries
  add constraint webhook_deliveries_of_endpoints_owner foreign key (endpoint_id, app) references webhook_endpoints (id, app) not valid,
  add constraint webhook_deliveries_of_events_owner foreign key (event_id, app) references events (id, app) not valid,
  drop constraint webhook_deliveries_endpoint_id_fkey,
  drop constraint webhook_deliveries_event_id_fkey;

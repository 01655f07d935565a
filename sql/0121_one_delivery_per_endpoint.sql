-- The constraint moves to the index that is led by the event: same rule, same name, no second index to write.
alter table webhook_deliveries
  drop constraint webhook_deliveries_once_per_endpoint,
  add constraint webhook_deliveries_once_per_endpoint unique using index webhook_deliveries_of_event;

-- Outside a transaction

drop index concurrently if exists intents_by_request;

-- For operators who have only the request id of a response.
create index concurrently intents_by_request on intents (request_id) where request_id is not null;

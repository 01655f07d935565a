-- Announces an intent that was just accepted (`accepted`) or has ended (`settled`): its id, and after it the row as JSON, so that who works on it or
-- waits for it need not read it. The id alone of a row that is longer than the 8,000 bytes of a notification, and of all but order verbs: whoever may
-- connect to the database can listen, and the others name people and what they pay. Nobody hears what was sent: it may be signed.
-- https://www.postgresql.org/docs/current/sql-notify.html
create or replace function announce_intent(channel text, i intents) returns void
language plpgsql as $$
declare
  announced text := i.id || ' ' || jsonb_build_object(
    'id', i.id, 'given_id', i.given_id, 'kind', i.kind, 'owner', i.owner, 'request_id', i.request_id, 'lane', i.lane, 'state', i.state,
    'request', i.request, 'sent_payload', null, 'outcome', i.outcome, 'fence', i.fence, 'attempts', i.attempts,
    'reconcile_attempts', i.reconcile_attempts, 'created_at', i.created_at, 'deadline_at', i.deadline_at, 'sending_at', i.sending_at,
    'presumed_sent_at', i.presumed_sent_at, 'settled_at', i.settled_at,
    'sent_ago_ms', coalesce(extract(epoch from i.settled_at - i.sending_at), 0) * 1000
  );
begin
  perform pg_notify(channel, case when octet_length(announced) < 8000 and venue_of(i.kind) is not null then announced else i.id::text end);
end $$;

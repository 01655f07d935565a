create or replace view ops.waits as
select w.intent_id, w.kind, w.owner, w.state, w.is_exit, w.created_at, w.reason, w.detail, w.until
from ops.waits_of(null) w;
comment on view ops.waits is
  'What each open intent waits for (reason), in words (detail), and until when at most, where that is known: the oldest 2,000, exits first.';

comment on column intents.responded_at is
  'When the response to its request arrived, if it ended it or left its effect open; null if none did. It was at the upstream until then.';

update webhook_endpoints e
set events = array_replace(
  array_replace(e.events, 'payment.disputed.won', 'payment.dispute_won'), 'payment.disputed.lost', 'payment.dispute_lost'
)
where e.events && array['payment.disputed.won', 'payment.disputed.lost'];

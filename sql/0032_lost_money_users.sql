comment on column lost_money.user_id is 'Who pays, by the payment''s metadata, or who receives, by those of the account. That account may be lost here as well.';

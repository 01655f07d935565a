alter table payouts validate constraint payouts_status_known;

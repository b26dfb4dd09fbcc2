-- A dry run has no answer to repeat: what it showed lay here in clear, and its key stayed taken.
delete from idempotency where operation = 'sendNotification' and status = 200;

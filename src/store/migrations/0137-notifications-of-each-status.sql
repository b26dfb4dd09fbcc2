-- The newest of all statuses are the newest among those of each: the index that has the status serves both questions, and an
-- accepted notification writes two indexes less, one of them anywhere on the disk.
drop index notification_by_reference;
drop index notification_of_client;

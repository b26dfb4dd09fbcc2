-- Where letters of a client come back to that cannot be delivered, as a JSON list of lines; null: LETTER_RETURN_ADDRESS.
alter table client add column return_address text;

#!/bin/sh
# An ordinary role that owns the database: row-level security does not bind a superuser.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$CLEW_DB_PASSWORD" --username "${POSTGRES_USER:-postgres}" <<'SQL'
CREATE ROLE clew LOGIN PASSWORD :'password';
CREATE DATABASE clew OWNER clew;
SQL

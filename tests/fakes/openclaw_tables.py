"""The tables of OpenClaw's agent database that matter here, as agent schemas 19 and 23 define them.

Facts about a format, written down by us: names, types and constraints of the columns. ``auth_profile_store`` stands
for the tables that hold credentials and must never be looked at.
"""

from __future__ import annotations

NODES = """
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY,
  current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL,
  entry_valid INTEGER NOT NULL DEFAULT 0 CHECK (entry_valid IN (-1, 0, 1)),
  updated_at INTEGER NOT NULL,
  status TEXT,
  created_at INTEGER,
  created_via TEXT CHECK (created_via IS NULL OR created_via IN
    ('operator', 'spawn', 'channel', 'cron', 'talk', 'run', 'plugin', 'internal')),
  parent_session_key TEXT,
  spawned_by TEXT,
  label TEXT,
  archived_at INTEGER,
  last_interaction_at INTEGER
) STRICT
"""

WINDOWS = """
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY,
  session_key TEXT NOT NULL,
  previous_session_id TEXT,
  reason TEXT CHECK (reason IS NULL OR reason IN
    ('initial', 'reset', 'rollover', 'fork', 'rewind', 'switch', 'recovery', 'compaction')),
  session_scope TEXT NOT NULL DEFAULT 'conversation'
    CHECK (session_scope IN ('conversation', 'shared-main', 'group', 'channel')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  transcript_updated_at INTEGER DEFAULT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  chat_type TEXT CHECK (chat_type IS NULL OR chat_type IN ('direct', 'group', 'channel')),
  channel TEXT,
  parent_session_key TEXT,
  spawned_by TEXT,
  FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE
) STRICT
"""

EVENTS_19 = """
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE
) STRICT
"""

EVENTS_23 = """
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_json TEXT,
  created_at INTEGER NOT NULL,
  event_zstd BLOB,
  event_utf8_bytes INTEGER CHECK (event_utf8_bytes IS NULL OR event_utf8_bytes >= 0),
  navigation_json TEXT,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE,
  CHECK (
    (event_json IS NOT NULL AND event_zstd IS NULL)
    OR (event_json IS NULL AND event_zstd IS NOT NULL AND event_utf8_bytes BETWEEN 1 AND 4194304
        AND length(event_zstd) BETWEEN 1 AND 4194304 AND navigation_json IS NOT NULL)
  )
) STRICT
"""

WATERMARKS = """
CREATE TABLE transcript_rewrite_watermarks (
  session_id TEXT NOT NULL PRIMARY KEY,
  generation TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE
) STRICT
"""

ARCHIVES = """
CREATE TABLE session_transcript_archives (
  session_id TEXT NOT NULL,
  generation TEXT NOT NULL,
  session_key TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('deleted', 'reset')),
  encoding TEXT NOT NULL CHECK (encoding IN ('identity', 'zstd')),
  archive_blob BLOB NOT NULL,
  archive_name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, generation)
) STRICT
"""

COLD_ARCHIVES = """
CREATE TABLE session_transcript_cold_archives (
  session_id TEXT NOT NULL PRIMARY KEY,
  generation TEXT NOT NULL,
  archive_name TEXT NOT NULL UNIQUE,
  last_seq INTEGER NOT NULL,
  archived_at INTEGER NOT NULL,
  storage TEXT NOT NULL CHECK (storage IN ('file', 'sqlite')),
  archive_blob BLOB,
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE
) STRICT
"""

CREDENTIALS = (
    "CREATE TABLE auth_profile_store (profile_id TEXT PRIMARY KEY, secret_json TEXT NOT NULL) STRICT"
)

SCHEMA_19 = (NODES, WINDOWS, EVENTS_19, WATERMARKS, ARCHIVES, CREDENTIALS)
SCHEMA_23 = (NODES, WINDOWS, EVENTS_23, WATERMARKS, ARCHIVES, COLD_ARCHIVES, CREDENTIALS)

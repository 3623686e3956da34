/*
 * The statements of the FIFO queues. All but WAITING read only a few rows: `fifo_group` shows which group is next, and
 * the messages in flight are always among the first of their group.
 */

export const REMEMBER =
  'INSERT INTO deduplication (queue, id, sent_at) VALUES (?1, ?2, ?3) ON CONFLICT (queue, id) DO UPDATE SET sent_at = ?3 ' +
  'WHERE sent_at <= ?4 OR sent_at > ?5';
export const ADD = 'INSERT INTO fifo_message (queue, group_id, body, sent_at) VALUES (?, ?, ?, ?)';
export const BEGIN_GROUP = 'INSERT INTO fifo_group (queue, group_id, turn) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
export const ANY_READY =
  'SELECT EXISTS (SELECT 1 FROM fifo_group WHERE queue = ?1 AND hidden_until IS NULL) OR ' +
  'EXISTS (SELECT 1 FROM fifo_group WHERE queue = ?1 AND hidden_until <= ?2) AS ready';
export const SHOW_GROUPS = 'UPDATE fifo_group SET hidden_until = NULL WHERE queue = ? AND hidden_until <= ?';
export const READY_GROUPS =
  'SELECT group_id FROM fifo_group WHERE queue = ? AND hidden_until IS NULL ORDER BY turn LIMIT ?';
export const HEAD =
  'SELECT id, group_id, body, sent_at, receive_count, hidden_until FROM fifo_message WHERE queue = ? AND group_id = ? AND id > ? ORDER BY id LIMIT ?';
export const HIDE =
  'UPDATE fifo_message SET receive_count = receive_count + 1, hidden_until = ?, hidden_at = ?, receiver = ? WHERE id = ?';
export const HIDE_GROUP =
  'UPDATE fifo_group SET hidden_until = ?1, turn = 1 + (SELECT max(id) FROM fifo_message) WHERE queue = ?2 AND group_id = ?3';
export const SET_GROUP = 'UPDATE fifo_group SET hidden_until = ? WHERE queue = ? AND group_id = ?';
export const END_GROUP = 'DELETE FROM fifo_group WHERE queue = ? AND group_id = ?';
export const FIND =
  'SELECT id, group_id, body, sent_at, receive_count, hidden_until FROM fifo_message WHERE id = ? AND queue = ?';
export const SET_HIDDEN = 'UPDATE fifo_message SET hidden_until = ?, hidden_at = ? WHERE id = ?';
export const DELETE = 'DELETE FROM fifo_message WHERE id = ?';
export const NEXT_VISIBLE =
  'SELECT min(hidden_until) AS at FROM fifo_group WHERE queue = ? AND hidden_until IS NOT NULL';
export const WAITING =
  'SELECT (SELECT count(*) FROM fifo_message WHERE queue = ?1) - ' +
  '(SELECT count(*) FROM fifo_message WHERE queue = ?1 AND hidden_until > ?2) AS waiting';

-- Turns a lock into a done marker. KEYS[1]: the lock. ARGV[1]: the owner that took it.
-- ARGV[2]: milliseconds for which duplicates are answered by the marker; 0 deletes the key.
-- Answers {"ok"}, {"gone"} (it expired or was deleted) or {"other", value} (somebody else has it, or it is a done marker).
-- A lost lock gets no marker: whoever holds the key now may still fail, and its redelivery must not be turned away.
local value = redis.call('GET', KEYS[1])
if not value then
  return {'gone'}
end
if value ~= ARGV[1] then
  return {'other', value}
end
if tonumber(ARGV[2]) > 0 then
  local now = redis.call('TIME')
  local ms = now[1] .. string.format('%03d', math.floor(now[2] / 1000))
  redis.call('SET', KEYS[1], 'done:' .. ms, 'PX', ARGV[2])
else
  redis.call('DEL', KEYS[1])
end
return {'ok'}

-- Gives a lock up. KEYS[1]: the lock. ARGV[1]: the owner that took it.
-- Answers {"ok"}, {"gone"} (it expired or was deleted) or {"other", value} (somebody else has it, or it is a done marker).
local value = redis.call('GET', KEYS[1])
if not value then
  return {'gone'}
end
if value ~= ARGV[1] then
  return {'other', value}
end
redis.call('DEL', KEYS[1])
return {'ok'}

-- Gives the holder more time. KEYS[1]: the lock. ARGV[1]: the owner that took it. ARGV[2]: milliseconds from now.
-- Answers {"ok"}, {"gone"} (it expired or was deleted) or {"other", value} (somebody else has it, or it is a done marker).
-- A lock that is gone is not taken again: another worker may have had it in between.
local value = redis.call('GET', KEYS[1])
if not value then
  return {'gone'}
end
if value ~= ARGV[1] then
  return {'other', value}
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'ok'}

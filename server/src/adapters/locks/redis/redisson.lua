-- Gives up a Redisson lock. KEYS[1]: the lock, a hash of owner -> how often it was entered. ARGV[1]: the owner.
-- Answers {"ok"}, {"gone"} or {"other", value} (somebody else holds it, or several do, or it is no hash).
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'gone'}
end
if kind ~= 'hash' then
  return {'other', kind}
end
local owners = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if field ~= 'mode' then
    owners[#owners + 1] = field
  end
end
if #owners ~= 1 or owners[1] ~= ARGV[1] then
  return {'other', table.concat(owners, ', ')}
end
redis.call('DEL', KEYS[1])
-- Redisson's own unlock wakes who waits by this channel; without the right to publish they wait for the TTL.
local braced = string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}'
redis.pcall('PUBLISH', 'redisson_lock__channel:' .. braced, '0')
return {'ok'}

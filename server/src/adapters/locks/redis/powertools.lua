-- Gives up an execution of Powertools for AWS Lambda that is in progress. KEYS[1]: its key, a JSON text.
-- ARGV[1]: its in_progress_expiration, in milliseconds.
-- Answers {"ok"}, {"gone"} or {"other", value} (another attempt has it, it is completed, or it is no such text).
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'gone'}
end
if kind ~= 'string' then
  return {'other', kind}
end
local read, execution = pcall(cjson.decode, redis.call('GET', KEYS[1]))
if not read or type(execution) ~= 'table' then
  return {'other', ''}
end
if execution['status'] ~= 'INPROGRESS' then
  return {'other', tostring(execution['status'])}
end
local until_ms = tonumber(execution['in_progress_expiration'])
local owner = until_ms and string.format('%.0f', until_ms) or ''
if owner ~= ARGV[1] then
  return {'other', owner}
end
redis.call('DEL', KEYS[1])
return {'ok'}

-- What load_test.py lets wrk send: a mixture over the rules of
-- examples/rules.yaml and the rules hot_1 …, and requests that are refused.
-- Arguments: seed, seconds, number of hot rules. Prints one line of JSON.
local threads = {}

setup = function(thread)
    table.insert(threads, thread)
    thread:set("thread_number", #threads)
end

local seconds, hot_rules, began
sent, answered = 0, 0
statuses, hot_allowed, hot_asked = {}, {}, {}

init = function(args)
    math.randomseed(tonumber(args[1]) + thread_number)
    seconds, hot_rules, began = tonumber(args[2]), tonumber(args[3]), os.time()
end

local function post(path, format, ...)
    return wrk.format("POST", path, nil, string.format(format, ...))
end

local function check(attributes, ...)
    return post("/v1/check", '{"attributes":{' .. attributes .. "}}", ...)
end

local function number(count)
    return math.random(count)
end

-- Each hot rule has its share of the time, and is asked now and then ever after.
local function hot()
    local newest = math.min(hot_rules, 1 + math.floor((os.time() - began) * hot_rules / seconds))
    local chosen = number(4) > 1 and newest or number(newest)
    return post("/v1/check", '{"rule":"hot_%d","key":{}}', chosen)
end

local refused = {
    { "POST", "/v1/check", "" },
    { "POST", "/v1/check", '{"attributes":{"team":' },
    { "POST", "/v1/check", '{"attributes":{"team":42}}' },
    { "POST", "/v1/check", '{"attributes":{},"cost":-1}' },
    { "POST", "/v1/check", '{"rule":"submit","key":{}}' },
    { "POST", "/v1/peek", string.rep("[", 1000) },
    { "POST", "/v1/check", '{"rule":"none","key":{}}' },
    { "POST", "/nothing", "{}" },
    { "GET", "/v1/check" },
    { "DELETE", "/healthz" },
}

-- Of a hundred requests, so many are of this kind.
local mixture = {
    { 25, hot },
    { 20, function() return check('"action":"submit","team":"%d"', number(20000)) end },
    { 10, function() return check('"action":"submit","team":"busy %d"', number(8)) end },
    { 10, function() return check('"path":"/api/x","ip":"192.0.%d.%d"', number(80), number(250)) end },
    { 5, function() return check('"action":"invite","plan":"free","user":"%d"', number(500)) end },
    { 5, function() return check('"path":"/login","method":"POST","ip":"192.0.2.1","user":"%d"', number(500)) end },
    { 3, function() return check('"action":"report","tenant":"%d"', number(500)) end },
    { 2, function() return check('"action":"export","tenant":"%d"', number(500)) end },
    { 4, function() return post("/v1/peek", '{"rule":"submit","key":{"team":"%d"}}', number(20000)) end },
    { 1, function() return post("/v1/reset", '{"rule":"submit","key":{"team":"busy %d"}}', number(8)) end },
    { 5, function() return wrk.format("GET", number(2) == 1 and "/healthz" or "/readyz") end },
    { 10, function()
        local what = refused[number(#refused)]
        return wrk.format(what[1], what[2], nil, what[3])
    end },
}

-- In the end nothing more is sent, so that every reply can arrive.
delay = function()
    return os.time() < began + seconds and 0 or 1e6
end

request = function()
    sent = sent + 1
    local left = math.random(100)
    for _, part in ipairs(mixture) do
        left = left - part[1]
        if left <= 0 then return part[2]() end
    end
end

response = function(status, _, body)
    answered = answered + 1
    statuses[status] = (statuses[status] or 0) + 1
    local allowed, rule = body:match('^{"allowed":(%a+),"rule":"(hot_%d+)"')
    if not rule then return end
    hot_asked[rule] = (hot_asked[rule] or 0) + 1
    if allowed == "true" then hot_allowed[rule] = (hot_allowed[rule] or 0) + 1 end
end

local function sum(name)
    local total = 0
    for _, thread in ipairs(threads) do total = total + thread:get(name) end
    return total
end

local function sums(name)
    local totals, members = {}, {}
    for _, thread in ipairs(threads) do
        for key, count in pairs(thread:get(name)) do totals[key] = (totals[key] or 0) + count end
    end
    for key, count in pairs(totals) do table.insert(members, string.format('"%s":%d', key, count)) end
    return "{" .. table.concat(members, ",") .. "}"
end

done = function(summary, latency)
    local errors = summary.errors
    print(string.format(
        '{"sent":%d,"answered":%d,"socket_errors":%d,"p99_us":%d,"statuses":%s,"hot_asked":%s,"hot_allowed":%s}',
        sum("sent"), sum("answered"), errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(99), sums("statuses"), sums("hot_asked"), sums("hot_allowed")))
end
